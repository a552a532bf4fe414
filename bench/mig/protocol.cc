#include "bench/mig/protocol.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/rng.h"
#include "learn/mig_run.h"

namespace berth::bench::mig {
namespace {

GpuModel make_card_model() {
  GpuModel model = nominal_model("A100-40GB", "nvidia", "ampere", 40'960);
  model.sms = 108;
  model.memory_slots = 8;
  model.compute_slices = 7;
  model.mig_switching = MigSwitching{};
  model.mig_profiles = {grid_profile("1g.5gb", 19, 1, 1, 7, {0, 1, 2, 3, 4, 5, 6}),
                        grid_profile("1g.10gb", 15, 1, 2, 4, {0, 2, 4, 6}),
                        grid_profile("2g.10gb", 14, 2, 2, 3, {0, 2, 4}),
                        grid_profile("3g.20gb", 9, 3, 4, 2, {0, 4}),
                        grid_profile("4g.20gb", 5, 4, 4, 1, {0}),
                        grid_profile("7g.40gb", 0, 7, 8, 1, {0})};
  return model;
}

// Marsaglia and Tsang's method.
double gamma(Rng& rng, double shape) {
  if (shape < 1) {
    const double larger = gamma(rng, shape + 1);
    return larger * std::pow(1.0 - rng.unit(), 1 / shape);
  }
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = learn::normal(rng);
    const double v = std::pow(1 + c * x, 3);
    if (v > 0 && std::log(1.0 - rng.unit()) < 0.5 * x * x + d - d * v + d * std::log(v)) {
      return d * v;
    }
  }
}

}  // namespace

const GpuModel& card_model() {
  static const GpuModel model = make_card_model();
  return model;
}

const learn::MigGrid& card_grid() {
  static const learn::MigGrid grid(card_model(), {0, 1, 2, 3, 4, 5});
  return grid;
}

std::vector<Mix> named_mixes() {
  constexpr double kSixth = 1.0 / 6;
  return {{"uniform", {kSixth, kSixth, kSixth, kSixth, kSixth, kSixth}},
          {"small", {.30, .15, .25, .15, .10, .05}},
          {"big", {.05, .10, .10, .20, .25, .30}},
          {"bimodal", {.30, .10, .10, .10, .10, .30}}};
}

Mix random_mix(std::uint64_t seed) {
  constexpr double kShape = 0.7;
  Rng rng(seed);
  Mix mix{"random " + std::to_string(seed), {}};
  for (std::size_t k = 0; k < kKinds; ++k) mix.shares.push_back(gamma(rng, kShape));
  const double sum = std::accumulate(mix.shares.begin(), mix.shares.end(), 0.0);
  for (double& share : mix.shares) share /= sum;
  return mix;
}

Trace make_trace(const Mix& mix, double load, Size size, std::uint64_t seed) {
  double mean_slots = 0;
  for (std::size_t k = 0; k < kKinds; ++k) mean_slots += mix.shares[k] * kSlots[k];
  const double rate = load * kCards * card_model().memory_slots / mean_slots;
  Rng rng(seed);
  Trace trace;
  std::vector<std::pair<double, std::int32_t>> moments;
  double now = 0;
  for (std::int32_t i = 0; i < size.arrivals; ++i) {
    now += learn::exponential(rng) / rate;
    double left = rng.unit();
    std::size_t kind = 0;
    while (kind + 1 < kKinds && left >= mix.shares[kind]) left -= mix.shares[kind++];
    const double life = learn::exponential(rng);
    trace.kind.push_back(static_cast<std::uint8_t>(kind));
    trace.life.push_back(life);
    moments.emplace_back(now, i);
    moments.emplace_back(now + life, ~i);
  }
  std::sort(moments.begin(), moments.end());
  for (const auto& [at, event] : moments) trace.events.push_back(event);
  return trace;
}

void Score::note(const Trace& trace, std::int32_t job, Size size, bool accepted) {
  if (job < size.warm_up) return;
  const auto at = static_cast<std::size_t>(job);
  const double amount = kSlots[trace.kind[at]] * trace.life[at];
  all_jobs += 1;
  all_memory += amount;
  if (!accepted) return;
  jobs += 1;
  memory += amount;
}

}  // namespace berth::bench::mig
