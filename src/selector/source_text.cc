#include "selector/source_text.h"

#include <algorithm>

#include "selector/utf8.h"

namespace berth::selector {
namespace {
constexpr std::size_t kShownBytes = 64;
}

std::string quoted(std::string_view text) {
  std::string shown = "'";
  std::string_view rest = text;
  while (!rest.empty() && text.size() - rest.size() < kShownBytes) {
    const CodePoint point = first_code_point(rest);
    if (!point.valid) {
      shown += encode_utf8(kReplacement);
    } else if (point.value < 0x20 || point.value == 0x7F) {
      shown += "?";
    } else {
      shown += rest.substr(0, point.bytes);
    }
    rest.remove_prefix(point.bytes);
  }
  return shown + (rest.empty() ? "'" : "...'");
}

std::string place_in(std::string_view source, std::size_t offset) {
  const std::string_view before = source.substr(0, std::min(offset, source.size()));
  const std::size_t last_break = before.rfind('\n');
  const std::size_t start = last_break == std::string_view::npos ? 0 : last_break + 1;
  std::string column = "column " + std::to_string(count_code_points(before.substr(start)) + 1);
  if (source.find('\n') == std::string_view::npos) return column;
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  return "line " + std::to_string(line) + ", " + column;
}

}  // namespace berth::selector
