#include "bench/common/table.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace berth::bench {

std::string Table::to_text() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string pad(widths[c] - row[c].size(), ' ');
      text += c == 0 ? row[c] + pad : "  " + pad + row[c];
    }
    text += '\n';
  }
  return text;
}

std::string fixed(double value, int decimals) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return text.data();
}

std::string with_sign(double value, int decimals) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%+.*f", decimals, value);
  return text.data();
}

}  // namespace berth::bench
