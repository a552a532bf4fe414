#include "bench/preempt/outcome.h"

#include <algorithm>
#include <cmath>

#include "bench/preempt/protocol.h"

namespace berth::bench::preempt {
namespace {

double mean_s(const std::vector<DurationMs>& waits) {
  double sum = 0;
  for (const DurationMs wait : waits) sum += static_cast<double>(wait);
  return waits.empty() ? 0 : sum / static_cast<double>(waits.size()) / kSecondMs;
}

// The least wait that so many of a hundred did not exceed.
double quantile_s(std::vector<DurationMs> waits, double part) {
  if (waits.empty()) return 0;
  const auto rank = static_cast<std::size_t>(std::ceil(part * static_cast<double>(waits.size())));
  const auto at = waits.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, rank) - 1);
  std::nth_element(waits.begin(), at, waits.end());
  return static_cast<double>(*at) / kSecondMs;
}

double within_pct(const std::vector<DurationMs>& waits, DurationMs most) {
  if (waits.empty()) return 100;
  const auto in =
      std::count_if(waits.begin(), waits.end(), [&](DurationMs w) { return w <= most; });
  return 100.0 * static_cast<double>(in) / static_cast<double>(waits.size());
}

double part_of(double some, double all) { return all > 0 ? some / all : 0; }

}  // namespace

void Losses::add(const Losses& other) {
  recompute += other.recompute;
  checkpoint += other.checkpoint;
  drain += other.drain;
  idle += other.idle;
}

void Outcome::add(const Outcome& other) {
  urgent_waits.insert(urgent_waits.end(), other.urgent_waits.begin(), other.urgent_waits.end());
  spot_waits.insert(spot_waits.end(), other.spot_waits.begin(), other.spot_waits.end());
  evictions += other.evictions;
  periods += other.periods;
  lost.add(other.lost);
  lost_silent += other.lost_silent;
  own_saving += other.own_saving;
  beyond_bound += other.beyond_bound;
  held += other.held;
  capacity += other.capacity;
  cpu_s += other.cpu_s;
}

Figures figures_of(const Outcome& outcome) {
  Figures f;
  const auto evictions = static_cast<double>(outcome.evictions);
  f.evictions = evictions;
  f.eviction_rate = part_of(evictions, evictions + static_cast<double>(outcome.periods));
  f.lost_gpu_h = outcome.lost.sum();
  f.lost_recompute_gpu_h = outcome.lost.recompute;
  f.lost_checkpoint_gpu_h = outcome.lost.checkpoint;
  f.lost_drain_gpu_h = outcome.lost.drain + outcome.lost.idle;
  f.lost_silent_gpu_h = outcome.lost_silent;
  f.beyond_bound = static_cast<double>(outcome.beyond_bound);
  f.spot_queue_mean_s = mean_s(outcome.spot_waits);
  f.spot_queue_p99_s = quantile_s(outcome.spot_waits, 0.99);
  f.hp_queue_mean_s = mean_s(outcome.urgent_waits);
  f.hp_queue_p99_s = quantile_s(outcome.urgent_waits, 0.99);
  f.hp_within_60s_pct = within_pct(outcome.urgent_waits, kStartWithinMs);
  f.alloc_pct = 100 * part_of(outcome.held, outcome.capacity);
  // who is promised a card does not hold it yet
  const double useless = outcome.lost.sum() - outcome.lost.idle + outcome.own_saving;
  f.useful_pct = 100 * part_of(outcome.held - useless, outcome.capacity);
  f.cpu_s = outcome.cpu_s;
  return f;
}

}  // namespace berth::bench::preempt
