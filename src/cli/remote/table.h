// Tables of answers: columns over the members of documents.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "codec/document.h"

namespace berth::cli {

// What a cell shows; `now` is the server's time in ms, for ages.
using Cell = std::function<std::string(const codec::Document& item, std::int64_t now_ms)>;

struct Column {
  std::string title;
  Cell cell;
  bool is_wide = false;  // shown with -o wide only
};

enum class Width : std::uint8_t { kNarrow, kWide };
enum class Align : std::uint8_t { kLeft, kRight };

std::string text_of(const codec::Document& item, std::string_view name);  // "" when absent
double number_of(const codec::Document& item, std::string_view name);     // 0 when absent
std::string amount_text(double amount);                                   // "8", "0.5"
std::string age_text(std::int64_t ms);                                    // "5m", "3h", "2d"

Cell field(std::string name);
Cell amount(std::string name);
Cell age(std::string name);  // of a time

// One line for each item, columns as wide as they need; the titles first.
std::vector<std::string> table_lines(const std::vector<Column>& columns,
                                     const std::vector<codec::Document>& items, Width width,
                                     std::int64_t now_ms);

// Words that tell good from bad are coloured on a terminal.
std::string coloured(const std::string& line, Console& console);

}  // namespace berth::cli
