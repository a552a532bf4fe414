#include "selector/functions.h"

#include <algorithm>

namespace berth::selector {
namespace {

using Table = std::span<const Overload> (*)();
constexpr std::array<Table, 7> kTables = {
    arithmetic_functions, comparison_functions, conversion_functions, text_functions,
    list_functions,       optional_functions,   quantity_functions,
};

// "int and int, string and string".
std::string operands(std::span<const Overload> rows) {
  if (rows.size() == 1 && rows[0].parameters[0] == Kind::kDyn) return "two of one type";
  std::string text;
  for (const Overload& row : rows) {
    text += text.empty() ? "" : ", ";
    text += name_of(row.parameters[0]);
    if (row.count > 1) text += " and " + std::string(name_of(row.parameters[1]));
  }
  return text;
}

}  // namespace

std::string signatures(std::span<const Overload> rows) {
  std::string text;
  for (const Overload& row : rows) text += (text.empty() ? "" : ", ") + row.to_text();
  return text;
}

std::string no_overload_text(std::span<const Overload> rows, std::string_view given) {
  const std::string_view name = rows[0].name;
  const std::string refused = " does not take " + std::string(given) + "; accepted: ";
  if (rows[0].form != Form::kOperator) return std::string(name) + "()" + refused + signatures(rows);
  const std::size_t first = name.find_first_not_of('_');  // "+" of "_+_"
  const std::size_t last = name.find_last_not_of('_');
  return "'" + std::string(name.substr(first, last + 1 - first)) + "'" + refused + operands(rows);
}

std::string Overload::to_text() const {
  std::string text;
  std::size_t i = 0;
  if (form == Form::kMember) text = std::string(name_of(parameters[i++])) + ".";
  text += std::string(name) + "(";
  for (const std::size_t first = i; i < count; ++i) {
    text += (i == first ? "" : ", ") + std::string(name_of(parameters[i]));
  }
  return text + ")";
}

std::span<const Overload> find_function(std::string_view name, Form form) {
  const auto is_it = [&](const Overload& row) { return row.name == name && row.form == form; };
  for (const Table table : kTables) {
    const std::span<const Overload> rows = table();
    const auto first = std::find_if(rows.begin(), rows.end(), is_it);
    if (first != rows.end()) return {first, std::find_if_not(first, rows.end(), is_it)};
  }
  return {};
}

std::vector<std::string_view> function_names(Form form) {
  std::vector<std::string_view> names;
  for (const Table table : kTables) {
    for (const Overload& row : table()) {
      if (row.form == form && (names.empty() || names.back() != row.name))
        names.push_back(row.name);
    }
  }
  return names;
}

}  // namespace berth::selector
