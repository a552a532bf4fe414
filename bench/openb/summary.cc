#include "bench/openb/summary.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "bench/common/statistics.h"
#include "bench/common/table.h"
#include "bench/openb/published.h"
#include "bench/openb/trace.h"

namespace berth::bench::openb {
namespace {

constexpr double kFgdTolerancePct = 0.4;
constexpr double kBoundTolerancePct = 0.1;
constexpr std::size_t kFgdMustAgree = 15;  // of the seventeen traces
constexpr std::size_t kTellingSeeds = 5;   // fewer runs say little about a mean

using Values = std::vector<double>;

struct Point {
  std::string suffix;
  double FillRun::*of_run;
  double AtPoints::*of_points;
};
const Point kPoints[] = {
    {"at_100", &FillRun::alloc_pct_at_100, &AtPoints::at_100},
    {"at_130", &FillRun::alloc_pct_at_130, &AtPoints::at_130},
};

bool is_ours(std::string_view policy) { return policy.substr(0, 5) == "berth"; }

template <typename Member>
Values values_of(const std::vector<FillRun>& runs, Member member) {
  Values values;
  for (const FillRun& run : runs) values.push_back(static_cast<double>(run.*member));
  return values;
}

// The mean over cases of each seed.
template <typename Member>
Values mean_values(const Comparison& comparison, std::size_t policy, Member member) {
  Values sum(comparison.seeds, 0);
  for (const CaseResult& c : comparison.cases) {
    const Values values = values_of(c.runs[policy], member);
    for (std::size_t s = 0; s < sum.size(); ++s) sum[s] += values[s];
  }
  for (double& value : sum) value /= static_cast<double>(comparison.cases.size());
  return sum;
}

bool has_all_built_in(const Comparison& comparison) {
  const auto& traces = built_in_traces();
  if (comparison.cases.size() != traces.size()) return false;
  return std::equal(traces.begin(), traces.end(), comparison.cases.begin(),
                    [](const BuiltInTrace& t, const CaseResult& c) { return t.name == c.name; });
}

std::optional<std::size_t> find_policy(const Comparison& comparison, std::string_view name) {
  for (std::size_t p = 0; p < comparison.policies.size(); ++p) {
    if (comparison.policies[p].name == name) return p;
  }
  return std::nullopt;
}

// One line of the comparison: a trace, or the mean of all.
struct Line {
  std::string name;
  // By policy, then run.
  std::vector<Values> at_100, at_130, fragmentation, placed, refused;
  AtPoints lp, greedy;
  std::optional<AtPoints> fgd_published;

