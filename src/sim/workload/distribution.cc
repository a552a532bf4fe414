#include "sim/workload/distribution.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "base/check.h"

namespace berth::sim {
namespace {

constexpr double kLongestMs = 3650.0 * 24 * 3600 * 1000;

// 1 - unit() lies in (0, 1], so that the logarithm is finite.
double log_of_uniform(Rng& rng) { return std::log(1.0 - rng.unit()); }

// Box and Muller; the second value of the pair is not kept, so that a draw has no memory.
double standard_normal(Rng& rng) {
  const double radius = std::sqrt(-2.0 * log_of_uniform(rng));
  return radius * std::cos(2.0 * std::numbers::pi * rng.unit());
}

Status validate_choices(const DurationSpec& spec) {
  double sum = 0;
  for (const WeightedDuration& choice : spec.choices) sum += choice.weight;
  if (sum > 0) return {};
  return invalid("needs at least one choice with a positive weight", "choices");
}

Status validate_quantiles(const DurationSpec& spec) {
  if (spec.quantiles.size() < 2) return invalid("needs at least two points", "quantiles");
  for (std::size_t i = 1; i < spec.quantiles.size(); ++i) {
    const QuantilePoint& before = spec.quantiles[i - 1];
    const QuantilePoint& point = spec.quantiles[i];
    if (point.part > before.part && point.duration_ms >= before.duration_ms) continue;
    return invalid("part and duration must rise from point to point",
                   "quantiles[" + std::to_string(i) + "]");
  }
  if (spec.quantiles.front().part == 0 && spec.quantiles.back().part == 1) return {};
  return invalid("the first point's part must be 0 and the last one's 1", "quantiles");
}

}  // namespace

Status validate(const DurationSpec& spec) {
  if (spec.most_ms != 0 && spec.most_ms < spec.least_ms) {
    return invalid("is below least", "most_ms");
  }
  if (spec.kind == DurationKind::kChoices) return validate_choices(spec);
  if (spec.kind == DurationKind::kQuantiles) return validate_quantiles(spec);
  if (spec.kind != DurationKind::kConstant && spec.value_ms <= 0) {
    return invalid("must be above 0", "value_ms");
  }
  return {};
}

DurationDraw::DurationDraw(DurationSpec spec) : spec_(std::move(spec)) {
  std::vector<double> weights;
  for (const WeightedDuration& choice : spec_.choices) weights.push_back(choice.weight);
  cumulative_ = running_sums(weights);
}

DurationMs DurationDraw::draw(Rng& rng) const {
  const double bounded = std::clamp(std::round(raw(rng)), 0.0, kLongestMs);
  DurationMs duration = std::max(static_cast<DurationMs>(bounded), spec_.least_ms);
  if (spec_.most_ms > 0) duration = std::min(duration, spec_.most_ms);
  return duration;
}

double DurationDraw::raw(Rng& rng) const {
  const auto value = static_cast<double>(spec_.value_ms);
  switch (spec_.kind) {
    case DurationKind::kConstant:
      return value;
    case DurationKind::kExponential:
      return -value * log_of_uniform(rng);
    case DurationKind::kLognormal:
      return value * std::exp(spec_.sigma * standard_normal(rng));
    case DurationKind::kChoices:
      return choice(rng);
    case DurationKind::kQuantiles:
      return quantile(rng);
  }
  BERTH_CHECK(false);
}

double DurationDraw::choice(Rng& rng) const {
  return static_cast<double>(spec_.choices[draw_index(cumulative_, rng)].duration_ms);
}

double DurationDraw::quantile(Rng& rng) const {
  const double part = rng.unit();
  const auto above = std::find_if(spec_.quantiles.begin() + 1, spec_.quantiles.end() - 1,
                                  [&](const QuantilePoint& p) { return p.part > part; });
  const QuantilePoint& high = *above;
  const QuantilePoint& low = *std::prev(above);
  const double along = (part - low.part) / (high.part - low.part);
  return static_cast<double>(low.duration_ms) +
         along * static_cast<double>(high.duration_ms - low.duration_ms);
}

std::size_t draw_index(const std::vector<double>& cumulative, Rng& rng) {
  const double at = rng.unit() * cumulative.back();
  const auto it = std::upper_bound(cumulative.begin(), cumulative.end(), at);
  return std::min(static_cast<std::size_t>(it - cumulative.begin()), cumulative.size() - 1);
}

std::vector<double> running_sums(const std::vector<double>& weights) {
  std::vector<double> sums;
  double sum = 0;
  for (const double weight : weights) sums.push_back(sum += weight);
  return sums;
}

}  // namespace berth::sim
