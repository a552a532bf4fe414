#include "codec/scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "codec/utf8.h"

namespace berth::codec {
namespace {

constexpr std::string_view kDigits = "0123456789";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes digits off the front; how many there were.
std::size_t take_digits(std::string_view& rest) {
  const std::size_t count = std::min(rest.find_first_not_of(kDigits), rest.size());
  rest.remove_prefix(count);
  return count;
}

bool take_exponent(std::string_view& rest) {
  if (rest.empty() || (rest[0] != 'e' && rest[0] != 'E')) return false;
  rest.remove_prefix(1);
  if (!rest.empty() && (rest[0] == '+' || rest[0] == '-')) rest.remove_prefix(1);
  return take_digits(rest) > 0;
}

enum class Shape { kNone, kInteger, kDecimal };

// The shape of unsigned text, with a whole part as JSON wants it.
Shape number_shape(std::string_view text) {
  std::string_view rest = text;
  const std::size_t whole = take_digits(rest);
  if (whole == 0 || (whole > 1 && text[0] == '0')) return Shape::kNone;
  if (rest.empty()) return Shape::kInteger;
  if (rest[0] == '.') {
    rest.remove_prefix(1);
    if (take_digits(rest) == 0) return Shape::kNone;
    if (rest.empty()) return Shape::kDecimal;
  }
  return take_exponent(rest) && rest.empty() ? Shape::kDecimal : Shape::kNone;
}

std::string_view without_minus(std::string_view text) {
  if (!text.empty() && text[0] == '-') text.remove_prefix(1);
  return text;
}

bool is_finite_decimal(std::string_view text) {
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  return end.ec == std::errc() && std::isfinite(value);
}

// "+1.5" -> "1.5", "-.5" -> "-0.5"; other texts as they are.
std::string canonical_number(std::string_view text) {
  std::string sign;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    if (text[0] == '-') sign = "-";
    text.remove_prefix(1);
  }
  if (text.size() > 1 && text[0] == '.' && is_digit(text[1])) sign += "0";
  return sign + std::string(text);
}

Result<Document> integer_scalar(std::string_view text) {
  std::int64_t value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec == std::errc()) return Document::integer(value);
  return invalid("the whole number " + shown(text) +
                 " does not fit in 64 bits; put it in quotes if it is text");
}

template <std::size_t kCount>
bool is_one_of(std::string_view text, const std::array<std::string_view, kCount>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

constexpr std::array<std::string_view, 5> kNullWords = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 3> kTrueWords = {"true", "True", "TRUE"};
constexpr std::array<std::string_view, 3> kFalseWords = {"false", "False", "FALSE"};

// Words that YAML 1.1 readers take for something else than text, in lower case.
constexpr std::array<std::string_view, 14> kUnsafeWords = {"null", "true", "false", "yes", "no",
                                                           "on",   "off",  "y",     "n",   "nan",
                                                           "inf",  ".nan", ".inf",  "<<"};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

Result<Document> plain_scalar(std::string_view text) {
  if (is_one_of(text, kNullWords)) return Document();
  if (is_one_of(text, kTrueWords)) return Document::boolean(true);
  if (is_one_of(text, kFalseWords)) return Document::boolean(false);
  const std::string number = canonical_number(text);
  switch (number_shape(without_minus(number))) {
    case Shape::kInteger:
      return integer_scalar(number);
    case Shape::kDecimal:
      return decimal_scalar(number);
    case Shape::kNone:
      break;
  }
  return Document::string(std::string(text));
}

Result<Document> decimal_scalar(std::string_view text) {
  if (number_shape(without_minus(text)) == Shape::kInteger) return integer_scalar(text);
  if (is_finite_decimal(text)) return Document::decimal(std::string(text));
  return invalid("the number " + shown(text) +
                 " is too large or too close to 0; put it in quotes if it is text");
}

bool is_decimal_text(std::string_view text) {
  return number_shape(without_minus(text)) == Shape::kDecimal && is_finite_decimal(text);
}

bool is_safe_plain(std::string_view text) {
  if (text.empty() || is_one_of(lower(text), kUnsafeWords)) return false;
  const char first = text.front();
  if (!is_letter(first) && !is_digit(first) && first != '_' && first != '/') return false;
  const auto allowed = [](char c) {
    return is_letter(c) || is_digit(c) ||
           std::string_view("_./-+%").find(c) != std::string_view::npos;
  };
  if (!std::all_of(text.begin(), text.end(), allowed)) return false;
  if (!is_digit(first)) return true;
  // Numbers, dates and the like of any YAML version.
  return text.find_first_not_of("0123456789_.+-eE") != std::string_view::npos &&
         !(first == '0' && text.size() > 1 && is_letter(text[1]));
}

std::string shown(std::string_view text) {
  constexpr std::size_t kShown = 60;
  std::string part(utf8_prefix(text, kShown));
  for (char& c : part) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return "'" + part + (text.size() > kShown ? "…'" : "'");
}

std::string number_hint(std::string_view text) {
  if (text.empty()) return {};
  const std::string word = lower(text);
  std::string_view rest = word;
  if (rest[0] == '+' || rest[0] == '-') rest.remove_prefix(1);
  if (rest == ".nan" || rest == "nan") return "'not a number' is never accepted";
  if (rest == ".inf" || rest == "inf" || rest == "infinity") return "infinity is never accepted";
  if (rest.starts_with("0x")) return "hexadecimal is not accepted; write decimal digits";
  if (rest.starts_with("0o")) return "octal is not accepted; write decimal digits";
  if (rest.size() > 1 && rest.find_first_not_of("0123456789_,") == std::string_view::npos) {
    return "write the digits without leading zeros, '_' or ','";
  }
  if (plain_scalar(text).value_or(Document()).is_scalar() && number_shape(rest) != Shape::kNone) {
    return "write it without quotes";
  }
  return {};
}

}  // namespace berth::codec
