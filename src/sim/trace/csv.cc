#include "sim/trace/csv.h"

#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace berth::sim {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 60;
  std::string shown = "'";
  for (const char c : text.substr(0, kShown)) {
    const bool printable = c >= ' ' && c != '\x7f';
    shown += printable ? c : '?';
  }
  return shown + (text.size() > kShown ? "...'" : "'");
}

Row::Row(std::string_view source, std::size_t line, std::string_view text)
    : source_(source), line_(line), cells_(split(text, ',')) {}

void Row::complain(std::string_view what, std::string_view expected) {
  if (!error_.empty()) return;
  error_ = std::string(source_) + " line " + std::to_string(line_) + ": " + std::string(what) +
           ", expected " + std::string(expected);
}

std::string Row::text(std::size_t column, std::string_view field) {
  if (is_blank(column)) complain(std::string(field) + " is empty", "a name");
  return std::string(cells_[column]);
}

std::int64_t Row::integer(std::size_t column, std::string_view field, std::int64_t most) {
  const std::string_view cell = cells_[column];
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  const bool whole = code == std::errc() && end == cell.data() + cell.size();
  if (whole && value >= 0 && value <= most) return value;
  complain(std::string(field) + " is " + quoted(cell),
           "an integer from 0 to " + std::to_string(most));
  return 0;
}

double Row::decimal(std::size_t column, std::string_view field, double most) {
  const std::string_view cell = cells_[column];
  double value = 0;
  const auto [end, code] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  const bool whole = code == std::errc() && end == cell.data() + cell.size();
  if (whole && std::isfinite(value) && value >= 0 && value <= most) return value;
  complain(std::string(field) + " is " + quoted(cell),
           "a number from 0 to " + std::to_string(static_cast<std::int64_t>(most)));
  return 0;
}

std::vector<std::string> Row::name_set(std::size_t column, std::string_view field) {
  if (is_blank(column)) return {};
  std::set<std::string> names;
  for (const std::string_view name : split(cells_[column], '|')) {
    if (name.empty()) {
      complain(std::string(field) + " is " + quoted(cells_[column]),
               "names joined by '|', or nothing");
    }
    names.emplace(name);
  }
  return {names.begin(), names.end()};
}

Result<Table> table_of(std::string_view text, std::string_view source) {
  Table table;
  std::vector<std::string_view> lines = split(text, '\n');
  if (lines.back().empty()) lines.pop_back();  // the end of the last line
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].ends_with('\r')) lines[i].remove_suffix(1);
    if (lines[i].size() > kLineBytesLimit) {
      return fail(ErrorCode::kLimitExceeded,
                  std::string(source) + " line " + std::to_string(i + 1) + ": " +
                      std::to_string(lines[i].size()) + " bytes, expected at most " +
                      std::to_string(kLineBytesLimit));
    }
  }
  if (lines.size() > kTraceRowLimit) {
    return fail(ErrorCode::kLimitExceeded,
                std::string(source) + ": " + std::to_string(lines.size()) +
                    " lines, expected at most " + std::to_string(kTraceRowLimit));
  }
  if (lines.empty()) {
    return invalid(std::string(source) + ": is empty, expected a header and rows");
  }
  table.header = lines.front();
  table.lines.assign(lines.begin() + 1, lines.end());
  return table;
}

void UniqueNames::check(Row& row, const std::string& name) {
  if (!names_.insert(name).second) {
    row.complain("the name " + sim::quoted(name) + " stands twice", "each name once");
  }
}

Result<std::string> read_trace_file(const std::string& path) {
  std::error_code status;
  if (std::filesystem::is_directory(path, status)) {
    return invalid(path + ": is a directory, expected a csv file");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return fail(ErrorCode::kNotFound, path + ": cannot be opened, expected a readable csv file");
  }
  std::string text;
  std::array<char, std::size_t{1} << 16> chunk{};
  while (file.read(chunk.data(), chunk.size()) || file.gcount() > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > kTraceBytesLimit) {
      return fail(ErrorCode::kLimitExceeded, path + ": too large, expected at most " +
                                                 std::to_string(kTraceBytesLimit) + " bytes");
    }
  }
  if (file.bad()) {
    return fail(ErrorCode::kUnavailable, path + ": reading failed, expected a readable csv file");
  }
  return text;
}

Error bad_header(std::string_view source, std::string_view header, std::string_view known) {
  return {ErrorCode::kInvalid,
          std::string(source) + " line 1: the header is " + quoted(header) + ", expected '" +
              std::string(known) + "'",
          {},
          0};
}

}  // namespace berth::sim
