#include "bench/preempt/summary.h"

#include "bench/common/statistics.h"
#include "bench/common/table.h"

namespace berth::bench::preempt {
namespace {

struct Metric {
  const char* name;
  double Figures::*value;
  const char* unit;
  int decimals;
};

constexpr Metric kMetrics[] = {
    {"evictions", &Figures::evictions, "", 0},
    {"eviction_rate", &Figures::eviction_rate, "", 4},
    {"lost_gpu_h", &Figures::lost_gpu_h, "GPU-h", 1},
    {"lost_recompute_gpu_h", &Figures::lost_recompute_gpu_h, "GPU-h", 1},
    {"lost_checkpoint_gpu_h", &Figures::lost_checkpoint_gpu_h, "GPU-h", 1},
    {"lost_drain_gpu_h", &Figures::lost_drain_gpu_h, "GPU-h", 1},
    {"lost_silent_gpu_h", &Figures::lost_silent_gpu_h, "GPU-h", 1},
    {"beyond_bound", &Figures::beyond_bound, "jobs", 0},
    {"spot_queue_mean_s", &Figures::spot_queue_mean_s, "s", 0},
    {"spot_queue_p99_s", &Figures::spot_queue_p99_s, "s", 0},
    {"hp_queue_mean_s", &Figures::hp_queue_mean_s, "s", 1},
    {"hp_queue_p99_s", &Figures::hp_queue_p99_s, "s", 1},
    {"hp_within_60s_pct", &Figures::hp_within_60s_pct, "%", 2},
    {"alloc_pct", &Figures::alloc_pct, "%", 2},
    {"useful_pct", &Figures::useful_pct, "%", 2},
    {"cpu_s", &Figures::cpu_s, "s", 1},
};

std::vector<double> values(const std::vector<Figures>& runs, double Figures::*value) {
  std::vector<double> all;
  for (const Figures& run : runs) all.push_back(run.*value);
  return all;
}

double mean_of(const CaseResult& c, const std::string& policy, double Figures::*value) {
  return mean(values(c.figures.at(policy), value));
}

void add_lead(const CaseResult& c, const std::string& over, Report& report) {
  const auto lead = differences(values(c.figures.at(over), &Figures::lost_gpu_h),
                                values(c.figures.at(kOurs), &Figures::lost_gpu_h));
  const std::string name = "lead_" + over;
  report.add({c.name, kOurs, name, mean(lead), "GPU-h", lead.size(), population_sd(lead)});
  report.add({c.name, kOurs, name + "_se", standard_error(lead), "GPU-h", lead.size(), {}});
}

void add_most(Table& table, const std::string& what, double value, double most, int decimals) {
  table.add({what, fixed(value, decimals), "<= " + fixed(most, decimals),
             value <= most ? "met" : "NOT met"});
}

void add_least(Table& table, const std::string& what, double value, double least, int decimals) {
  table.add({what, fixed(value, decimals), ">= " + fixed(least, decimals),
             value >= least ? "met" : "NOT met"});
}

// Less lost, while urgent work starts as soon and as much is allocated. Fixed parts lose nothing:
// they are held against allocation alone.
void add_targets(Table& table, const CaseResult& c, const Contestant& over) {
  constexpr double kEqualAllocation = 0.2;  // points
  constexpr double kEqualStarts = 0.05;
  const auto ours = [&](double Figures::*value) { return mean_of(c, kOurs, value); };
  const auto theirs = [&](double Figures::*value) { return mean_of(c, over.name, value); };
  const std::string who = c.name + ", against " + over.name + ": ";
  add_least(table, who + "allocated, %", ours(&Figures::alloc_pct),
            theirs(&Figures::alloc_pct) - kEqualAllocation, 2);
  if (over.split == Split::kFixed) return;
  add_most(table, who + "lost GPU-hours", ours(&Figures::lost_gpu_h), theirs(&Figures::lost_gpu_h),
           1);
  add_least(table, who + "urgent work that starts within 60 s, %",
            ours(&Figures::hp_within_60s_pct), theirs(&Figures::hp_within_60s_pct) - kEqualStarts,
            2);
  add_most(table, who + "p99 of urgent work, s", ours(&Figures::hp_queue_p99_s),
           theirs(&Figures::hp_queue_p99_s), 1);
}

}  // namespace

void add_rows(const std::vector<CaseResult>& results, const std::vector<Contestant>& policies,
              Report& report) {
  for (const CaseResult& c : results) {
    for (const Contestant& policy : policies) {
      for (const Metric& metric : kMetrics) {
        const auto all = values(c.figures.at(policy.name), metric.value);
        report.add({c.name, policy.name, metric.name, mean(all), metric.unit, all.size(),
                    population_sd(all)});
      }
    }
    if (!c.figures.contains(kOurs)) continue;
    for (const Contestant& policy : policies) {
      if (policy.name != kOurs) add_lead(c, policy.name, report);
    }
  }
}

std::string tables(const std::vector<CaseResult>& results,
                   const std::vector<Contestant>& policies) {
  std::string text;
  for (const CaseResult& c : results) {
    std::vector<std::string> header = {c.name};
    for (const Contestant& policy : policies) header.push_back(policy.name);
    Table table(header);
    for (const Metric& metric : kMetrics) {
      std::vector<std::string> row = {metric.name};
      for (const Contestant& policy : policies) {
        row.push_back(fixed(mean_of(c, policy.name, metric.value), metric.decimals));
      }
      table.add(std::move(row));
    }
    text += (text.empty() ? "" : "\n") + table.to_text();
  }
  return text;
}

std::string target_table(const std::vector<CaseResult>& results,
                         const std::vector<Contestant>& policies) {
  Table table({"target", "measured", "wanted", ""});
  bool any = false;
  for (const CaseResult& c : results) {
    if (!c.figures.contains(kOurs) || c.name != "measured-cost") continue;
    any = true;
    add_most(table, c.name + ": jobs that lost more than a checkpoint and a restart each time",
             mean_of(c, kOurs, &Figures::beyond_bound), 0, 0);
    for (const Contestant& policy : policies) {
      if (policy.name != kOurs) add_targets(table, c, policy);
    }
  }
  return any ? table.to_text() : "";
}

}  // namespace berth::bench::preempt
