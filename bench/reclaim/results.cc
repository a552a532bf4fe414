#include "bench/reclaim/results.h"

#include <map>
#include <optional>

#include "bench/common/statistics.h"
#include "bench/common/table.h"

namespace berth::bench::reclaim {
namespace {

// KAI-Scheduler's own benchmark of this shape, one iteration: its repository of August 2026
// (d5bc503a), built and run on a machine of 2 cores.
const std::map<std::string, double> kKaiMs = {{"500", 7'500}, {"1000", 28'800}};

std::vector<double> of_each(const CaseResult& result, double (*figure)(const Outcome&)) {
  std::vector<double> values;
  for (const Outcome& run : result.runs) values.push_back(figure(run));
  return values;
}

struct Figure {
  const char* metric;
  const char* unit;
  int decimals;
  double (*of)(const Outcome&);
};

constexpr Figure kFigures[] = {
    {"cycle_ms", "ms", 1, [](const Outcome& o) { return o.build_ms + o.plan_ms; }},
    {"build_ms", "ms", 1, [](const Outcome& o) { return o.build_ms; }},
    {"plan_ms", "ms", 1, [](const Outcome& o) { return o.plan_ms; }},
    {"victims", "", 0, [](const Outcome& o) { return static_cast<double>(o.victims); }},
    {"victim_cards", "", 0, [](const Outcome& o) { return static_cast<double>(o.cards); }},
    {"price_gpu_h", "GPU-h", 2, [](const Outcome& o) { return o.price; }},
};

}  // namespace

std::string table(const std::vector<CaseResult>& results) {
  Table table({"case", "cycle ms", "build ms", "plan ms", "victims", "their cards", "price GPU-h",
               "KAI ms"});
  for (const CaseResult& result : results) {
    std::vector<std::string> row = {result.spec.name};
    for (const Figure& figure : kFigures) {
      row.push_back(fixed(mean(of_each(result, figure.of)), figure.decimals));
    }
    const auto kai = kKaiMs.find(result.spec.name);
    row.push_back(kai == kKaiMs.end() ? "" : fixed(kai->second, 0));
    table.add(std::move(row));
  }
  return table.to_text();
}

void add_rows(const std::vector<CaseResult>& results, Report& report) {
  for (const CaseResult& result : results) {
    const std::size_t runs = result.runs.size();
    for (const Figure& figure : kFigures) {
      const std::vector<double> values = of_each(result, figure.of);
      report.add({result.spec.name, "berth", figure.metric, mean(values), figure.unit, runs,
                  population_sd(values)});
    }
    const auto kai = kKaiMs.find(result.spec.name);
    if (kai == kKaiMs.end()) continue;
    report.add({result.spec.name, "kai_published", "cycle_ms", kai->second, "ms", 1, std::nullopt});
  }
}

}  // namespace berth::bench::reclaim
