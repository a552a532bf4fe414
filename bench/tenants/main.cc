// tenants: does sharing a fleet make a tenant wait longer than it would alone on what it is
// guaranteed? The question of HiveD (OSDI'20), on the jobs and virtual clusters of Philly (ATC'19).
// Plain rules, private and shared, and Berth's own engine on the same jobs, without preemption.
//
// Protocol: protocol.h. Nobody has published figures for it: protocol and rules are ours, so they
// compare within this program only. A tenant is worse off if its mean wait is above its own with
// private nodes, first come first served with backfill, in the same order. The rules know true run
// times; the engine learns them from jobs that have ended and from how long others have run. All
// time after its submission in which a job does not run counts as waiting.
//
// -reclaim: the engine takes back. A job that is asked writes a checkpoint (60 s) and gives its
// cards back; when it starts again it first restarts (60 s). -hourly: it gives them back at once,
// and does again what came after its last hourly checkpoint. All of that time counts as waiting,
// too.
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
#include "bench/tenants/comparison.h"
#include "bench/tenants/engine_run.h"
#include "bench/tenants/summary.h"
#include "bench/tenants/trace.h"
#include "sim/load.h"

namespace berth::bench::tenants {
namespace {

constexpr const char* kPolicy = "berth_tenants";
constexpr const char* kReclaimPolicy = "berth_reclaim";
constexpr std::size_t kCountedJobs =
    8'000;  // the first of a case, of which instructions are counted

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const CaseSpec& spec : cases()) names.push_back(spec.name);
  return names;
}

Program program() {
  return {"tenants",
          "How long tenants wait who share a fleet, and whether one waits longer than it would\n"
          "alone: plain rules and Berth on the same jobs. --seeds: jittered orders of submission.",
          kJittered,
          Traces::kBuiltIn,
          {{"--cases", "A,B", "only these", ExtraOption::Takes::kSomeOf, case_names()},
           {"--policies", "A,B", "only these", ExtraOption::Takes::kSomeOf, policy_names()},
           {"--policy", "NAME", "Berth's policy: a name of the data's policies or a file"},
           {"--reclaim-policy", "NAME", "the same where it takes back"},
           {"--tenants",
            "yes|no",
            "a table of tenants, too",
            ExtraOption::Takes::kOneOf,
            {"yes", "no"}},
           counted_option(case_names())}};
}

std::vector<std::string> chosen_policies(const Arguments& arguments) {
  std::vector<std::string> names;
  for (const std::string& name : policy_names()) {
    if (name == kAlone || arguments.chosen("--policies", name)) names.push_back(name);
  }
  return names;
}

std::vector<CaseSpec> chosen_cases(const Arguments& arguments) {
  std::vector<CaseSpec> some = cases();
  std::erase_if(some, [&](const CaseSpec& c) { return !arguments.chosen("--cases", c.name); });
  return some;
}

Result<int> finish(const std::vector<CaseResult>& results, const Input& input,
                   const Arguments& arguments) {
  std::fputs(tables(results, input.policies).c_str(), stdout);
  if (arguments.extra("--tenants", "no") == "yes") {
    for (const CaseResult& c : results) {
      std::printf("\n%s", tenant_table(c, input.policies, input.trace).c_str());
    }
  }
  const std::string costs = cost_table(results);
  if (!costs.empty()) std::printf("\n%s", costs.c_str());
  const std::string given = taken_table(results);
  if (!given.empty()) std::printf("\n%s", given.c_str());
  const std::string targets = target_table(results);
  if (!targets.empty()) std::printf("\nTargets\n%s", targets.c_str());
  if (arguments.json_file.empty()) return 0;
  Report report("tenants");
  add_rows(results, input.policies, report);
  if (auto s = report.write(arguments.json_file); !s) return tl::unexpected(s.error());
  return 0;
}

Result<int> count_instructions(const Trace& trace, const std::string& name,
                               const PolicySpec& policy) {
  for (const CaseSpec& spec : cases()) {
    if (spec.name != name) continue;
    Sample sample = make_sample(trace, spec, 0);
    sample.jobs.resize(std::min(sample.jobs.size(), kCountedJobs));
    const auto run = run_engine(sample, policy);
    if (!run) return tl::unexpected(run.error());
    std::printf("%s: %zu jobs\n", name.c_str(), run->starts.size());
  }
  return 0;
}

Result<int> run(const Arguments& arguments) {
  const std::string folder = traces_folder();
  for (const char* file : {kJobsFile, kClustersFile}) {
    const std::string path = (std::filesystem::path(folder) / file).string();
    if (!std::filesystem::exists(path)) {
      return without_traces(program(), arguments, path, "compared");
    }
  }
  const auto policy =
      sim::load_policy(arguments.extra("--policy", kPolicy), {data_folder(), folder});
  if (!policy) return tl::unexpected(policy.error());
  const auto reclaim_policy = sim::load_policy(arguments.extra("--reclaim-policy", kReclaimPolicy),
                                               {data_folder(), folder});
  if (!reclaim_policy) return tl::unexpected(reclaim_policy.error());
  const auto trace = read_trace(folder);
  if (!trace) return tl::unexpected(trace.error());
  const std::string counted = arguments.extra(kCountedOption, "");
  if (!counted.empty()) return count_instructions(*trace, counted, *policy);
  const Input input{*trace,  chosen_cases(arguments), chosen_policies(arguments),
                    *policy, *reclaim_policy,         1 + arguments.seeds};
  const auto results = [&] {
    Progress progress("tenants", step_count(input));
    return compare(input, [&](const std::string& what) { progress.step(what); });
  }();
  if (!results) return tl::unexpected(results.error());
  return finish(*results, input, arguments);
}

}  // namespace
}  // namespace berth::bench::tenants

int main(int argc, char** argv) {
  namespace tenants = berth::bench::tenants;
  return berth::bench::run_program(tenants::program(), {argv + 1, argv + argc}, tenants::run);
}
