#include "sim/scenario/diff.h"

#include <algorithm>
#include <cstdint>

namespace berth::sim {
namespace {

struct Change {
  char mark = ' ';  // ' ' both, '-' expected only, '+' found only
  const std::string* text = nullptr;
};

using Lines = std::vector<std::string>;

// Length of the longest common subsequence of each pair of suffixes.
std::vector<std::vector<std::uint32_t>> common_lengths(const Lines& a, const Lines& b) {
  std::vector<std::vector<std::uint32_t>> length(a.size() + 1,
                                                 std::vector<std::uint32_t>(b.size() + 1, 0));
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      length[i][j] =
          a[i] == b[j] ? length[i + 1][j + 1] + 1 : std::max(length[i + 1][j], length[i][j + 1]);
    }
  }
  return length;
}

std::vector<Change> changes(const Lines& a, const Lines& b) {
  std::vector<Change> result;
  std::size_t i = 0;
  std::size_t j = 0;
  if (std::max(a.size(), b.size()) <= kDiffLines) {
    const auto length = common_lengths(a, b);
    while (i < a.size() && j < b.size()) {
      if (a[i] == b[j]) {
        result.push_back({' ', &a[i]});
        ++i, ++j;
      } else if (length[i + 1][j] >= length[i][j + 1]) {
        result.push_back({'-', &a[i++]});
      } else {
        result.push_back({'+', &b[j++]});
      }
    }
  }
  for (; i < a.size(); ++i) result.push_back({'-', &a[i]});
  for (; j < b.size(); ++j) result.push_back({'+', &b[j]});
  return result;
}

}  // namespace

std::string unified_diff(const Lines& expected, const Lines& found, int line) {
  if (expected == found) return {};
  std::string text = "@@ line " + std::to_string(line) + " @@\n";
  for (const Change& change : changes(expected, found)) {
    text += std::string(1, change.mark) + *change.text + "\n";
  }
  return text;
}

}  // namespace berth::sim
