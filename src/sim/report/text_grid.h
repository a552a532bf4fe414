// TextGrid: cells of text in aligned columns, the first one to the left and the others to the
// right. Control characters of cells never reach the terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/report/table.h"

namespace berth::sim {

enum class Ink : std::uint8_t { kPlain, kStrong, kFaint, kGood, kBad };

struct TextCell {
  TextCell(std::string cell_text = {}, Ink cell_ink = Ink::kPlain);  // implicit: cells are text

  std::string text;
  Ink ink;
};

class TextGrid {
 public:
  void add(std::vector<TextCell> row) { rows_.push_back(std::move(row)); }
  std::string to_text(Colours colours) const;

 private:
  std::vector<std::size_t> widths() const;

  std::vector<std::vector<TextCell>> rows_;
};

std::string inked(const std::string& text, Ink ink, Colours colours);

// The text with control characters as '?'.
std::string printable(const std::string& text);

}  // namespace berth::sim
