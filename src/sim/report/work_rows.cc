#include "sim/report/work_rows.h"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace berth::sim {
namespace {

std::string_view label_of(Spending spending) {
  switch (spending) {
    case Spending::kUseful:
      return "useful work";
    case Spending::kPrepare:
      return "prepared for the start";
    case Spending::kStartUp:
      return "start-up";
    case Spending::kCheckpoint:
      return "checkpoints of its own";
    case Spending::kCheckpointAsked:
      return "checkpoints on request";
    case Spending::kSuspend:
      return "suspended and resumed";
    case Spending::kRestart:
      return "started again";
    case Spending::kDraining:
      return "idle while draining";
    case Spending::kStalled:
      return "waited for what was lost";
  }
  return {};
}

std::string_view label_of(Interruption cause) {
  switch (cause) {
    case Interruption::kEviction:
      return "an eviction";
    case Interruption::kNodeFailure:
      return "a node failure";
    case Interruption::kCardFailure:
      return "a card failure";
    case Interruption::kSpotInterruption:
      return "a spot interruption";
    case Interruption::kCrash:
      return "a crash of its own";
  }
  return {};
}

template <typename Row, typename Value>
void add_row(std::vector<Row>& rows, std::string label, const std::vector<Value>& values) {
  const bool any = std::any_of(values.begin(), values.end(), [](Value v) { return v > 0; });
  if (any) rows.push_back({std::move(label), values});
}

template <typename Get>
auto of_each(std::span<const RunResult> runs, Get get) {
  std::vector<decltype(get(runs.front()))> values;
  for (const RunResult& run : runs) values.push_back(get(run));
  return values;
}

}  // namespace

std::string spending_text(Spending spending) { return std::string(label_of(spending)); }

std::string interruption_text(Interruption cause) { return std::string(label_of(cause)); }

bool shows_work(std::span<const RunResult> runs) {
  return std::any_of(runs.begin(), runs.end(), [](const RunResult& run) {
    return run.work.lost() > 0 || !hit_rows({&run, 1}).empty();
  });
}

std::vector<WorkRow> work_rows(std::span<const RunResult> runs) {
  std::vector<WorkRow> rows;
  for (std::size_t i = 0; i < kSpendingCount; ++i) {
    add_row(rows, std::string(label_of(static_cast<Spending>(i))),
            of_each(runs, [&](const RunResult& run) { return run.work.spent[i]; }));
  }
  for (std::size_t i = 0; i < kInterruptionCount; ++i) {
    const std::string cause(label_of(static_cast<Interruption>(i)));
    add_row(rows, "done again after " + cause,
            of_each(runs, [&](const RunResult& run) { return run.work.recomputed[i]; }));
  }
  return rows;
}

std::vector<HitRow> hit_rows(std::span<const RunResult> runs) {
  std::vector<HitRow> rows;
  for (std::size_t i = 0; i < kInterruptionCount; ++i) {
    const std::string cause(label_of(static_cast<Interruption>(i)));
    add_row(rows, "interrupted by " + cause,
            of_each(runs, [&](const RunResult& run) { return run.interruptions[i]; }));
  }
  for (std::size_t i = 0; i < kGradeCount; ++i) {
    const std::string grade(word(static_cast<ReclaimGrade>(i)));
    add_row(rows, "taken back by " + grade,
            of_each(runs, [&](const RunResult& run) { return run.evictions[i]; }));
  }
  return rows;
}

std::vector<WorkRow> team_loss_rows(std::span<const RunResult> runs) {
  std::vector<WorkRow> rows;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (const TeamWork& team : runs[r].team_work) {
      const auto named = [&](const WorkRow& row) { return row.label == team.name; };
      auto at = std::find_if(rows.begin(), rows.end(), named);
      if (at == rows.end()) {
        at = rows.insert(rows.end(), {team.name, std::vector<double>(runs.size(), 0)});
      }
      at->hours[r] = team.work.lost();
    }
  }
  std::erase_if(rows, [](const WorkRow& row) {
    return std::accumulate(row.hours.begin(), row.hours.end(), 0.0) <= 0;
  });
  return rows;
}

double leased_hours(const RunResult& run) {
  return std::accumulate(run.work.spent.begin(), run.work.spent.end(), run.work.recomputed_sum());
}

}  // namespace berth::sim
