// grant: how long it takes from a submission until a node has the order to prepare, at 5,000 nodes
// of 8 cards while 20,000 batch jobs of a whole node wait and as many start as end. The timed jobs
// are replicas of a service (class inference, one card), one each 50 ms, submitted over the API by
// a client that waits for each answer; there is room for them, and batch work may not have it. All
// of it is on this machine: the servers (one over SQLite, or three over three members of etcd) are
// processes as they are shipped; the nodes, one session each, and the clients are this process.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/common/arguments.h"
#include "bench/common/entry.h"
#include "bench/common/progress.h"
#include "bench/common/report.h"
#include "bench/common/statistics.h"
#include "bench/common/table.h"
#include "bench/grant/measure.h"

namespace berth::bench::grant {
namespace {

constexpr std::size_t kRuns = 1;

Program program() {
  using Takes = ExtraOption::Takes;
  return {"grant",
          "From a submission to the order on the wire of a node, while 20,000 jobs wait.\n"
          "BERTH_DATA names the folder of GPU models.",
          kRuns,
          Traces::kNone,
          {{"--cases", "A,B", "only these", Takes::kSomeOf, kBackEnds},
           {"--nodes", "N", "of the fleet, a multiple of 25; default: 5000", Takes::kCount},
           {"--queued", "N", "batch jobs that wait; default: 20000", Takes::kCount},
           {"--jobs", "N", "that are timed; default: 1000", Takes::kCount}}};
}

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto at = static_cast<std::size_t>(part * static_cast<double>(values.size()));
  return values[std::min(at, values.size() - 1)];
}

struct CaseResult {
  BackEnd back_end;
  std::vector<double> p50, p99, answer_p50, answer_p99, queued, batch, cpu;

  void add(const Outcome& one) {
    p50.push_back(quantile(one.grant_ms, 0.5));
    p99.push_back(quantile(one.grant_ms, 0.99));
    answer_p50.push_back(quantile(one.answer_ms, 0.5));
    answer_p99.push_back(quantile(one.answer_ms, 0.99));
    queued.push_back(one.queued);
    batch.push_back(one.batch_per_s);
    cpu.push_back(one.server_cpu);
  }
};

void print(const std::vector<CaseResult>& results) {
  Table table({"case", "grant p50 ms", "p99 ms", "answer p50 ms", "p99 ms", "waiting",
               "batch jobs/s", "server cores"});
  for (const CaseResult& r : results) {
    table.add({std::string(word(r.back_end)), fixed(mean(r.p50), 1), fixed(mean(r.p99), 1),
               fixed(mean(r.answer_p50), 1), fixed(mean(r.answer_p99), 1), fixed(mean(r.queued), 0),
               fixed(mean(r.batch), 1), fixed(mean(r.cpu), 2)});
  }
  std::fputs(table.to_text().c_str(), stdout);
}

void add_rows(const std::vector<CaseResult>& results, Report& report) {
  for (const CaseResult& r : results) {
    const auto add = [&](const char* metric, const char* unit, const std::vector<double>& values) {
      report.add_mean(std::string(word(r.back_end)), metric, unit, values);
    };
    add("submit_to_grant_p50_ms", "ms", r.p50);
    add("submit_to_grant_p99_ms", "ms", r.p99);
    add("submit_p50_ms", "ms", r.answer_p50);
    add("submit_p99_ms", "ms", r.answer_p99);
    add("batch_jobs_per_s", "1/s", r.batch);
    add("server_cores", "", r.cpu);
  }
}

Result<int> run(const Arguments& arguments) {
  const Size size{arguments.count("--nodes", 5000), arguments.count("--queued", 20000),
                  arguments.count("--jobs", 1000)};
  const std::vector<BackEnd> chosen = chosen_back_ends(arguments);
  std::vector<CaseResult> results;
  {
    Progress progress("grant", chosen.size() * arguments.seeds);
    for (const BackEnd back_end : chosen) {
      results.push_back({back_end, {}, {}, {}, {}, {}, {}, {}});
      for (std::size_t r = 0; r < arguments.seeds; ++r) {
        const auto outcome = measure(back_end, size);
        if (!outcome) return tl::unexpected(outcome.error());
        results.back().add(*outcome);
        progress.step(std::string(word(back_end)));
      }
    }
  }
  print(results);
  if (arguments.json_file.empty()) return 0;
  Report report("grant");
  add_rows(results, report);
  if (auto s = report.write(arguments.json_file); !s) return tl::unexpected(s.error());
  return 0;
}

}  // namespace
}  // namespace berth::bench::grant

int main(int argc, char** argv) {
  namespace grant = berth::bench::grant;
  return berth::bench::run_program(grant::program(), {argv + 1, argv + argc}, grant::run);
}
