// What happens to a row of a table that cannot be used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace berth::sim {

enum class BadRows : std::uint8_t { kRefuse, kSkip };

// Rows left out, and what was wrong with the first ones.
struct SkippedRows {
  static constexpr std::size_t kShown = 5;

  std::size_t count = 0;
  std::vector<std::string> complaints;

  void add(std::string complaint) {
    if (++count <= kShown) complaints.push_back(std::move(complaint));
  }
  void add(const SkippedRows& other) {
    count += other.count;
    for (const std::string& complaint : other.complaints) {
      if (complaints.size() < kShown) complaints.push_back(complaint);
    }
  }
};

}  // namespace berth::sim
