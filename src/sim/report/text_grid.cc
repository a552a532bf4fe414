#include "sim/report/text_grid.h"

#include <algorithm>
#include <utility>

#include "sim/report/format.h"

namespace berth::sim {
namespace {

constexpr std::string_view kGap = "  ";

std::string_view ansi_code(Ink ink) {
  switch (ink) {
    case Ink::kPlain:
      return "";
    case Ink::kStrong:
      return "1";
    case Ink::kFaint:
      return "2";
    case Ink::kGood:
      return "36";  // cyan and yellow: told apart by every common kind of colour vision
    case Ink::kBad:
      return "33";
  }
  return "";
}

}  // namespace

TextCell::TextCell(std::string cell_text, Ink cell_ink)
    : text(printable(cell_text)), ink(cell_ink) {}

std::string printable(const std::string& text) {
  std::string result = text;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto byte = static_cast<unsigned char>(result[i]);
    if (byte < 0x20 || byte == 0x7f) result[i] = '?';
    // U+0080 to U+009F: the second set of control characters, C2 80 to C2 9F.
    if (byte == 0xc2 && i + 1 < result.size() && static_cast<unsigned char>(result[i + 1]) < 0xa0) {
      result.replace(i, 2, "?");
    }
  }
  return result;
}

std::string inked(const std::string& text, Ink ink, Colours colours) {
  if (colours == Colours::kOff || ink == Ink::kPlain || text.empty()) return text;
  return "\x1b[" + std::string(ansi_code(ink)) + "m" + text + "\x1b[0m";
}

std::vector<std::size_t> TextGrid::widths() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], text_columns(row[column].text));
    }
  }
  return widths;
}

std::string TextGrid::to_text(Colours colours) const {
  const std::vector<std::size_t> columns = widths();
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t column = 0; column < row.size(); ++column) {
      const TextCell& cell = row[column];
      const std::string padding(columns[column] - text_columns(cell.text), ' ');
      const std::string shown = inked(cell.text, cell.ink, colours);
      line += kGap;
      line += column == 0 ? shown + padding : padding + shown;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace berth::sim
