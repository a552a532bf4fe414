#include "learn/mig_worths.h"

#include <algorithm>
#include <cmath>

namespace berth::learn {
namespace {

constexpr double kFull = 1 << 22;

std::vector<double> reach_of(const MigGrid& grid) {
  std::vector<double> reach(grid.kinds(), 1.0);
  reach.push_back(1.0 / 13);
  reach.push_back(1.0 / grid.slots() / grid.slots());
  return reach;
}

}  // namespace

std::vector<std::int32_t> worth_by_weights(const MigGrid& grid, const MigWeights& weights) {
  std::vector<double> raw(grid.count());
  double top = 1e-9;
  for (std::size_t s = 0; s < grid.count(); ++s) {
    const double jobs = grid.jobs(s);
    const double free = grid.free_slots(s);
    raw[s] = weights.jobs2 * jobs * jobs + weights.free2 * free * free;
    for (std::size_t k = 0; k < grid.kinds(); ++k) raw[s] += weights.per_fit[k] * grid.fits(s, k);
    top = std::max(top, std::abs(raw[s]));
  }
  std::vector<std::int32_t> worth(grid.count());
  for (std::size_t s = 0; s < grid.count(); ++s) {
    worth[s] = static_cast<std::int32_t>(std::lround(raw[s] / top * kFull));
  }
  return worth;
}

std::vector<std::int32_t> worth_by_best_fit(const MigGrid& grid) {
  std::vector<std::int32_t> worth;
  for (std::size_t s = 0; s < grid.count(); ++s) {
    worth.push_back(256 * grid.free_slots(s) * grid.free_slots(s) + grid.open_pairs(s));
  }
  return worth;
}

std::vector<std::int32_t> worth_by_conflicts(const MigGrid& grid) {
  std::vector<std::int32_t> worth;
  for (std::size_t s = 0; s < grid.count(); ++s) worth.push_back(-grid.blocked(s));
  return worth;
}

MigWeights weights_by_mix(const MigGrid& grid, const std::vector<double>& mix, double by_share,
                          double jobs2, double free2) {
  MigWeights weights;
  for (std::size_t k = 0; k < grid.kinds(); ++k) {
    const double share = static_cast<double>(grid.kinds()) * mix[k];
    weights.per_fit.push_back(std::pow(share, by_share) * grid.slots_of(k) * 8.0 / grid.slots());
  }
  weights.jobs2 = jobs2;
  weights.free2 = free2 * 64.0 / (grid.slots() * grid.slots());
  return weights;
}

std::vector<double> to_point(const MigGrid& grid, const MigWeights& weights) {
  const std::vector<double> reach = reach_of(grid);
  std::vector<double> point = weights.per_fit;
  point.push_back(weights.jobs2);
  point.push_back(weights.free2);
  double squares = 0;
  for (std::size_t i = 0; i < point.size(); ++i) {
    point[i] /= reach[i];
    squares += point[i] * point[i];
  }
  const double size = std::max(1e-12, std::sqrt(squares / static_cast<double>(point.size())));
  for (double& value : point) value /= size;
  return point;
}

MigWeights from_point(const MigGrid& grid, const std::vector<double>& point) {
  const std::vector<double> reach = reach_of(grid);
  MigWeights weights;
  for (std::size_t k = 0; k < grid.kinds(); ++k) weights.per_fit.push_back(point[k] * reach[k]);
  weights.jobs2 = point[grid.kinds()] * reach[grid.kinds()];
  weights.free2 = point[grid.kinds() + 1] * reach[grid.kinds() + 1];
  return weights;
}

}  // namespace berth::learn
