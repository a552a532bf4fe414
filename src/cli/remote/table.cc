#include "cli/remote/table.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "server/timestamp.h"

namespace berth::cli {
namespace {

using codec::Document;

// Characters, not bytes: bars and names may be beyond ASCII.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t used = columns_of(text);
  return used >= width ? text : text + std::string(width - used, ' ');
}

struct Paint {
  std::string_view word;
  std::string_view code;
};
constexpr std::array<Paint, 14> kPaints = {{{"running", "32"},
                                            {"ready", "32"},
                                            {"succeeded", "2"},
                                            {"cancelled", "2"},
                                            {"pending", "33"},
                                            {"preparing", "36"},
                                            {"repairing", "33"},
                                            {"releasing", "36"},
                                            {"suspended", "35"},
                                            {"failed", "31"},
                                            {"lost", "31"},
                                            {"cordoned", "33"},
                                            {"draining", "33"},
                                            {"resetting", "33"}}};

}  // namespace

std::string text_of(const Document& item, std::string_view name) {
  const Document* value = item.is(Document::Kind::kMap) ? item.find(name) : nullptr;
  if (value == nullptr) return {};
  switch (value->kind()) {
    case Document::Kind::kString:
      return value->as_string();
    case Document::Kind::kBool:
      return value->as_bool() ? "yes" : "";
    case Document::Kind::kInteger:
      return std::to_string(value->as_integer());
    case Document::Kind::kDecimal:
      return amount_text(value->as_number());
    default:
      return {};
  }
}

double number_of(const Document& item, std::string_view name) {
  const Document* value = item.is(Document::Kind::kMap) ? item.find(name) : nullptr;
  if (value == nullptr) return 0;
  if (value->is(Document::Kind::kInteger) || value->is(Document::Kind::kDecimal)) {
    return value->as_number();
  }
  return 0;
}

std::string amount_text(double value) {
  const auto hundredths = std::llround(value * 100);
  std::string text = std::to_string(hundredths / 100);
  if (hundredths % 100 == 0) return text;
  text += "." + std::to_string(std::llabs(hundredths % 100) + 100).substr(1);
  while (text.ends_with('0')) text.pop_back();
  return text;
}

std::string age_text(std::int64_t ms) {
  const std::int64_t seconds = std::max<std::int64_t>(0, ms / 1000);
  if (seconds < 120) return std::to_string(seconds) + "s";
  if (seconds < 2 * 3600) return std::to_string(seconds / 60) + "m";
  if (seconds < 48 * 3600) return std::to_string(seconds / 3600) + "h";
  return std::to_string(seconds / 86400) + "d";
}

Cell field(std::string name) {
  return
      [name = std::move(name)](const Document& item, std::int64_t) { return text_of(item, name); };
}

Cell amount(std::string name) {
  return [name = std::move(name)](const Document& item, std::int64_t) {
    return amount_text(number_of(item, name));
  };
}

Cell age(std::string name) {
  return [name = std::move(name)](const Document& item, std::int64_t now_ms) -> std::string {
    const auto at = server::parse_timestamp(text_of(item, name));
    return at ? age_text(now_ms - *at) : "";
  };
}

std::vector<std::string> table_lines(const std::vector<Column>& columns,
                                     const std::vector<Document>& items, Width width,
                                     std::int64_t now_ms) {
  std::vector<const Column*> shown;
  for (const Column& column : columns) {
    if (width == Width::kWide || !column.is_wide) shown.push_back(&column);
  }
  std::vector<std::vector<std::string>> rows(1);
  for (const Column* column : shown) rows.front().push_back(column->title);
  for (const Document& item : items) {
    std::vector<std::string> row;
    for (const Column* column : shown) {
      std::string text = column->cell(item, now_ms);
      row.push_back(text.empty() ? "-" : std::move(text));
    }
    rows.push_back(std::move(row));
  }
  std::vector<std::size_t> widths(shown.size(), 0);
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], columns_of(row[c]));
  }
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      line += c + 1 == row.size() ? row[c] : padded(row[c], widths[c] + 2);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string coloured(const std::string& line, Console& console) {
  if (!console.out_has_colours()) return line;
  for (const Paint& paint : kPaints) {
    const std::size_t at = line.find(" " + std::string(paint.word) + " ");
    if (at == std::string::npos) continue;
    return line.substr(0, at + 1) + "\x1b[" + std::string(paint.code) + "m" +
           std::string(paint.word) + "\x1b[0m" + line.substr(at + 1 + paint.word.size());
  }
  return line;
}

}  // namespace berth::cli
