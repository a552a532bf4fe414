// A unified diff of two short texts, for people.
#pragma once

#include <string>
#include <vector>

namespace berth::sim {

// Empty when equal. `line` is where the first expected line stands in the file. Exact by longest
// common subsequence up to kDiffLines lines a side; beyond, the differing middle is shown whole.
inline constexpr std::size_t kDiffLines = 1'000;
std::string unified_diff(const std::vector<std::string>& expected,
                         const std::vector<std::string>& found, int line);

}  // namespace berth::sim
