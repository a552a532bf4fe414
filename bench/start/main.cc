// start: how long a server takes to come up on the journal of a large fleet, and the memory that it
// needs. The fleet is that of bench/scale: 131,072 cards in 16,384 nodes, 1,000 queues, 100,000
// leases, 50,000 waiting jobs. Its history is in a SQLite journal with a snapshot and a tail of
// 100,000 events after it, in which jobs end, come and are placed. The server is the shipped
// program in a process of its own; time is from its start until it has answered /v1/cluster, with
// the file in the page cache; memory is its peak resident set until ten seconds later, with the
// state of the writer, the planner and the readers.
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
#include "bench/start/measure.h"
#include "journal/journal_testing.h"

namespace berth::bench::start {
namespace {

constexpr std::size_t kRuns = 3;
constexpr std::size_t kTail = 100'000;

Program program() {
  using Takes = ExtraOption::Takes;
  return {"start",
          "How long a server takes to come up on the journal of a large fleet, and its memory.\n"
          "BERTH_DATA names the folder of GPU models.",
          kRuns,
          Traces::kNone,
          {{"--part",
            "N",
            "one Nth of nodes, tasks, jobs and tail: 1, 2, 4, 8, 16 or 32",
            Takes::kOneOf,
            {"1", "2", "4", "8", "16", "32"}}}};
}

struct Outcomes {
  std::vector<double> ready_s, answer_s, bytes;
};

void print(const MadeJournal& made, const Outcomes& all) {
  std::printf(
      "%zu cards, %zu leases, %zu waiting jobs; a snapshot of %s MB and %zu events after it\n",
      made.cards, made.leases, made.waiting,
      fixed(static_cast<double>(made.state_bytes) / 1e6, 1).c_str(), made.tail);
  Table table({"case", "ready s", "first answer s", "peak MB"});
  table.add({std::to_string(made.cards), fixed(mean(all.ready_s), 2), fixed(mean(all.answer_s), 2),
             fixed(mean(all.bytes) / 1e6, 0)});
  std::fputs(table.to_text().c_str(), stdout);
}

void add_rows(const MadeJournal& made, const Outcomes& all, Report& report) {
  const auto add = [&](const char* metric, const char* unit, const std::vector<double>& values) {
    report.add_mean(std::to_string(made.cards), metric, unit, values);
  };
  add("ready_s", "s", all.ready_s);
  add("cold_start_s", "s", all.answer_s);
  add("memory_bytes", "B", all.bytes);
}

Result<int> run(const Arguments& arguments) {
  const std::size_t part = arguments.count("--part", 1);
  scale::Size size;
  size.nodes /= part;
  const journal::testing::TemporaryFolder folder;
  const std::string path = folder.file("journal.sqlite");
  const auto made = make_journal(path, size, kTail / part);
  if (!made) return tl::unexpected(made.error());
  Outcomes all;
  for (std::size_t r = 0; r < arguments.seeds; ++r) {
    const auto outcome = measure(path, *made);
    if (!outcome) return tl::unexpected(outcome.error());
    all.ready_s.push_back(outcome->ready_s);
    all.answer_s.push_back(outcome->answer_s);
    all.bytes.push_back(static_cast<double>(outcome->peak_bytes));
  }
  print(*made, all);
  if (arguments.json_file.empty()) return 0;
  Report report("start");
  add_rows(*made, all, report);
  if (auto s = report.write(arguments.json_file); !s) return tl::unexpected(s.error());
  return 0;
}

}  // namespace
}  // namespace berth::bench::start

int main(int argc, char** argv) {
  namespace start = berth::bench::start;
  return berth::bench::run_program(start::program(), {argv + 1, argv + argc}, start::run);
}
