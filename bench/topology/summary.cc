#include "bench/topology/summary.h"

#include <algorithm>
#include <iterator>

#include "bench/common/statistics.h"
#include "bench/common/table.h"

namespace berth::bench::topology {
namespace {

constexpr const char* kBar = "leaf_bestfit_small";  // the plain rule that targets speak of

struct Metric {
  const char* name;
  double Figures::*value;
  const char* unit;
  int decimals;
  bool more_is_better;
};

constexpr Metric kMetrics[] = {
    {"leaves_over_min", &Figures::leaves_over_min, "", 3, false},
    {"in_one_leaf_pct", &Figures::in_one_leaf_pct, "%", 1, true},
    {"gang_wait_mean_s", &Figures::gang_wait_mean_s, "s", 0, false},
    {"gang_wait_max_s", &Figures::gang_wait_max_s, "s", 0, false},
    {"other_wait_mean_s", &Figures::other_wait_mean_s, "s", 2, false},
};

std::vector<double> values(const std::vector<Figures>& runs, const Metric& metric) {
  std::vector<double> all;
  for (const Figures& run : runs) all.push_back(run.*metric.value);
  return all;
}

double mean_of(const CaseResult& c, const std::string& policy, double Figures::*value) {
  std::vector<double> all;
  for (const Figures& run : c.figures.at(policy)) all.push_back(run.*value);
  return mean(all);
}

void add_lead(const CaseResult& c, const std::string& policy, const std::string& over,
              const Metric& metric, Report& report) {
  const auto ours = values(c.figures.at(policy), metric);
  const auto theirs = values(c.figures.at(over), metric);
  const auto lead = metric.more_is_better ? differences(ours, theirs) : differences(theirs, ours);
  const bool first = &metric == std::begin(kMetrics);
  const std::string name = "lead_" + over + (first ? "" : std::string("_") + metric.name);
  report.add({c.name, policy, name, mean(lead), metric.unit, lead.size(), population_sd(lead)});
  report.add({c.name, policy, name + "_se", standard_error(lead), metric.unit, lead.size(), {}});
}

// All metrics against the rule that targets speak of, the first one against all others.
void add_leads(const CaseResult& c, const std::string& policy, const std::string& over,
               Report& report) {
  for (const Metric& metric : kMetrics) {
    if (over != kBar && &metric != std::begin(kMetrics)) break;
    add_lead(c, policy, over, metric, report);
  }
}

std::vector<double> engine_seconds(const std::vector<EngineCost>& costs) {
  std::vector<double> all;
  for (const EngineCost& cost : costs) all.push_back(cost.total_s());
  return all;
}

void add_target(Table& table, const std::string& what, double value, double most) {
  table.add({what, fixed(value, 3), "<= " + fixed(most, 3), value <= most ? "met" : "NOT met"});
}

bool is_light(const CaseResult& c) { return c.name.ends_with("0.85"); }

double most_of(const CaseResult& c, const std::string& policy, double Figures::*figure) {
  double most = 0;
  for (const Figures& figures : c.figures.at(policy)) most = std::max(most, figures.*figure);
  return most;
}

// Light load: as near together as can be, and no gang waits. Heavy load: better than each plain
// rule.
void add_targets_without_holds(Table& table, const CaseResult& c) {
  constexpr double kLightRatio = 1.002;
  const std::string who = c.name + ", berth_nohold: ";
  const double leaves = mean_of(c, "berth_nohold", &Figures::leaves_over_min);
  if (is_light(c)) {
    add_target(table, who + "leaves over the least", leaves, kLightRatio);
    add_target(table, who + "longest wait of a gang, s",
               most_of(c, "berth_nohold", &Figures::gang_wait_max_s), 0);
    return;
  }
  double best = mean_of(c, kBar, &Figures::leaves_over_min);
  for (const std::string& rule : baseline_names()) {
    if (c.figures.contains(rule)) {
      best = std::min(best, mean_of(c, rule, &Figures::leaves_over_min));
    }
  }
  add_target(table, who + "leaves over the least", leaves, best);
}

void add_targets_with_holds(Table& table, const CaseResult& c) {
  constexpr double kHeavyRatio = 1.12;
  constexpr double kLongestWaitS = 60'000;
  constexpr double kGangsSlower = 1.5;
  constexpr double kOthersSlower = 1.05;
  const std::string who = c.name + ", berth: ";
  add_target(table, who + "leaves over the least", mean_of(c, "berth", &Figures::leaves_over_min),
             kHeavyRatio);
  add_target(table, who + "longest wait of a gang, s",
             most_of(c, "berth", &Figures::gang_wait_max_s), kLongestWaitS);
  add_target(table, who + "mean wait of a gang, s", mean_of(c, "berth", &Figures::gang_wait_mean_s),
             kGangsSlower * mean_of(c, kBar, &Figures::gang_wait_mean_s));
  add_target(table, who + "mean wait of others, s",
             mean_of(c, "berth", &Figures::other_wait_mean_s),
             kOthersSlower * mean_of(c, kBar, &Figures::other_wait_mean_s));
}

}  // namespace

void add_rows(const std::vector<CaseResult>& results, const std::vector<Contestant>& policies,
              Report& report) {
  for (const CaseResult& c : results) {
    for (const Contestant& policy : policies) {
      for (const Metric& metric : kMetrics) {
        const auto all = values(c.figures.at(policy.name), metric);
        report.add({c.name, policy.name, metric.name, mean(all), metric.unit, all.size(),
                    population_sd(all)});
      }
      if (!policy.is_engine) continue;
      const auto cpu = engine_seconds(c.costs.at(policy.name));
      report.add(
          {c.name, policy.name, "engine_cpu_s", mean(cpu), "s", cpu.size(), population_sd(cpu)});
      for (const Contestant& over : policies) {
        const bool both_engine = over.is_engine && policy.name != "berth";
        if (over.name != policy.name && !both_engine) {
          add_leads(c, policy.name, over.name, report);
        }
      }
    }
  }
}

std::string tables(const std::vector<CaseResult>& results,
                   const std::vector<Contestant>& policies) {
  std::vector<std::string> header = {"case, policy"};
  for (const Metric& metric : kMetrics) header.emplace_back(metric.name);
  Table table(header);
  for (const CaseResult& c : results) {
    for (const Contestant& policy : policies) {
      std::vector<std::string> row = {c.name + ", " + policy.name};
      for (const Metric& metric : kMetrics) {
        row.push_back(fixed(mean(values(c.figures.at(policy.name), metric)), metric.decimals));
      }
      table.add(std::move(row));
    }
  }
  return table.to_text();
}

std::string cost_table(const std::vector<CaseResult>& results) {
  if (results.empty() || results.front().costs.empty()) return "";
  Table table({"CPU s a run", "submit", "report", "plan", "commit", "engine", "learn", "cycles",
               "searches"});
  for (const CaseResult& c : results) {
    for (const auto& [policy, costs] : c.costs) {
      const auto part = [&](auto EngineCost::*member) {
        std::vector<double> all;
        for (const EngineCost& cost : costs) all.push_back(static_cast<double>(cost.*member));
        return mean(all);
      };
      table.add({c.name + ", " + policy, fixed(part(&EngineCost::submit_s), 2),
                 fixed(part(&EngineCost::report_s), 2), fixed(part(&EngineCost::plan_s), 2),
                 fixed(part(&EngineCost::commit_s), 2), fixed(mean(engine_seconds(costs)), 2),
                 fixed(part(&EngineCost::learn_s), 2), fixed(part(&EngineCost::cycles), 0),
                 fixed(part(&EngineCost::searches), 0)});
    }
  }
  return table.to_text();
}

std::string target_table(const std::vector<CaseResult>& results) {
  Table table({"target", "measured", "wanted", ""});
  bool any = false;
  for (const CaseResult& c : results) {
    if (!c.figures.contains(kBar)) continue;
    for (const char* policy : {"berth_nohold", "berth"}) {
      if (!c.figures.contains(policy)) continue;
      any = true;
      if (std::string(policy) == "berth_nohold") {
        add_targets_without_holds(table, c);
      } else if (!is_light(c)) {
        add_targets_with_holds(table, c);
      }
    }
  }
  return any ? table.to_text() : "";
}

}  // namespace berth::bench::topology
