#include <algorithm>
#include <numeric>

#include "learn/card_fit.h"

namespace berth::learn {
namespace {

constexpr double kTiny = 1e-9;
constexpr int kCardMilliSteps = 1000;
constexpr int kMostRounds = 400;  // columns generated; a few dozen suffice in practice

// How many of each size one card holds, and what that is worth.
struct Pattern {
  std::vector<double> counts;
  double worth = 0;
};

// Sizes in grid units, ascending, and the card's size in the same units.
struct Sizes {
  std::vector<int> units;
  int card = 0;
};

// Best multiset for one card: unbounded knapsack.
Pattern best_pattern(const Sizes& sizes, const std::vector<double>& value) {
  const auto card = static_cast<std::size_t>(sizes.card);
  std::vector<double> best(card + 1, 0.0);
  std::vector<int> pick(card + 1, -1);
  for (std::size_t h = 1; h <= card; ++h) {
    best[h] = best[h - 1];
    for (std::size_t m = 0; m < sizes.units.size(); ++m) {
      const auto size = static_cast<std::size_t>(sizes.units[m]);
      if (size > h) break;
      if (best[h - size] + value[m] > best[h] + kTiny) {
        best[h] = best[h - size] + value[m];
        pick[h] = static_cast<int>(m);
      }
    }
  }
  Pattern pattern{std::vector<double>(sizes.units.size(), 0.0), best[card]};
  for (std::size_t h = card; h > 0;) {
    if (pick[h] < 0) {
      --h;
      continue;
    }
    const auto m = static_cast<std::size_t>(pick[h]);
    pattern.counts[m] += 1;
    h -= static_cast<std::size_t>(sizes.units[m]);
  }
  return pattern;
}

// Revised simplex on the covering problem: patterns cost 1, surplus columns cost 0.
class Master {
 public:
  Master(const Sizes& sizes, const std::vector<ShareDemand>& demand)
      : size_(demand.size()), inverse_(size_ * size_, 0.0), x_(size_), y_(size_) {
    for (std::size_t i = 0; i < size_; ++i) {
      const int whole_jobs = sizes.card / sizes.units[i];
      const double per_card = whole_jobs;
      inverse_[i * size_ + i] = 1.0 / per_card;
      x_[i] = demand[i].weight / per_card;
      y_[i] = 1.0 / per_card;
    }
  }

  const std::vector<double>& duals() const { return y_; }

  // The most negative dual, or size() when there is none.
  std::size_t most_negative() const {
    std::size_t found = size_;
    for (std::size_t i = 0; i < size_; ++i) {
      if (y_[i] < -kTiny && (found == size_ || y_[i] < y_[found])) found = i;
    }
    return found;
  }

  // Brings the column into the basis. False when nothing can leave.
  bool pivot(const std::vector<double>& column, double cost) {
    std::vector<double> w(size_, 0.0);
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t k = 0; k < size_; ++k) w[i] += inverse_[i * size_ + k] * column[k];
    }
    std::size_t out = size_;
    for (std::size_t i = 0; i < size_; ++i) {
      if (w[i] > kTiny && (out == size_ || x_[i] * w[out] < x_[out] * w[i] - 1e-15)) out = i;
    }
    if (out == size_) return false;
    double reduced = cost;
    for (std::size_t k = 0; k < size_; ++k) reduced -= y_[k] * column[k];
    replace(out, w);
    for (std::size_t k = 0; k < size_; ++k) y_[k] += reduced * inverse_[out * size_ + k];
    return true;
  }

 private:
  void replace(std::size_t out, const std::vector<double>& w) {
    const double step = x_[out] / w[out];
    for (std::size_t k = 0; k < size_; ++k) inverse_[out * size_ + k] /= w[out];
    for (std::size_t i = 0; i < size_; ++i) {
      if (i == out || w[i] == 0.0) continue;
      x_[i] = std::max(0.0, x_[i] - step * w[i]);
      for (std::size_t k = 0; k < size_; ++k) {
        inverse_[i * size_ + k] -= w[i] * inverse_[out * size_ + k];
      }
    }
    x_[out] = step;
  }

  std::size_t size_;
  std::vector<double> inverse_;
  std::vector<double> x_;
  std::vector<double> y_;
};

Sizes sizes_of(const std::vector<ShareDemand>& demand) {
  int unit = kCardMilliSteps;
  for (const ShareDemand& d : demand) unit = std::gcd(unit, d.milli);
  Sizes sizes;
  sizes.card = kCardMilliSteps / unit;
  for (const ShareDemand& d : demand) sizes.units.push_back(d.milli / unit);
  return sizes;
}

}  // namespace

std::vector<double> cutting_stock_duals(const std::vector<ShareDemand>& demand) {
  if (demand.empty()) return {};
  const Sizes sizes = sizes_of(demand);
  Master master(sizes, demand);
  for (int round = 0; round < kMostRounds; ++round) {
    std::vector<double> column(demand.size(), 0.0);
    double cost = 0.0;
    if (const std::size_t negative = master.most_negative(); negative < demand.size()) {
      column[negative] = -1.0;
    } else {
      Pattern pattern = best_pattern(sizes, master.duals());
      if (pattern.worth <= 1.0 + 1e-7) break;
      column = std::move(pattern.counts);
      cost = 1.0;
    }
    if (!master.pivot(column, cost)) break;
  }
  std::vector<double> duals = master.duals();
  for (double& y : duals) y = std::clamp(y, 0.0, 1.0);
  return duals;
}

}  // namespace berth::learn