  const std::vector<Values>& at(std::size_t point) const { return point == 0 ? at_100 : at_130; }
};

template <typename Read>
void read_policies(Line& line, std::size_t policies, const Read& read) {
  for (std::size_t p = 0; p < policies; ++p) {
    line.at_100.push_back(read(p, &FillRun::alloc_pct_at_100));
    line.at_130.push_back(read(p, &FillRun::alloc_pct_at_130));
    line.fragmentation.push_back(read(p, &FillRun::frag_pct_at_100));
    line.placed.push_back(read(p, &FillRun::placed));
    line.refused.push_back(read(p, &FillRun::refused));
  }
}

Line line_of(const CaseResult& c) {
  Line line;
  line.name = c.name;
  read_policies(line, c.runs.size(),
                [&](std::size_t p, auto member) { return values_of(c.runs[p], member); });
  line.lp = c.lp;
  line.greedy = c.greedy;
  line.fgd_published = published(c.name, "fgd");
  return line;
}

Line mean_line(const Comparison& comparison, const std::vector<Line>& lines) {
  Line mean;
  mean.name = "mean17";
  read_policies(mean, comparison.policies.size(),
                [&](std::size_t p, auto member) { return mean_values(comparison, p, member); });
  mean.fgd_published.emplace();
  const double share = 1.0 / static_cast<double>(lines.size());
  for (const Line& line : lines) {
    for (const Point& point : kPoints) {
      mean.lp.*point.of_points += line.lp.*point.of_points * share;
      mean.greedy.*point.of_points += line.greedy.*point.of_points * share;
      (*mean.fgd_published).*point.of_points +=
          line.fgd_published.value_or(AtPoints{}).*point.of_points * share;
    }
  }
  return mean;
}

std::vector<Line> lines_of(const Comparison& comparison) {
  std::vector<Line> lines;
  for (const CaseResult& c : comparison.cases) lines.push_back(line_of(c));
  if (has_all_built_in(comparison)) lines.push_back(mean_line(comparison, lines));
  return lines;
}

Row row(const Line& line, std::string_view policy, std::string metric, const Values& values,
        const std::string& unit) {
  return {line.name, std::string(policy), std::move(metric),    mean(values),
          unit,      values.size(),       population_sd(values)};
}

void add_figures(const Comparison& comparison, const Line& line, Report& report) {
  for (std::size_t p = 0; p < comparison.policies.size(); ++p) {
    const std::string_view name = comparison.policies[p].name;
    report.add(row(line, name, "alloc_pct_at_100", line.at_100[p], "%"));
    report.add(row(line, name, "alloc_pct_at_130", line.at_130[p], "%"));
    report.add(row(line, name, "frag_pct_at_100", line.fragmentation[p], "%"));
    report.add(row(line, name, "placed", line.placed[p], "pods"));
    report.add(row(line, name, "refused", line.refused[p], "pods"));
  }
  for (const Point& point : kPoints) {
    const std::string metric = "alloc_pct_" + point.suffix;
    report.add({line.name, "lp_bound", metric, line.lp.*point.of_points, "%", 0, {}});
    report.add({line.name, "greedy_bound", metric, line.greedy.*point.of_points, "%", 0, {}});
    if (!line.fgd_published) continue;
    report.add(
        {line.name, "fgd_published", metric, (*line.fgd_published).*point.of_points, "%", 0, {}});
  }
}

// The lead over the better of published and recomputed FGD, in points.
std::optional<double> lead_over_best_fgd(const Comparison& comparison, const Line& line,
                                         std::size_t ours, std::size_t point) {
  const auto fgd = find_policy(comparison, "fgd");
  if (!fgd && !line.fgd_published) return std::nullopt;
  double best = fgd ? mean(line.at(point)[*fgd]) : 0;
  if (line.fgd_published) {
    best = std::max(best, (*line.fgd_published).*kPoints[point].of_points);
  }
  return mean(line.at(point)[ours]) - best;
}

void add_leads(const Comparison& comparison, const Line& line, std::size_t ours, Report& report) {
  const std::string_view name = comparison.policies[ours].name;
  for (std::size_t point = 0; point < std::size(kPoints); ++point) {
    const auto& values = line.at(point);
    const std::string& suffix = kPoints[point].suffix;
    for (std::size_t p = 0; p < comparison.policies.size(); ++p) {
      if (is_ours(comparison.policies[p].name)) continue;
      const Values lead = differences(values[ours], values[p]);
      const std::string metric = "lead_" + std::string(comparison.policies[p].name) + "_" + suffix;
      report.add(row(line, name, metric, lead, "points"));
      report.add({line.name,
                  std::string(name),
                  metric + "_se",
                  standard_error(lead),
                  "points",
                  lead.size(),
                  {}});
    }
    if (const auto lead = lead_over_best_fgd(comparison, line, ours, point)) {
      report.add({line.name,
                  std::string(name),
                  "lead_best_fgd_" + suffix,
                  *lead,
                  "points",
                  comparison.seeds,
                  {}});
    }
  }
}

std::string figures_table(const Comparison& comparison, const std::vector<Line>& lines,
                          std::size_t point) {
  std::vector<std::string> header = {"trace"};
  for (const Contestant& policy : comparison.policies) header.emplace_back(policy.name);
  header.insert(header.end(), {"FGD published", "greedy bound", "LP bound"});
  Table table(header);
  for (const Line& line : lines) {
    std::vector<std::string> cells = {line.name};
    for (const Values& values : line.at(point)) cells.push_back(fixed(mean(values), 2));
    const auto member = kPoints[point].of_points;
    cells.push_back(line.fgd_published ? fixed((*line.fgd_published).*member, 2) : "-");
    cells.push_back(fixed(line.greedy.*member, 2));
    cells.push_back(fixed(line.lp.*member, 2));
    table.add(cells);
  }
  return table.to_text();
}

std::string leads_table(const Comparison& comparison, const std::vector<Line>& lines,
                        std::size_t ours, std::size_t point) {
  std::vector<std::string> header = {"trace"};
  for (const Contestant& policy : comparison.policies) {
    if (!is_ours(policy.name)) header.emplace_back(policy.name);
  }
  header.insert(header.end(), {"better FGD", "greedy bound"});
  Table table(header);
  for (const Line& line : lines) {
    const auto& values = line.at(point);
    std::vector<std::string> cells = {line.name};
    for (std::size_t p = 0; p < comparison.policies.size(); ++p) {
      if (is_ours(comparison.policies[p].name)) continue;
      const Values lead = differences(values[ours], values[p]);
      cells.push_back(with_sign(mean(lead), 2) + "±" + fixed(standard_error(lead), 2));
    }
    const auto best = lead_over_best_fgd(comparison, line, ours, point);
    cells.push_back(best ? with_sign(*best, 2) : "-");
    const double bound = line.greedy.*kPoints[point].of_points;
    cells.push_back(with_sign(mean(values[ours]) - bound, 2));
    table.add(cells);
  }
  return table.to_text();
}

std::string deviation(const CaseResult& c, const std::string& what, double ours, double theirs) {
  return c.name + ": " + what + " " + fixed(ours, 2) + ", known " + fixed(theirs, 2) + " (" +
         with_sign(ours - theirs, 2) + ")";
}

void check_baselines(const Comparison& comparison, Findings& findings) {
  std::size_t agree = 0;
  for (const CaseResult& c : comparison.cases) {
    for (std::size_t p = 0; p < comparison.policies.size(); ++p) {
      const std::string_view policy = comparison.policies[p].name;
      const auto known = published(c.name, policy);
      if (!known) continue;
      const double ours = mean(values_of(c.runs[p], &FillRun::alloc_pct_at_100));
      const bool close = std::abs(ours - known->at_100) <= kFgdTolerancePct;
      if (close && policy == "fgd") ++agree;
      if (!close) {
        findings.notes.push_back(
            deviation(c, std::string(policy) + " at 100 %", ours, known->at_100));
      }
    }
  }
  if (!has_all_built_in(comparison) || !find_policy(comparison, "fgd")) return;
  const std::string found = "FGD is within " + fixed(kFgdTolerancePct, 1) +
                            " points of the published value at 100 % on " + std::to_string(agree) +
                            " of " + std::to_string(comparison.cases.size()) + " traces";
  const bool enough = agree >= kFgdMustAgree || comparison.seeds < kTellingSeeds;
  (enough ? findings.notes : findings.errors).push_back(found);
}

void check_bounds(const Comparison& comparison, const CaseResult& c, Findings& findings) {
  const std::pair<const char*, std::pair<AtPoints, std::optional<AtPoints>>> bounds[] = {
      {"LP bound", {c.lp, known_lp_bound(c.name)}},
      {"greedy bound", {c.greedy, known_greedy_bound(c.name)}}};
  for (const Point& point : kPoints) {
    for (const auto& [name, values] : bounds) {
      const auto& [ours, known] = values;
      if (!known) continue;
      const double a = ours.*point.of_points;
      const double b = (*known).*point.of_points;
      if (std::abs(a - b) > kBoundTolerancePct) {
        findings.errors.push_back(deviation(c, std::string(name) + " " + point.suffix, a, b));
      }
    }
    for (std::size_t p = 0; p < comparison.policies.size(); ++p) {
      const double found = mean(values_of(c.runs[p], point.of_run));
      const double bound = c.greedy.*point.of_points;
      if (found <= bound + kBoundTolerancePct) continue;
      const std::string text = c.name + ": " + std::string(comparison.policies[p].name) + " " +
                               point.suffix + " is " + fixed(found, 2) + ", above the bound of " +
                               fixed(bound, 2) + ": a bug until proven otherwise";
      (comparison.seeds < kTellingSeeds ? findings.notes : findings.errors).push_back(text);
    }
  }
}

}  // namespace

void add_rows(const Comparison& comparison, Report& report) {
  for (const Line& line : lines_of(comparison)) {
    add_figures(comparison, line, report);
    for (std::size_t p = 0; p < comparison.policies.size(); ++p) {
      if (is_ours(comparison.policies[p].name)) add_leads(comparison, line, p, report);
    }
  }
}

std::string tables(const Comparison& comparison) {
  const std::vector<Line> lines = lines_of(comparison);
  const char* when[] = {"100 %", "130 %"};
  std::string text;
  for (std::size_t point = 0; point < std::size(kPoints); ++point) {
    text += std::string("\nGPU allocation in % when ") + when[point] + " has arrived\n" +
            figures_table(comparison, lines, point);
  }
  for (std::size_t ours = 0; ours < comparison.policies.size(); ++ours) {
    if (!is_ours(comparison.policies[ours].name)) continue;
    for (std::size_t point = 0; point < std::size(kPoints); ++point) {
      text += "\nLead of " + std::string(comparison.policies[ours].name) + " at " + when[point] +
              " in points, paired, ± standard error\n" +
              leads_table(comparison, lines, ours, point);
    }
  }
  return text;
}

Findings check(const Comparison& comparison) {
  Findings findings;
  check_baselines(comparison, findings);
  for (const CaseResult& c : comparison.cases) check_bounds(comparison, c, findings);
  return findings;
}

}  // namespace berth::bench::openb
