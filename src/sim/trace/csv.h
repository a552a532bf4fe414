// Tables of comma-separated values as traces use them: one header, one row a line, no quoting; LF
// or CRLF. Owns the split into cells, the checks of single cells and the form of a complaint. It
// never repairs a cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "sim/trace/bad_rows.h"

namespace berth::sim {

inline constexpr std::size_t kTraceBytesLimit = std::size_t{256} << 20;
inline constexpr std::size_t kTraceRowLimit = 20'000'000;
inline constexpr std::size_t kLineBytesLimit = 64 * 1024;

// A data row. Its getters remember the first complaint, so that a parser reads like the format.
class Row {
 public:
  Row(std::string_view source, std::size_t line, std::string_view text);

  std::size_t cells() const { return cells_.size(); }
  std::string_view cell(std::size_t column) const { return cells_[column]; }
  bool is_blank(std::size_t column) const { return cells_[column].empty(); }
  // "pods.csv line 7: num_gpu is 'x', expected an integer from 0 to 1024"; empty when all is well.
  const std::string& error() const { return error_; }

  void complain(std::string_view what, std::string_view expected);

  // Any text that is not empty.
  std::string text(std::size_t column, std::string_view field);
  std::int64_t integer(std::size_t column, std::string_view field, std::int64_t most);
  // Not negative, finite, with or without a fraction.
  double decimal(std::size_t column, std::string_view field, double most);
  // "A|B|B" is the set {A, B}, sorted; an empty cell is the empty set.
  std::vector<std::string> name_set(std::size_t column, std::string_view field);

 private:
  std::string_view source_;
  std::size_t line_;
  std::vector<std::string_view> cells_;
  std::string error_;
};

// The lines of a text without their ends; `lines[i]` is line i + 2 of the file.
struct Table {
  std::string_view header;
  std::vector<std::string_view> lines;
};
Result<Table> table_of(std::string_view text, std::string_view source);

template <typename Item>
struct Rows {
  std::vector<Item> items;
  SkippedRows skipped;
};

// At least one row is needed. `item_of(row)` complains about what it cannot use.
template <typename Item, typename ItemOf>
Result<Rows<Item>> parse_rows(const Table& table, std::string_view source, std::size_t columns,
                              BadRows bad_rows, ItemOf item_of) {
  Rows<Item> rows;
  rows.items.reserve(table.lines.size());
  for (std::size_t i = 0; i < table.lines.size(); ++i) {
    Row row(source, i + 2, table.lines[i]);
    Item item;
    if (row.cells() != columns) {
      row.complain(std::to_string(row.cells()) + " columns", std::to_string(columns));
    } else {
      item = item_of(row);
    }
    if (row.error().empty()) {
      rows.items.push_back(std::move(item));
    } else if (bad_rows == BadRows::kRefuse) {
      return invalid(row.error());
    } else {
      rows.skipped.add(row.error());
    }
  }
  if (!rows.items.empty()) return rows;
  return invalid(std::string(source) + ": no rows, expected at least one below the header" +
                 (rows.skipped.complaints.empty() ? "" : "; " + rows.skipped.complaints.front()));
}

// Complains about a name that another row of the table has.
class UniqueNames {
 public:
  void check(Row& row, const std::string& name);

 private:
  std::set<std::string, std::less<>> names_;
};

Result<std::string> read_trace_file(const std::string& path);

// Parts between the separators; at least one.
std::vector<std::string_view> split(std::string_view text, char separator);
// The text in quotes, short and free of control characters.
std::string quoted(std::string_view text);
// "pods.csv line 1: the header is 'a,b', expected 'c,d'"
Error bad_header(std::string_view source, std::string_view header, std::string_view known);

}  // namespace berth::sim
