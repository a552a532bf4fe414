#include "bench/openb/protocol.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "base/rng.h"

namespace berth::bench::openb {
namespace {

constexpr std::size_t kTypicalCoverPct = 95;

// Half up; a >= 0, b > 0.
std::int64_t rounded_ratio(std::int64_t a, std::int64_t b) { return (2 * a + b) / (2 * b); }

std::vector<std::uint32_t> sorted_by_name(std::span<const Pod> pods) {
  std::vector<std::uint32_t> order(pods.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return pods[a].name < pods[b].name; });
  return order;
}

void shuffle(std::vector<std::uint32_t>& order, Rng& random) {
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[random.below(i)]);
  }
}

}  // namespace

Outcome<std::vector<std::uint32_t>> arrivals(std::span<const Pod> pods, std::int64_t capacity_milli,
                                             std::uint64_t seed) {
  std::int64_t total_milli = 0;
  for (const Pod& pod : pods) total_milli += pod.shape.total_gpu_milli();
  if (total_milli == 0) {
    return Failure("no pod of " + std::to_string(pods.size()) +
                   " asks for a GPU, expected at least one");
  }
  const std::int64_t limit_milli = capacity_milli * kTuningPct / 100;
  Rng random(seed);
  // Draws go by name too, so that the order of the rows in the file does not matter.
  const std::vector<std::uint32_t> by_name = sorted_by_name(pods);
  std::vector<std::uint32_t> order = by_name;
  shuffle(order, random);

  while (total_milli > limit_milli) {
    const std::size_t victim = random.below(order.size());
    total_milli -= pods[order[victim]].shape.total_gpu_milli();
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(victim));
    if (total_milli <= limit_milli) return order;
  }
  for (;;) {
    const std::uint32_t drawn = by_name[random.below(by_name.size())];
    const PodShape& shape = pods[drawn].shape;
    // The artifact tests with the milli of one GPU and then adds those of all: the list may end
    // above the limit, but only by the other GPUs of its last pods.
    if (total_milli + shape.gpu_milli > limit_milli) return order;
    total_milli += shape.total_gpu_milli();
    order.push_back(drawn);
  }
}

std::vector<TypicalPod> pod_shapes(std::span<const Pod> pods) {
  std::map<PodShape, std::size_t> counts;
  for (const Pod& pod : pods) ++counts[pod.shape];
  std::vector<TypicalPod> shapes;
  for (const auto& [shape, count] : counts) {
    const double weight = static_cast<double>(count) / static_cast<double>(pods.size());
    shapes.push_back({shape, count, weight});
  }
  std::stable_sort(shapes.begin(), shapes.end(),
                   [](const TypicalPod& a, const TypicalPod& b) { return a.count > b.count; });
  return shapes;
}

std::vector<TypicalPod> typical_pods(std::span<const Pod> pods) {
  std::vector<TypicalPod> shapes = pod_shapes(pods);
  std::size_t covered = 0;
  std::size_t taken = 0;
  while (taken < shapes.size() && covered * 100 < pods.size() * kTypicalCoverPct) {
    covered += shapes[taken].count;
    ++taken;
  }
  shapes.resize(taken);
  for (TypicalPod& pod : shapes) {
    pod.weight = static_cast<double>(pod.count) / static_cast<double>(covered);
  }
  return shapes;
}

AllocationCurve::AllocationCurve(std::int64_t capacity_milli) : capacity_milli_(capacity_milli) {}

void AllocationCurve::record(std::int64_t arrived_milli, std::int64_t allocated_milli) {
  Sum& sum = sums_[rounded_ratio(arrived_milli * 100, capacity_milli_)];
  // The artifact logs each value with two decimals and averages what it logged.
  sum.pct_hundredths += rounded_ratio(allocated_milli * 10'000, capacity_milli_);
  ++sum.count;
}

Outcome<double> AllocationCurve::allocation_pct(std::int64_t arrived_pct) const {
  const auto sum_at = [&](std::int64_t pct) {
    const auto found = sums_.find(pct);
    return found == sums_.end() ? Sum{} : found->second;
  };
  Sum sum = sum_at(arrived_pct);
  if (sum.count == 0) {
    const Sum below = sum_at(arrived_pct - 1);
    const Sum above = sum_at(arrived_pct + 1);
    sum = {below.pct_hundredths + above.pct_hundredths, below.count + above.count};
  }
  if (sum.count == 0) {
    return Failure("no arrival near " + std::to_string(arrived_pct) +
                   " % of capacity, expected a run that reaches it");
  }
  return static_cast<double>(sum.pct_hundredths) / 100.0 / static_cast<double>(sum.count);
}

}  // namespace berth::bench::openb
