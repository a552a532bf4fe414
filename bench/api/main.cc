// api: how many jobs a second a server takes, each one durable before its own request is answered,
// while 1,000 event streams are open, each of one queue. Load tool, watchers, server and etcd share
// this machine; the load tool (wrk, closed loop) is a single thread whose CPU is told beside. After
// the load the leader is killed with SIGKILL: what was answered must be there, and the streams must
// have told of every job.
#include <cstdio>
#include <string>
#include <vector>

#include "bench/api/measure.h"
#include "bench/common/arguments.h"
#include "bench/common/entry.h"
#include "bench/common/progress.h"
#include "bench/common/report.h"
#include "bench/common/statistics.h"
#include "bench/common/table.h"

namespace berth::bench::api {
namespace {

constexpr std::size_t kRuns = 3;

Program program() {
  using Takes = ExtraOption::Takes;
  return {"api",
          "Jobs a second that a server makes durable, each in its own request, under open streams.",
          kRuns,
          Traces::kNone,
          {{"--cases", "A,B", "only these", Takes::kSomeOf, kBackEnds},
           {"--streams", "N", "open event streams; default: 1000", Takes::kCount},
           {"--connections", "N", "of the load tool; default: 64", Takes::kCount},
           {"--seconds", "N", "of load in each run; default: 10", Takes::kCount}}};
}

struct CaseResult {
  BackEnd back_end;
  std::vector<double> rate, p50, p99, streams, tool_cpu, server_cpu;
};

// What would make a figure worth nothing.
Status check(const Outcome& outcome, std::size_t streams) {
  const auto number = [](std::uint64_t n) { return std::to_string(n); };
  if (outcome.load.refused + outcome.load.broken > 0) {
    return fail(ErrorCode::kCorrupt, number(outcome.load.refused) + " submits were refused and " +
                                         number(outcome.load.broken) + " not answered");
  }
  if (outcome.survived < outcome.load.submits) {
    return fail(ErrorCode::kCorrupt, number(outcome.load.submits) + " jobs were answered and " +
                                         number(outcome.survived) + " are there after kill -9");
  }
  if (outcome.streams < streams || outcome.told < outcome.load.submits) {
    return fail(ErrorCode::kCorrupt, number(outcome.streams) + " streams stand and have told " +
                                         number(outcome.told) + " of " +
                                         number(outcome.load.submits) + " jobs");
  }
  return {};
}

Result<CaseResult> measured(const RunSpec& spec, std::size_t runs, Progress& progress) {
  CaseResult result{spec.back_end, {}, {}, {}, {}, {}, {}};
  for (std::size_t run = 0; run < runs; ++run) {
    const auto outcome = measure(spec);
    if (!outcome) return tl::unexpected(outcome.error());
    if (auto s = check(*outcome, spec.streams); !s) return tl::unexpected(s.error());
    result.rate.push_back(static_cast<double>(outcome->load.submits) / outcome->load.seconds);
    result.p50.push_back(outcome->load.p50_ms);
    result.p99.push_back(outcome->load.p99_ms);
    result.streams.push_back(static_cast<double>(outcome->streams));
    result.tool_cpu.push_back(outcome->load.tool_cpu_s);
    result.server_cpu.push_back(outcome->server_cpu_s);
    progress.step(std::string(word(spec.back_end)));
  }
  return result;
}

void print(const std::vector<CaseResult>& results) {
  Table table(
      {"case", "submits/s", "p50 ms", "p99 ms", "streams", "load tool CPU s", "server CPU s"});
  for (const CaseResult& r : results) {
    table.add({std::string(word(r.back_end)), fixed(mean(r.rate), 0), fixed(mean(r.p50), 1),
               fixed(mean(r.p99), 1), fixed(mean(r.streams), 0), fixed(mean(r.tool_cpu), 1),
               fixed(mean(r.server_cpu), 1)});
  }
  std::fputs(table.to_text().c_str(), stdout);
}

void add_rows(const std::vector<CaseResult>& results, Report& report) {
  for (const CaseResult& r : results) {
    const auto add = [&](const char* metric, const char* unit, const std::vector<double>& values) {
      report.add_mean(std::string(word(r.back_end)), metric, unit, values);
    };
    add("submits_per_s", "1/s", r.rate);
    add("submit_p50_ms", "ms", r.p50);
    add("submit_p99_ms", "ms", r.p99);
    add("watch_streams", "", r.streams);
    add("load_tool_cpu_s", "s", r.tool_cpu);
    add("server_cpu_s", "s", r.server_cpu);
  }
}

Result<int> run(const Arguments& arguments) {
  std::vector<CaseResult> results;
  {
    const std::vector<BackEnd> chosen = chosen_back_ends(arguments);
    Progress progress("api", chosen.size() * arguments.seeds);
    for (const BackEnd back_end : chosen) {
      const RunSpec spec{back_end, arguments.count("--streams", 1000),
                         arguments.count("--connections", 64),
                         static_cast<int>(arguments.count("--seconds", 10))};
      auto result = measured(spec, arguments.seeds, progress);
      if (!result) return tl::unexpected(result.error());
      results.push_back(std::move(*result));
    }
  }
  print(results);
  if (arguments.json_file.empty()) return 0;
  Report report("api");
  add_rows(results, report);
  if (auto s = report.write(arguments.json_file); !s) return tl::unexpected(s.error());
  return 0;
}

}  // namespace
}  // namespace berth::bench::api

int main(int argc, char** argv) {
  namespace api = berth::bench::api;
  return berth::bench::run_program(api::program(), {argv + 1, argv + argc}, api::run);
}
