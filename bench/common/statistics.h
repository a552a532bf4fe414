// Means and spreads of runs.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace berth::bench {

// 0 without values.
inline double mean(std::span<const double> values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// Of these values themselves, as publications of ten runs state it.
inline double population_sd(std::span<const double> values) {
  const double centre = mean(values);
  double squares = 0;
  for (const double v : values) squares += (v - centre) * (v - centre);
  return values.empty() ? 0 : std::sqrt(squares / static_cast<double>(values.size()));
}

// Of the mean, taking the values for a sample; 0 with fewer than two.
inline double standard_error(std::span<const double> values) {
  if (values.size() < 2) return 0;
  return population_sd(values) / std::sqrt(static_cast<double>(values.size() - 1));
}

// a - b, run by run; both must have as many values.
inline std::vector<double> differences(std::span<const double> a, std::span<const double> b) {
  std::vector<double> out;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) out.push_back(a[i] - b[i]);
  return out;
}

}  // namespace berth::bench
