// The figures by which runs are compared: what each means, in which direction it is better, and the
// difference to the first run. Terminal, page and CSV show the same list.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/run_result.h"

namespace berth::sim {

enum class Unit : std::uint8_t { kShare, kDurationMs, kCount, kCards, kGpuHours };
enum class Better : std::uint8_t { kHigher, kLower, kNeither };

struct Metric {
  std::string_view name;   // for programs
  std::string_view label;  // for people
  Unit unit = Unit::kCount;
  Better better = Better::kNeither;
  std::vector<double> values;  // one per run
};

// The list in the order in which it is shown; never empty when `runs` isn't.
std::vector<Metric> headline(std::span<const RunResult> runs);

std::string value_text(Unit unit, double value);

enum class Verdict : std::uint8_t { kSame, kBetter, kWorse, kNeutral };

struct Difference {
  double value = 0;  // of the run minus that of the first run
  Verdict verdict = Verdict::kSame;
  std::string text;  // "+3.2 points", "−12 min 05 s (−23.1 %)"
};

// `run` < metric.values.size(). What looks equal when written is the same.
Difference difference(const Metric& metric, std::size_t run);

// Mean over the run; 0 for a fleet without cards.
double allocated_share(const RunResult& run);
double unschedulable_share(const RunResult& run);
std::array<double, kCauseCount> unschedulable_share_by_cause(const RunResult& run);

// "card too small", "MIG placement", "node CPU or memory", ...
std::string_view cause_label(Cause cause);

}  // namespace berth::sim
