// failover: how long no command is decided after the leader of three servers is killed with
// SIGKILL, with the lease that Berth ships. A client submits a job to the followers until one is
// answered: that is the first commit of the new leader. Servers and etcd share this machine.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "bench/common/arguments.h"
#include "bench/common/entry.h"
#include "bench/common/progress.h"
#include "bench/common/report.h"
#include "bench/common/statistics.h"
#include "bench/common/table.h"
#include "bench/failover/measure.h"
#include "cli/serve/replicated.h"

namespace berth::bench::failover {
namespace {

constexpr std::size_t kRuns = 5;

Program program() {
  return {"failover",
          "From kill -9 of the leader to the first commit of the next one.",
          kRuns,
          Traces::kNone,
          {}};
}

Result<int> run(const Arguments& arguments) {
  std::vector<double> gaps;
  std::vector<double> usual;
  {
    Progress progress("failover", arguments.seeds);
    for (std::size_t r = 0; r < arguments.seeds; ++r) {
      const auto outcome = measure();
      if (!outcome) return tl::unexpected(outcome.error());
      gaps.push_back(outcome->gap_s);
      usual.push_back(outcome->least_between_s);
      progress.step("etcd3");
    }
  }
  const double ttl = static_cast<double>(cli::ReplicatedOptions{}.ttl_ms) / 1e3;
  const double worst = *std::max_element(gaps.begin(), gaps.end());
  Table table({"case", "lease s", "gap s", "worst s", "a job before s"});
  table.add({"etcd3", fixed(ttl, 1), fixed(mean(gaps), 2), fixed(worst, 2), fixed(mean(usual), 3)});
  std::fputs(table.to_text().c_str(), stdout);
  if (arguments.json_file.empty()) return 0;
  Report report("failover");
  report.add({"etcd3", "berth", "ttl_s", ttl, "s", 0, std::nullopt});
  report.add({"etcd3", "berth", "gap_s", mean(gaps), "s", gaps.size(), population_sd(gaps)});
  report.add({"etcd3", "berth", "gap_worst_s", worst, "s", gaps.size(), std::nullopt});
  if (auto s = report.write(arguments.json_file); !s) return tl::unexpected(s.error());
  return 0;
}

}  // namespace
}  // namespace berth::bench::failover

int main(int argc, char** argv) {
  namespace failover = berth::bench::failover;
  return berth::bench::run_program(failover::program(), {argv + 1, argv + argc}, failover::run);
}
