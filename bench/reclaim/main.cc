// reclaim: how long it takes to find whom to take cards from when a large gang's owner wants a full
// fleet's cards back. The shape of KAI-Scheduler's own benchmark: N nodes of 8 cards, full with 8 N
// running one-card jobs (job i on node i mod N) of a queue that is promised nothing; one pending
// gang of N/10 tasks of 8 cards in a queue that is promised all. Measured: the engine built from
// the saved state, with all its indexes, and one cycle of it, in CPU time of one thread. KAI's
// figure is building its session and one reclaim action.
//
// -gangs: the victims are gangs of 64 cards (half of the cards), jobs of 8 and jobs of one (a
// quarter each), which save and start again at different speeds. -topology: each five tasks of the
// pending gang must also lie in one leaf of 16 nodes. The path is the general one, without any
// limit of pace.
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "bench/common/arguments.h"
#include "bench/common/entry.h"
#include "bench/common/progress.h"
#include "bench/reclaim/results.h"

namespace berth::bench::reclaim {
namespace {

constexpr std::uint64_t kFirstSeed = 42;
constexpr std::size_t kSeeds = 3;

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const CaseSpec& spec : cases()) names.push_back(spec.name);
  return names;
}

Program program() {
  return {"reclaim",
          "Room taken back for a large gang in a full fleet: time, victims, price.",
          kSeeds,
          Traces::kNone,
          {{"--cases", "A,B", "only these", ExtraOption::Takes::kSomeOf, case_names()},
           counted_option({"500", "1000-gangs", "1000-topology"})}};
}

Result<int> count_instructions(const std::string& name) {
  for (const CaseSpec& spec : cases()) {
    if (spec.name != name) continue;
    const Outcome outcome = measure(spec, kFirstSeed);
    std::printf("%s: %zu victims\n", name.c_str(), outcome.victims);
  }
  return 0;
}

Result<int> run(const Arguments& arguments) {
  const std::string counted = arguments.extra(kCountedOption, "");
  if (!counted.empty()) return count_instructions(counted);
  std::vector<CaseSpec> chosen = cases();
  std::erase_if(chosen, [&](const CaseSpec& c) { return !arguments.chosen("--cases", c.name); });
  std::vector<CaseResult> results;
  {
    Progress progress("reclaim", chosen.size());
    for (const CaseSpec& spec : chosen) {
      CaseResult result{spec, {}};
      for (std::size_t s = 0; s < arguments.seeds; ++s) {
        result.runs.push_back(measure(spec, kFirstSeed + s));
      }
      results.push_back(std::move(result));
      progress.step(spec.name);
    }
  }
  std::fputs(table(results).c_str(), stdout);
  if (arguments.json_file.empty()) return 0;
  Report report("reclaim");
  add_rows(results, report);
  if (auto s = report.write(arguments.json_file); !s) return tl::unexpected(s.error());
  return 0;
}

}  // namespace
}  // namespace berth::bench::reclaim

int main(int argc, char** argv) {
  namespace reclaim = berth::bench::reclaim;
  return berth::bench::run_program(reclaim::program(), {argv + 1, argv + argc}, reclaim::run);
}
