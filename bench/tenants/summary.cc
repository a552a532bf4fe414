#include "bench/tenants/summary.h"

#include <algorithm>
#include <functional>

#include "bench/common/statistics.h"
#include "bench/common/table.h"

namespace berth::bench::tenants {
namespace {

enum class Over { kMean, kMost };

struct Metric {
  const char* name;
  std::function<double(const Outcome& outcome, const Outcome& alone)> value;
  const char* unit;
  int decimals;
  Over over;
};

const std::vector<Metric>& metrics() {
  using O = const Outcome&;
  static const std::vector<Metric> kAll = {
      {"mean_queue_s", [](O o, O) { return o.mean_s; }, "s", 0, Over::kMean},
      {"p99_wait_s", [](O o, O) { return o.p99_s; }, "s", 0, Over::kMean},
      {"max_wait_s", [](O o, O) { return o.max_s; }, "s", 0, Over::kMean},
      {"tenants_worse", [](O o, O a) { return static_cast<double>(tenants_worse(o, a)); }, "", 0,
       Over::kMost},
      {"closest_ratio", [](O o, O a) { return closest_ratio(o, a); }, "", 3, Over::kMost},
      {"max_over_private", [](O o, O a) { return o.max_s / std::max(1.0, a.max_s); }, "", 3,
       Over::kMost}};
  return kAll;
}

std::vector<double> values(const CaseResult& c, const std::string& policy, const Metric& metric) {
  const std::vector<Outcome>& alone = c.outcomes.at(kAlone);
  const std::vector<Outcome>& runs = c.outcomes.at(policy);
  std::vector<double> all;
  for (std::size_t i = 0; i < runs.size(); ++i) all.push_back(metric.value(runs[i], alone[i]));
  return all;
}

double figure(const CaseResult& c, const std::string& policy, const Metric& metric) {
  const std::vector<double> all = values(c, policy, metric);
  return metric.over == Over::kMean ? mean(all) : *std::max_element(all.begin(), all.end());
}

double figure(const CaseResult& c, const std::string& policy, const std::string& name) {
  const auto& all = metrics();
  const auto it =
      std::find_if(all.begin(), all.end(), [&](const Metric& m) { return m.name == name; });
  return figure(c, policy, *it);
}

double taken(const CaseResult& c, double Taken::*part) {
  std::vector<double> all;
  for (const Taken& one : c.taken) all.push_back(one.*part);
  return mean(all);
}

double engine_seconds(const CaseResult& c, double EngineCost::*part) {
  std::vector<double> all;
  for (const EngineCost& cost : c.costs) all.push_back(cost.*part);
  return mean(all);
}

double engine_total(const CaseResult& c) {
  std::vector<double> all;
  for (const EngineCost& cost : c.costs) all.push_back(cost.total_s());
  return mean(all);
}

void add_target(Table& table, const std::string& what, double value, double most, int decimals) {
  table.add({what, fixed(value, decimals), "<= " + fixed(most, decimals),
             value <= most ? "met" : "NOT met"});
}

}  // namespace

void add_rows(const std::vector<CaseResult>& results, const std::vector<std::string>& policies,
              Report& report) {
  for (const CaseResult& c : results) {
    for (const std::string& policy : policies) {
      for (const Metric& metric : metrics()) {
        const auto all = values(c, policy, metric);
        const auto sd =
            metric.over == Over::kMean ? std::optional(population_sd(all)) : std::nullopt;
        report.add(
            {c.name, policy, metric.name, figure(c, policy, metric), metric.unit, all.size(), sd});
      }
    }
    if (c.costs.empty()) continue;
    report.add({c.name, kEngine, "engine_cpu_s", engine_total(c), "s", c.costs.size(), {}});
    report.add({c.name,
                kEngine,
                "learn_cpu_s",
                engine_seconds(c, &EngineCost::learn_s),
                "s",
                c.costs.size(),
                {}});
    if (!c.taken.empty()) {
      const auto add = [&](const char* metric, double Taken::*part, const char* unit) {
        report.add({c.name, kEngine, metric, taken(c, part), unit, c.taken.size(), {}});
      };
      add("evictions", &Taken::evictions, "");
      add("redone_gpu_h", &Taken::redone_gpu_h, "GPU-h");
      add("overhead_gpu_h", &Taken::overhead_gpu_h, "GPU-h");
    }
    report.add({c.name,
                kEngine,
                "starts_changed_by_names",
                static_cast<double>(c.changed_by_names),
                "jobs",
                1,
                {}});
  }
}

std::string tables(const std::vector<CaseResult>& results,
                   const std::vector<std::string>& policies) {
  std::vector<std::string> header = {"case, policy"};
  for (const Metric& metric : metrics()) header.emplace_back(metric.name);
  Table table(header);
  for (const CaseResult& c : results) {
    for (const std::string& policy : policies) {
      std::vector<std::string> row = {c.name + ", " + policy};
      for (const Metric& metric : metrics()) {
        row.push_back(fixed(figure(c, policy, metric), metric.decimals));
      }
      table.add(std::move(row));
    }
  }
  return table.to_text();
}

std::string tenant_table(const CaseResult& result, const std::vector<std::string>& policies,
                         const Trace& trace) {
  std::vector<std::string> header = {result.name + ", mean s of"};
  for (const std::string& policy : policies) header.push_back(policy);
  Table table(header);
  for (std::size_t t = 0; t < trace.names.size(); ++t) {
    std::vector<std::string> row = {trace.names[t]};
    for (const std::string& policy : policies) {
      row.push_back(fixed(result.outcomes.at(policy).front().tenant_mean_s[t], 0));
    }
    table.add(std::move(row));
  }
  return table.to_text();
}

std::string cost_table(const std::vector<CaseResult>& results) {
  Table table({"CPU s a run", "submit", "report", "plan", "commit", "engine", "learn", "cycles"});
  bool any = false;
  for (const CaseResult& c : results) {
    if (c.costs.empty()) continue;
    any = true;
    table.add({c.name, fixed(engine_seconds(c, &EngineCost::submit_s), 2),
               fixed(engine_seconds(c, &EngineCost::report_s), 2),
               fixed(engine_seconds(c, &EngineCost::plan_s), 2),
               fixed(engine_seconds(c, &EngineCost::commit_s), 2), fixed(engine_total(c), 2),
               fixed(engine_seconds(c, &EngineCost::learn_s), 2),
               fixed(static_cast<double>(c.costs.front().cycles), 0)});
  }
  return any ? table.to_text() : "";
}

std::string taken_table(const std::vector<CaseResult>& results) {
  Table table({"taken back", "evictions", "redone GPU-h", "checkpoints and restarts GPU-h"});
  bool any = false;
  for (const CaseResult& c : results) {
    if (c.taken.empty()) continue;
    any = true;
    table.add({c.name, fixed(taken(c, &Taken::evictions), 0),
               fixed(taken(c, &Taken::redone_gpu_h), 0),
               fixed(taken(c, &Taken::overhead_gpu_h), 0)});
  }
  return any ? table.to_text() : "";
}

std::string target_table(const std::vector<CaseResult>& results) {
  Table table({"target", "measured", "wanted", ""});
  bool any = false;
  for (const CaseResult& c : results) {
    if (c.costs.empty()) continue;
    any = true;
    const double mean_s = figure(c, kEngine, "mean_queue_s");
    if (c.name == "s5") add_target(table, "s5: mean wait, s", mean_s, 12'000, 0);
    if (c.name == "s7") add_target(table, "s7: mean wait, s", mean_s, 30'000, 0);
    if (c.name == "s5-reclaim") add_target(table, "s5-reclaim: mean wait, s", mean_s, 2'500, 0);
    if (c.name == "s7-reclaim") add_target(table, "s7-reclaim: mean wait, s", mean_s, 16'500, 0);
    if (c.name == "s5-hourly") add_target(table, "s5-hourly: mean wait, s", mean_s, 3'500, 0);
    if (c.name == "s7-hourly") add_target(table, "s7-hourly: mean wait, s", mean_s, 19'500, 0);
    add_target(table, c.name + ": tenants worse than alone", figure(c, kEngine, "tenants_worse"), 0,
               0);
    add_target(table, c.name + ": longest wait over that alone",
               figure(c, kEngine, "max_over_private"), 1, 3);
    add_target(table, c.name + ": starts changed by names", static_cast<double>(c.changed_by_names),
               0, 0);
  }
  return any ? table.to_text() : "";
}

}  // namespace berth::bench::tenants
