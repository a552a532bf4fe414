// journal: how many events a second become durable, and how long a call waits. The events are those
// of a simulated fleet (data/workloads/sim-events.yaml, its first two hours), batch by batch as the
// controller commits them. So many producers wait at a time, each with one batch, and one call
// takes the batches of all: group commit as the server does it. Wall time, since the disk is what
// is waited for; beside it how often the same disk takes a write of 4 KiB with fdatasync. Of an
// etcd that lies elsewhere the network and its disks are measured.
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/common/arguments.h"
#include "bench/common/entry.h"
#include "bench/common/progress.h"
#include "bench/common/report.h"
#include "bench/common/statistics.h"
#include "bench/common/table.h"
#include "bench/journal/measure.h"

namespace berth::bench::journal {
namespace {

constexpr std::size_t kRuns = 3;
constexpr double kSeconds = 2;
constexpr DurationMs kRecorded = 2 * kHourMs;

struct CaseResult {
  CaseSpec spec;
  std::vector<double> events_per_s = {};
  std::vector<double> appends_per_s = {};
  std::vector<double> append_p99_ms = {};
};

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const CaseSpec& spec : cases()) names.push_back(spec.name);
  return names;
}

Program program() {
  return {"journal",
          "Events a second that become durable, beside the rate of syncs of the disk.",
          kRuns,
          Traces::kNone,
          {{"--cases", "A,B", "only these", ExtraOption::Takes::kSomeOf, case_names()},
           {"--folder", "DIR", "where files are made; default: the system's for temporary ones"},
           {"--etcd", "HOST:PORT", "an etcd that runs; its cases are left out without one"}}};
}

Result<CaseResult> measured(const CaseSpec& spec, const History& history, const Places& places,
                            std::size_t runs) {
  CaseResult result{spec};
  for (std::size_t run = 0; run < runs; ++run) {
    const auto outcome = measure(spec, history, places, kSeconds);
    if (!outcome) return tl::unexpected(outcome.error());
    result.events_per_s.push_back(outcome->events_per_s);
    result.appends_per_s.push_back(outcome->appends_per_s);
    result.append_p99_ms.push_back(outcome->append_p99_ms);
  }
  return result;
}

void print(const std::vector<CaseResult>& results, double syncs) {
  Table table({"case", "producers", "events/s", "calls/s", "p99 ms"});
  for (const CaseResult& result : results) {
    table.add({result.spec.name, std::to_string(result.spec.producers),
               fixed(mean(result.events_per_s), 0), fixed(mean(result.appends_per_s), 0),
               fixed(mean(result.append_p99_ms), 2)});
  }
  std::fputs(table.to_text().c_str(), stdout);
  std::printf("The disk takes %s syncs a second.\n", fixed(syncs, 0).c_str());
}

void add_rows(const std::vector<CaseResult>& results, double syncs, Report& report) {
  for (const CaseResult& result : results) {
    const auto add = [&](const char* metric, const char* unit, const std::vector<double>& values) {
      report.add_mean(result.spec.name, metric, unit, values);
    };
    add("events_per_s", "1/s", result.events_per_s);
    add("appends_per_s", "1/s", result.appends_per_s);
    add("append_p99_ms", "ms", result.append_p99_ms);
    if (result.spec.back_end == BackEnd::kMemory) continue;
    report.add({result.spec.name, "berth", "fsync_per_s", syncs, "1/s", 1, std::nullopt});
  }
}

Result<int> run(const Arguments& arguments) {
  const Places places{arguments.extra("--folder", std::filesystem::temp_directory_path().string()),
                      arguments.extra("--etcd", "")};
  const auto history = record(data_folder(), kRecorded);
  if (!history) return tl::unexpected(history.error());
  const auto syncs = syncs_per_s(places.folder, kSeconds);
  if (!syncs) return tl::unexpected(syncs.error());
  std::vector<CaseSpec> chosen = cases();
  std::erase_if(chosen, [&](const CaseSpec& c) {
    const bool is_there = c.back_end != BackEnd::kEtcd || !places.etcd.empty();
    return !is_there || !arguments.chosen("--cases", c.name);
  });
  std::vector<CaseResult> results;
  {
    Progress progress("journal", chosen.size());
    for (const CaseSpec& spec : chosen) {
      auto result = measured(spec, *history, places, arguments.seeds);
      if (!result) return tl::unexpected(result.error());
      results.push_back(std::move(*result));
      progress.step(spec.name);
    }
  }
  print(results, *syncs);
  if (arguments.json_file.empty()) return 0;
  Report report("journal");
  add_rows(results, *syncs, report);
  if (auto s = report.write(arguments.json_file); !s) return tl::unexpected(s.error());
  return 0;
}

}  // namespace
}  // namespace berth::bench::journal

int main(int argc, char** argv) {
  namespace journal = berth::bench::journal;
  return berth::bench::run_program(journal::program(), {argv + 1, argv + argc}, journal::run);
}
