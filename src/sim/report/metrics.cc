#include "sim/report/metrics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "sim/report/format.h"

namespace berth::sim {
namespace {

double used_gpu_hours(const RunResult& run) {
  double sum = 0;
  for (const ModelUse& use : run.models) sum += use.used_gpu_hours;
  return sum;
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

double mean_waiting_cards(const RunResult& run) {
  double sum = 0;
  for (const Sample& sample : run.samples) sum += sample.waiting_cards;
  return ratio(sum, static_cast<double>(run.samples.size()));
}

struct MetricRow {
  std::string_view name;
  std::string_view label;
  Unit unit;
  Better better;
  double (*value)(const RunResult&);
  bool only_where_any = false;  // left out where no run has it
};

double as_double(std::int64_t value) { return static_cast<double>(value); }

template <std::size_t kCount>
double sum_of(const std::array<std::int64_t, kCount>& counts) {
  return as_double(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
}

constexpr MetricRow kHeadline[] = {
    {"allocated_share", "Cards allocated", Unit::kShare, Better::kHigher, allocated_share},
    {"unschedulable_share", "Free but unschedulable", Unit::kShare, Better::kLower,
     unschedulable_share},
    {"waiting_cards_mean", "Cards waited for", Unit::kCards, Better::kLower, mean_waiting_cards},
    {"used_gpu_hours", "GPU-hours used", Unit::kGpuHours, Better::kHigher, used_gpu_hours},
    {"wait_mean_ms", "Wait, mean", Unit::kDurationMs, Better::kLower,
     [](const RunResult& run) { return run.wait.mean_ms; }},
    {"wait_p99_ms", "Wait, 99th percentile", Unit::kDurationMs, Better::kLower,
     [](const RunResult& run) { return as_double(run.wait.p99_ms); }},
    {"jobs_finished", "Jobs finished", Unit::kCount, Better::kHigher,
     [](const RunResult& run) { return as_double(run.jobs.finished); }},
    {"jobs_waiting", "Jobs waiting at the end", Unit::kCount, Better::kLower,
     [](const RunResult& run) { return as_double(run.jobs.waiting); }},
    {"wait_p50_ms", "Wait, median", Unit::kDurationMs, Better::kLower,
     [](const RunResult& run) { return as_double(run.wait.p50_ms); }},
    {"wait_p90_ms", "Wait, 90th percentile", Unit::kDurationMs, Better::kLower,
     [](const RunResult& run) { return as_double(run.wait.p90_ms); }},
    {"wait_max_ms", "Wait, longest", Unit::kDurationMs, Better::kLower,
     [](const RunResult& run) { return as_double(run.wait.max_ms); }},
    {"jobs_running", "Jobs running at the end", Unit::kCount, Better::kNeither,
     [](const RunResult& run) { return as_double(run.jobs.running); }},
    {"jobs_refused", "Jobs refused", Unit::kCount, Better::kLower,
     [](const RunResult& run) { return as_double(run.jobs.refused); }},
    {"start_up_gpu_hours", "GPU-hours in start-up", Unit::kGpuHours, Better::kLower,
     [](const RunResult& run) { return run.start_up_gpu_hours; }},
    {"lost_gpu_hours", "GPU-hours lost", Unit::kGpuHours, Better::kLower,
     [](const RunResult& run) { return run.work.lost(); }, true},
    {"recomputed_gpu_hours", "GPU-hours done again", Unit::kGpuHours, Better::kLower,
     [](const RunResult& run) { return run.work.recomputed_sum(); }, true},
    {"interruptions", "Interruptions of jobs", Unit::kCount, Better::kLower,
     [](const RunResult& run) { return sum_of(run.interruptions); }, true},
    {"evictions", "Jobs taken back", Unit::kCount, Better::kLower,
     [](const RunResult& run) { return sum_of(run.evictions); }, true},
};

Verdict verdict_of(Better better, double difference) {
  if (better == Better::kNeither) return Verdict::kNeutral;
  return (difference > 0) == (better == Better::kHigher) ? Verdict::kBetter : Verdict::kWorse;
}

std::string relative_text(double change, double base) {
  if (base == 0) return {};
  const double relative = change / std::abs(base);
  return " (" + signed_text(relative, percent_text(std::abs(relative), 1)) + ")";
}

}  // namespace

std::vector<Metric> headline(std::span<const RunResult> runs) {
  std::vector<Metric> metrics;
  for (const MetricRow& row : kHeadline) {
    Metric metric{row.name, row.label, row.unit, row.better, {}};
    for (const RunResult& run : runs) metric.values.push_back(row.value(run));
    const auto is_zero = [](double value) { return value == 0; };
    if (row.only_where_any && std::all_of(metric.values.begin(), metric.values.end(), is_zero)) {
      continue;
    }
    metrics.push_back(std::move(metric));
  }
  return metrics;
}

std::string value_text(Unit unit, double value) {
  switch (unit) {
    case Unit::kShare:
      return percent_text(value, 1);
    case Unit::kDurationMs:
      return duration_text(value);
    case Unit::kCount:
      return number_text(value, 0);
    case Unit::kCards:
      return number_text(value, 1);
    case Unit::kGpuHours:
      return number_text(value, std::abs(value) < 100 ? 1 : 0);
  }
  return {};
}

Difference difference(const Metric& metric, std::size_t run) {
  const double base = metric.values.front();
  Difference result;
  result.value = metric.values[run] - base;
  if (value_text(metric.unit, metric.values[run]) == value_text(metric.unit, base)) {
    result.text = "same";
    return result;
  }
  result.verdict = verdict_of(metric.better, result.value);
  const double magnitude = std::abs(result.value);
  if (metric.unit == Unit::kShare) {
    // Two decimals where one would read as no difference.
    const int decimals = magnitude < 0.0005 ? 2 : 1;
    result.text = signed_text(result.value, number_text(magnitude * 100, decimals) + " points");
    return result;
  }
  result.text = signed_text(result.value, value_text(metric.unit, magnitude)) +
                relative_text(result.value, base);
  return result;
}

double allocated_share(const RunResult& run) {
  double capacity = 0;
  for (const ModelUse& use : run.models) capacity += use.capacity_gpu_hours;
  return ratio(used_gpu_hours(run), capacity);
}

double unschedulable_share(const RunResult& run) {
  const auto by_cause = unschedulable_share_by_cause(run);
  return std::accumulate(by_cause.begin(), by_cause.end(), 0.0);
}

std::array<double, kCauseCount> unschedulable_share_by_cause(const RunResult& run) {
  std::array<double, kCauseCount> shares{};
  const double whole = static_cast<double>(run.samples.size()) * as_double(run.fleet.cards);
  for (std::size_t cause = 0; cause < kCauseCount; ++cause) {
    double sum = 0;
    for (const Sample& sample : run.samples) sum += sample.unschedulable_cards[cause];
    shares[cause] = ratio(sum, whole);
  }
  return shares;
}

std::string_view cause_label(Cause cause) {
  switch (cause) {
    case Cause::kCard:
      return "card too small";
    case Cause::kMig:
      return "MIG placement";
    case Cause::kNode:
      return "node CPU or memory";
    case Cause::kMode:
      return "sharing mode";
    case Cause::kTopology:
      return "topology";
    case Cause::kHealth:
      return "health";
  }
  return {};
}

}  // namespace berth::sim
