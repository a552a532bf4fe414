// Distributions of durations, as data and as draws. Floating point: physics of the simulation.
#pragma once

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "base/rng.h"
#include "base/units.h"
#include "model/words.h"

namespace berth::sim {

enum class DurationKind : std::uint8_t {
  kConstant,
  kExponential,
  kLognormal,
  kChoices,
  kQuantiles
};

struct WeightedDuration {
  DurationMs duration_ms = 0;
  double weight = 1;
  friend bool operator==(const WeightedDuration&, const WeightedDuration&) = default;
};

// `part` of all draws are at most `duration_ms`.
struct QuantilePoint {
  double part = 0;
  DurationMs duration_ms = 0;
  friend bool operator==(const QuantilePoint&, const QuantilePoint&) = default;
};

struct DurationSpec {
  DurationKind kind = DurationKind::kConstant;
  DurationMs value_ms = 0;  // constant: the value; exponential: the mean; lognormal: the median
  double sigma = 1;         // lognormal: standard deviation of the logarithm
  std::vector<WeightedDuration> choices;
  std::vector<QuantilePoint> quantiles;  // straight lines between the points
  DurationMs least_ms = 0;               // every draw is moved into [least, most]
  DurationMs most_ms = 0;                // 0: no limit
  friend bool operator==(const DurationSpec&, const DurationSpec&) = default;
};

Status validate(const DurationSpec& spec);

// A valid spec made ready for drawing.
class DurationDraw {
 public:
  explicit DurationDraw(DurationSpec spec);
  DurationMs draw(Rng& rng) const;

 private:
  double raw(Rng& rng) const;
  double choice(Rng& rng) const;
  double quantile(Rng& rng) const;

  DurationSpec spec_;
  std::vector<double> cumulative_;  // of choices
};

// Index of the first entry whose running sum of weights exceeds a uniform draw; `cumulative` is not
// empty and its last entry is positive.
std::size_t draw_index(const std::vector<double>& cumulative, Rng& rng);
std::vector<double> running_sums(const std::vector<double>& weights);

}  // namespace berth::sim

namespace berth {

BERTH_WORDS(sim::DurationKind, "constant", "exponential", "lognormal", "choices", "quantiles");

}  // namespace berth
