// The middle, the end and the worst of many measurements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace berth::bench::scale {

struct Quantiles {
  double median = 0;
  double p99 = 0;
  double most = 0;
};

// At least one value.
inline Quantiles quantiles_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double q) {
    return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
  };
  return {at(0.5), at(0.99), values.back()};
}

}  // namespace berth::bench::scale
