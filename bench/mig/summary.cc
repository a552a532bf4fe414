#include "bench/mig/summary.h"

#include <algorithm>
#include <cmath>

#include "bench/common/statistics.h"
#include "bench/common/table.h"

namespace berth::bench::mig {
namespace {

constexpr const char* kPolicies[] = {"ff",
                                     "rr",
                                     "bf",
                                     "wf",
                                     "mfi",
                                     "fgd",
                                     "berth",
                                     "berth_untrained",
                                     "berth_migrate",
                                     "free_migration_ref"};
constexpr const char* kOurs[] = {"berth", "berth_untrained", "berth_migrate"};
constexpr const char* kBars[] = {"bf", "mfi", "fgd"};

using Measure = double (Score::*)() const;

std::vector<double> values(const Scores& scores, const std::string& policy, Measure measure) {
  std::vector<double> result;
  for (const Score& score : scores.at(policy)) result.push_back((score.*measure)());
  return result;
}

std::vector<double> leads(const Scores& scores, const std::string& of, const std::string& over,
                          Measure measure) {
  return differences(values(scores, of, measure), values(scores, over, measure));
}

double mean_of(const CaseResult& c, const std::string& policy, Measure measure) {
  return mean(values(c.scores, policy, measure));
}

double mean_lead(const CaseResult& c, const std::string& over, Measure measure) {
  return mean(leads(c.scores, "berth", over, measure));
}

double moves_pct(const CaseResult& c) {
  std::vector<double> shares;
  for (const Score& s : c.scores.at("berth_migrate")) {
    shares.push_back(100 * static_cast<double>(s.moves) / s.jobs);
  }
  return mean(shares);
}

// To the best of the bars, each by its mean memory-time.
double lead_over_best(const CaseResult& c) {
  double best = 0;
  for (const char* bar : kBars) best = std::max(best, mean_of(c, bar, &Score::memory_time_pct));
  return mean_of(c, "berth", &Score::memory_time_pct) - best;
}

void add_value(Report& report, const std::string& name, const std::string& policy,
               const std::string& metric, const std::vector<double>& all) {
  report.add({name, policy, metric, mean(all), "%", all.size(), population_sd(all)});
}

void add_lead(Report& report, const CaseResult& c, const std::string& policy,
              const std::string& over) {
  const auto memory = leads(c.scores, policy, over, &Score::memory_time_pct);
  const auto jobs = leads(c.scores, policy, over, &Score::acceptance_pct);
  const std::string metric = "lead_" + over;
  report.add(
      {c.name, policy, metric, mean(memory), "points", memory.size(), population_sd(memory)});
  report.add({c.name, policy, metric + "_se", standard_error(memory), "points", memory.size(), {}});
  report.add({c.name, policy, metric + "_acceptance", mean(jobs), "points", jobs.size(),
              population_sd(jobs)});
}

// Means over the runs of each mix, as values of one case.
void add_random_rows(const Comparison& comparison, Report& report) {
  const std::string name = "random/1.0";
  const auto over_mixes = [&](const auto& of_case) {
    std::vector<double> all;
    for (const CaseResult& c : comparison.random) all.push_back(of_case(c));
    return all;
  };
  for (const char* policy : kPolicies) {
    add_value(report, name, policy, "acceptance_pct", over_mixes([&](const CaseResult& c) {
                return mean_of(c, policy, &Score::acceptance_pct);
              }));
    add_value(report, name, policy, "memory_time_pct", over_mixes([&](const CaseResult& c) {
                return mean_of(c, policy, &Score::memory_time_pct);
              }));
  }
  for (const char* bar : kBars) {
    const auto memory =
        over_mixes([&](const CaseResult& c) { return mean_lead(c, bar, &Score::memory_time_pct); });
    const auto jobs =
        over_mixes([&](const CaseResult& c) { return mean_lead(c, bar, &Score::acceptance_pct); });
    const std::string metric = std::string("lead_") + bar;
    for (const char* policy : {"berth", "berth_untrained"}) {
      report.add(
          {name, policy, metric, mean(memory), "points", memory.size(), population_sd(memory)});
      report.add(
          {name, policy, metric + "_se", standard_error(memory), "points", memory.size(), {}});
      report.add({name, policy, metric + "_acceptance", mean(jobs), "points", jobs.size(),
                  population_sd(jobs)});
    }
  }
  const auto to_best = over_mixes(lead_over_best);
  const double worst = *std::min_element(to_best.begin(), to_best.end());
  for (const char* policy : {"berth", "berth_untrained"}) {
    report.add({"random_worst/1.0", policy, "lead_best", worst, "points", to_best.size(), {}});
  }
}

std::string pair_text(const CaseResult& c, const std::string& policy) {
  return fixed(mean_of(c, policy, &Score::acceptance_pct), 2) + "/" +
         fixed(mean_of(c, policy, &Score::memory_time_pct), 2);
}

const CaseResult* find_case(const Comparison& comparison, const std::string& name) {
  for (const CaseResult& c : comparison.named) {
    if (c.name == name) return &c;
  }
  return nullptr;
}

void add_named_targets(const Comparison& comparison, std::vector<Target>& all) {
  const std::pair<const char*, double> kLeads[] = {
      {"uniform", 0.3}, {"small", 2.3}, {"big", 0.05}, {"bimodal", 0.35}};
  for (const auto& [mix, bound] : kLeads) {
    const CaseResult* c = find_case(comparison, std::string(mix) + "/1.0");
    if (c == nullptr) continue;
    const std::string name = mix;
    all.push_back({name + ": memory-time lead over fgd",
                   mean_lead(*c, "fgd", &Score::memory_time_pct), bound});
    all.push_back(
        {name + ": acceptance lead over fgd", mean_lead(*c, "fgd", &Score::acceptance_pct), -0.05});
    all.push_back({name + ": moves, % of accepted (berth_migrate)", moves_pct(*c), 5, true});
  }
  if (const CaseResult* c = find_case(comparison, "uniform/1.0")) {
    const auto lead = leads(c->scores, "berth_migrate", "berth", &Score::memory_time_pct);
    all.push_back({"uniform: memory-time of berth_migrate over berth", mean(lead), 1.3});
  }
}

}  // namespace

void add_rows(const Comparison& comparison, Report& report) {
  for (const CaseResult& c : comparison.named) {
    for (const char* policy : kPolicies) {
      add_value(report, c.name, policy, "acceptance_pct",
                values(c.scores, policy, &Score::acceptance_pct));
      add_value(report, c.name, policy, "memory_time_pct",
                values(c.scores, policy, &Score::memory_time_pct));
    }
    for (const char* policy : kOurs) {
      for (const char* bar : kBars) add_lead(report, c, policy, bar);
    }
    add_lead(report, c, "berth_migrate", "berth");
    report.add({c.name,
                "berth_migrate",
                "moves_pct",
                moves_pct(c),
                "%",
                c.scores.at("berth_migrate").size(),
                {}});
  }
  if (!comparison.random.empty()) add_random_rows(comparison, report);
}

std::string tables(const Comparison& comparison) {
  std::vector<std::string> header = {"acceptance / memory-time, %"};
  for (const char* policy : kPolicies) {
    if (std::string(policy) != "berth_untrained") header.push_back(policy);
  }
  Table named(header);
  for (const CaseResult& c : comparison.named) {
    std::vector<std::string> row = {c.name};
    for (std::size_t p = 1; p < header.size(); ++p) row.push_back(pair_text(c, header[p]));
    named.add(std::move(row));
  }
  Table random({"mix (seed: shares)", "bf", "mfi", "fgd", "berth", "to the best"});
  for (const CaseResult& c : comparison.random) {
    std::string name = c.mix.name + ":";
    for (const double share : c.mix.shares) name += " " + fixed(share, 3);
    std::vector<std::string> row = {name};
    for (const char* bar : kBars) row.push_back(fixed(mean_of(c, bar, &Score::memory_time_pct), 2));
    row.push_back(fixed(mean_of(c, "berth", &Score::memory_time_pct), 2));
    row.push_back(with_sign(lead_over_best(c), 3));
    random.add(std::move(row));
  }
  return named.to_text() +
         "\nberth_untrained is berth: none of its candidates was fitted to these mixes.\n\n"
         "Random mixes at load 1.0, memory-time %\n" +
         random.to_text();
}

std::vector<Target> targets(const Comparison& comparison) {
  std::vector<Target> all;
  add_named_targets(comparison, all);
  if (comparison.random.empty()) return all;
  std::vector<double> to_best;
  for (const CaseResult& c : comparison.random) to_best.push_back(lead_over_best(c));
  all.push_back({"random mixes: least lead over the best of bf, mfi, fgd",
                 *std::min_element(to_best.begin(), to_best.end()), -0.1});
  for (const char* bar : kBars) {
    std::vector<double> lead;
    for (const CaseResult& c : comparison.random) {
      lead.push_back(mean_lead(c, bar, &Score::memory_time_pct));
    }
    all.push_back({std::string("random mixes: mean lead over ") + bar, mean(lead), 0.6});
  }
  return all;
}

std::string target_table(const std::vector<Target>& targets) {
  Table table({"target", "measured", "wanted", ""});
  for (const Target& t : targets) {
    table.add({t.what, with_sign(t.value, 3), (t.at_most ? "<= " : ">= ") + fixed(t.bound, 2),
               t.met() ? "met" : "NOT met"});
  }
  return table.to_text();
}

}  // namespace berth::bench::mig
