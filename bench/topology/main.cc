// topology: where gangs land on a fabric of switches, and how long they and the others wait. Plain
// rules and Berth's own engine on the same jobs.
//
// Protocol: protocol.h, on the only public map of a three-layer Clos fabric of a GPU cluster (Crux,
// SIGCOMM'24) with the jobs of Philly (ATC'19). Nobody has published placements on it: protocol and
// rules are ours, so figures compare within this program and on the same seeds only.
//
// `berth_nohold` is the default policy; `berth` the one of --policy, by default berth_gangs: gangs
// may wait up to an hour for a better place, holding nothing, and room is kept for the oldest.
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "bench/common/arguments.h"
#include "bench/common/entry.h"
#include "bench/common/progress.h"
#include "bench/common/report.h"
#include "bench/topology/comparison.h"
#include "bench/topology/summary.h"
#include "bench/topology/trace.h"
#include "sim/load.h"

namespace berth::bench::topology {
namespace {

constexpr const char* kGangPolicy = "berth_gangs";
constexpr std::size_t kCountedJobs = 3'000;  // drawn where instructions are counted

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const CaseSpec& spec : cases()) names.push_back(spec.name);
  return names;
}

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const Contestant& contestant : contestants({})) names.push_back(contestant.name);
  return names;
}

Program program() {
  return {"topology",
          "Where gangs land on a fabric of switches, and how long they and others wait: plain\n"
          "rules and Berth on the same jobs.",
          kSeeds,
          Traces::kBuiltIn,
          {{"--cases", "A,B", "only these", ExtraOption::Takes::kSomeOf, case_names()},
           {"--policies", "A,B", "only these", ExtraOption::Takes::kSomeOf, policy_names()},
           {"--policy", "NAME", "Berth's policy: a name of the data's policies or a file"},
           counted_option(case_names())}};
}

Result<PolicySpec> policy_of(const Arguments& arguments) {
  const std::string name = arguments.extra("--policy", kGangPolicy);
  return sim::load_policy(name, {data_folder(), traces_folder()});
}

template <typename Item>
std::vector<Item> chosen(const Arguments& arguments, const std::string& option,
                         const std::vector<Item>& all) {
  std::vector<Item> some;
  for (const Item& item : all) {
    if (arguments.chosen(option, item.name)) some.push_back(item);
  }
  return some;
}

Result<int> finish(const std::vector<CaseResult>& results, const Input& input,
                   const std::string& json_file) {
  std::fputs(tables(results, input.policies).c_str(), stdout);
  const std::string costs = cost_table(results);
  if (!costs.empty()) std::printf("\n%s", costs.c_str());
  const std::string targets = target_table(results);
  if (!targets.empty()) std::printf("\nTargets\n%s", targets.c_str());
  if (json_file.empty()) return 0;
  Report report("topology");
  add_rows(results, input.policies, report);
  if (auto s = report.write(json_file); !s) return tl::unexpected(s.error());
  return 0;
}

Result<int> count_instructions(const Fabric& fabric, const std::vector<PoolJob>& pool,
                               const std::string& name, const PolicySpec& policy) {
  for (CaseSpec spec : cases()) {
    if (spec.name != name) continue;
    spec.jobs = kCountedJobs;
    const auto run =
        run_engine(fabric, make_sample(pool, spec, fabric.cards(), kFirstSeed), policy);
    if (!run) return tl::unexpected(run.error());
    std::printf("%s: %zu jobs\n", name.c_str(), spec.jobs);
  }
  return 0;
}

Result<int> run(const Arguments& arguments) {
  const std::string folder = traces_folder();
  for (const char* file : {kFabricFile, kJobsFile}) {
    const std::string path = (std::filesystem::path(folder) / file).string();
    if (!std::filesystem::exists(path)) {
      return without_traces(program(), arguments, path, "compared");
    }
  }
  const auto policy = policy_of(arguments);
  if (!policy) return tl::unexpected(policy.error());
  const auto fabric = read_fabric(folder);
  if (!fabric) return tl::unexpected(fabric.error());
  const auto pool = read_pool(folder);
  if (!pool) return tl::unexpected(pool.error());
  const std::string counted = arguments.extra(kCountedOption, "");
  if (!counted.empty()) return count_instructions(*fabric, *pool, counted, *policy);
  const Input input{*fabric, *pool, chosen(arguments, "--cases", cases()),
                    chosen(arguments, "--policies", contestants(*policy)), arguments.seeds};
  const auto results = [&] {
    Progress progress("topology", step_count(input));
    return compare(input, [&](const std::string& what) { progress.step(what); });
  }();
  if (!results) return tl::unexpected(results.error());
  return finish(*results, input, arguments.json_file);
}

}  // namespace
}  // namespace berth::bench::topology

int main(int argc, char** argv) {
  namespace topology = berth::bench::topology;
  return berth::bench::run_program(topology::program(), {argv + 1, argv + argc}, topology::run);
}
