#include "bench/quota/summary.h"

#include <optional>

#include "bench/common/statistics.h"
#include "bench/common/table.h"
#include "bench/quota/published.h"

namespace berth::bench::quota {
namespace {

constexpr const char* kOurs = "berth";
constexpr const char* kStrict = "strict_ref";
constexpr const char* kSkipping = "skipping_ref";
constexpr const char* kKueue = "kueue_published";

void add_outcome(const CaseResult& result, const std::string& policy, const Outcome& outcome,
                 Report& report) {
  const auto add = [&](const std::string& metric, double value, const char* unit) {
    report.add({result.name, policy, metric, value, unit, 1, {}});
  };
  add("makespan_s", outcome.makespan_s, "s");
  add("usage_pct", outcome.usage_pct, "%");
  for (const auto& [name, mean_s] : outcome.admit_mean_s) {
    add("admit_mean_s_" + name, mean_s, "s");
  }
}

// By the definition of Outcome, from the published run time.
double usage_pct(const CaseResult& result, const Published& kueue) {
  return 100 * result.work_cpu_s / (result.quota_cpus * kueue.wall_s);
}

void add_published(const CaseResult& result, const Published& kueue, Report& report) {
  const auto add = [&](const std::string& metric, double value, const char* unit) {
    report.add(
        {result.name, kKueue, metric, value, unit, static_cast<std::size_t>(kueue.runs), {}});
  };
  add("makespan_s", kueue.wall_s, "s");
  add("usage_pct", usage_pct(result, kueue), "%");
  add("quota_held_pct", kueue.quota_held_pct, "%");
  for (const PublishedAdmission& admission : kueue.admission) {
    add("admit_mean_s_" + std::string(admission.class_name), admission.mean_s, "s");
  }
}

std::vector<double> engine_seconds(const CaseResult& result) {
  std::vector<double> all;
  for (const EngineRun& run : result.runs) all.push_back(run.cost.total_s());
  return all;
}

std::string admission_text(const Published* kueue, const std::string& class_name) {
  if (kueue == nullptr) return "";
  for (const PublishedAdmission& admission : kueue->admission) {
    if (admission.class_name == class_name) return fixed(admission.mean_s, 2);
  }
  return "";
}

}  // namespace

void add_rows(const CaseResult& result, Report& report) {
  add_outcome(result, kOurs, result.runs.front().outcome, report);
  const auto cpu = engine_seconds(result);
  report.add({result.name, kOurs, "engine_cpu_s", mean(cpu), "s", cpu.size(), population_sd(cpu)});
  report.add({result.name,
              kOurs,
              "engine_cpu_us_per_workload",
              mean(cpu) * 1e6 / static_cast<double>(result.workloads),
              "us",
              cpu.size(),
              {}});
  add_outcome(result, kStrict, result.strict, report);
  add_outcome(result, kSkipping, result.skipping, report);
  const Published* kueue = published(result.name);
  if (kueue != nullptr) add_published(result, *kueue, report);
}

std::string table(const CaseResult& result) {
  const Published* kueue = published(result.name);
  const Outcome& ours = result.runs.front().outcome;
  Table table({result.name, kOurs, kStrict, kSkipping, kKueue});
  const auto add = [&](const std::string& what, double Outcome::*value, double theirs) {
    table.add({what, fixed(ours.*value, 2), fixed(result.strict.*value, 2),
               fixed(result.skipping.*value, 2), kueue == nullptr ? "" : fixed(theirs, 2)});
  };
  add("makespan, s", &Outcome::makespan_s, kueue == nullptr ? 0 : kueue->wall_s);
  add("usage, %", &Outcome::usage_pct, kueue == nullptr ? 0 : usage_pct(result, *kueue));
  for (const auto& [name, mean_s] : ours.admit_mean_s) {
    table.add({"admission, s: " + name, fixed(mean_s, 2),
               fixed(result.strict.admit_mean_s.at(name), 2),
               fixed(result.skipping.admit_mean_s.at(name), 2), admission_text(kueue, name)});
  }
  return table.to_text();
}

std::string cost_table(const std::vector<CaseResult>& results) {
  Table table({"CPU s a run", "submit", "report", "plan", "commit", "engine", "us a workload",
               "learn", "cycles", "turns", "searches"});
  for (const CaseResult& result : results) {
    const auto part = [&](auto EngineCost::*member, int decimals) {
      std::vector<double> all;
      for (const EngineRun& run : result.runs) {
        all.push_back(static_cast<double>(run.cost.*member));
      }
      return fixed(mean(all), decimals);
    };
    const double cpu_s = mean(engine_seconds(result));
    table.add({result.name, part(&EngineCost::submit_s, 2), part(&EngineCost::report_s, 2),
               part(&EngineCost::plan_s, 2), part(&EngineCost::commit_s, 2), fixed(cpu_s, 2),
               fixed(cpu_s * 1e6 / static_cast<double>(result.workloads), 1),
               part(&EngineCost::learn_s, 2), part(&EngineCost::cycles, 0),
               part(&EngineCost::turns, 0), part(&EngineCost::searches, 0)});
  }
  return table.to_text();
}

}  // namespace berth::bench::quota
