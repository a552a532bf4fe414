// What the script of the page draws from: the runs as one compact JSON text. Long series are
// reduced to means over equal spans, so that the page stays small whatever was measured.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sim/run_result.h"

namespace berth::sim {

inline constexpr std::size_t kMostPoints = 1500;  // per line; a day by the minute is drawn exactly

// Samples per point so that `samples` become at most kMostPoints; 1 when they are fewer.
std::size_t samples_per_point(std::size_t samples);

// Means of `per_point` consecutive values; the last one may be of fewer.
std::vector<double> span_means(std::span<const double> values, std::size_t per_point);

// At most `most` of the points, first and last included, spread evenly over their number.
std::vector<WaitPoint> thinned(const std::vector<WaitPoint>& points, std::size_t most);

std::string page_data(std::span<const RunResult> runs);

}  // namespace berth::sim
