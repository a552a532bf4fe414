// preempt: what it costs spot work to give way to urgent work. Policies that take back on the same
// arrivals, and the same fleet cut into two fixed parts.
//
// Protocol: protocol.h, on the nodes of GFS (ASPLOS'26; alibaba-spot-2026). The jobs that GFS
// measured are not public, so its figures compare methods and nothing else; they are printed beside
// ours. Costs: play.h. A run is the product's simulator; what is lost is what its book says.
//
// kill_youngest, checkpoint_by_age, cheapest_first and static_quota are the policies of that name
// in data/policies; berth is the one of --policy. Of a pool at most 200 nodes are played, unless
// --nodes says otherwise: the two pools of small nodes would take most of the time. Lost is work
// that is done again, time of saving on request, suspension and restart, and the time for which
// cards that are given back do nothing. A job waits until its first start and after each
// interruption.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "bench/common/arguments.h"
#include "bench/common/entry.h"
#include "bench/common/progress.h"
#include "bench/common/report.h"
#include "bench/preempt/comparison.h"
#include "bench/preempt/summary.h"
#include "bench/preempt/trace.h"
#include "sim/load.h"

namespace berth::bench::preempt {
namespace {

constexpr const char* kPolicy = "berth_spot";
// Of a pool; the largest ones are played in part, as they would take most of the time.
constexpr std::size_t kMostNodes = 200;
constexpr const char* kFixedParts = "static_quota";
const std::vector<std::string> kBaselines = {"kill_youngest", "checkpoint_by_age", "cheapest_first",
                                             kFixedParts};
constexpr const char* kReference =
    "GFS (ASPLOS'26), on its own jobs: evictions -33.0 %, spot queue -44.1 %, allocation up to "
    "+22.8 %\nagainst what was there before. A comparison of methods only.\n";

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const CaseSpec& spec : cases()) names.push_back(spec.name);
  return names;
}

std::vector<std::string> policy_names() {
  std::vector<std::string> names = kBaselines;
  names.emplace_back(kOurs);
  return names;
}

Program program() {
  return {"preempt",
          "What it costs spot work to give way to urgent work: evictions, lost GPU-hours, waits.",
          kSeeds,
          Traces::kBuiltIn,
          {{"--cases", "A,B", "only these", ExtraOption::Takes::kSomeOf, case_names()},
           {"--policies", "A,B", "only these", ExtraOption::Takes::kSomeOf, policy_names()},
           {"--policy", "NAME", "Berth's policy: a name of the data's policies or a file"},
           {"--pool", "MODEL", "only the pool of this GPU model"},
           {"--nodes", "N", "at most so many nodes of a pool", ExtraOption::Takes::kCount},
           counted_option(case_names())}};
}

// The protocol knows no ranks; to look for them takes time.
PolicySpec without_ranks(PolicySpec policy) {
  std::erase(policy.reclaim, ReclaimRight::kRank);
  return policy;
}

Result<std::vector<Contestant>> contestants(const Arguments& arguments) {
  std::vector<Contestant> all;
  for (const std::string& name : policy_names()) {
    if (!arguments.chosen("--policies", name)) continue;
    const std::string file = name == kOurs ? arguments.extra("--policy", kPolicy) : name;
    auto policy = sim::load_policy(file, {data_folder(), traces_folder()});
    if (!policy) return tl::unexpected(policy.error());
    const Split split = name == kFixedParts ? Split::kFixed : Split::kLent;
    all.push_back({name, without_ranks(std::move(*policy)), split});
  }
  return all;
}

Status choose_pool(std::vector<Pool>& pools, const std::string& model, std::size_t most_nodes) {
  for (Pool& pool : pools) pool = part_of(pool, most_nodes);
  if (model.empty()) return {};
  std::string known;
  for (const Pool& pool : pools) known += (known.empty() ? "" : ", ") + pool.model;
  std::erase_if(pools, [&](const Pool& pool) { return pool.model != model; });
  if (!pools.empty()) return {};
  return invalid("'" + model + "' is not a pool; there are " + known, "--pool");
}

Result<int> finish(const std::vector<CaseResult>& results, const Input& input,
                   const std::string& json_file) {
  std::fputs(tables(results, input.policies).c_str(), stdout);
  std::printf("\n%s", kReference);
  const std::string targets = target_table(results, input.policies);
  if (!targets.empty()) std::printf("\nTargets\n%s", targets.c_str());
  if (json_file.empty()) return 0;
  Report report("preempt");
  add_rows(results, input.policies, report);
  if (auto s = report.write(json_file); !s) return tl::unexpected(s.error());
  return 0;
}

// One week of the smallest pool.
Result<int> count_instructions(const std::vector<Pool>& pools, const std::vector<PoolJob>& jobs,
                               const std::string& name, const std::vector<Contestant>& policies) {
  const Pool& pool = pools.back();
  for (const CaseSpec& spec : cases()) {
    if (spec.name != name) continue;
    const auto outcome =
        play(pool, make_load(jobs, pool, kCountedTo, kFirstSeed), spec.cost, policies.back());
    if (!outcome) return tl::unexpected(outcome.error());
    std::printf("%s: %llu interruptions\n", name.c_str(),
                static_cast<unsigned long long>(outcome->evictions));
  }
  return 0;
}

Result<int> run(const Arguments& arguments) {
  const std::string folder = traces_folder();
  for (const char* file : {kNodesFile, kJobsFile}) {
    const std::string path = (std::filesystem::path(folder) / file).string();
    if (!std::filesystem::exists(path)) {
      return without_traces(program(), arguments, path, "compared");
    }
  }
  const auto policies = contestants(arguments);
  if (!policies) return tl::unexpected(policies.error());
  auto pools = read_pools(folder);
  if (!pools) return tl::unexpected(pools.error());
  const std::string nodes = arguments.extra("--nodes", std::to_string(kMostNodes));
  if (auto s = choose_pool(*pools, arguments.extra("--pool", ""), std::stoul(nodes)); !s) {
    return tl::unexpected(s.error());
  }
  const auto jobs = read_jobs(folder);
  if (!jobs) return tl::unexpected(jobs.error());
  const std::string counted = arguments.extra(kCountedOption, "");
  if (!counted.empty()) return count_instructions(*pools, *jobs, counted, *policies);
  std::vector<CaseSpec> some = cases();
  std::erase_if(some, [&](const CaseSpec& c) { return !arguments.chosen("--cases", c.name); });
  const Input input{*pools, *jobs, some, *policies, arguments.seeds};
  const auto results = [&] {
    Progress progress("preempt", step_count(input));
    return compare(input, [&](const std::string& what) { progress.step(what); });
  }();
  if (!results) return tl::unexpected(results.error());
  return finish(*results, input, arguments.json_file);
}

}  // namespace
}  // namespace berth::bench::preempt

int main(int argc, char** argv) {
  namespace preempt = berth::bench::preempt;
  return berth::bench::run_program(preempt::program(), {argv + 1, argv + argc}, preempt::run);
}
