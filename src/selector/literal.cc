#include "selector/literal.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "selector/source_text.h"
#include "selector/utf8.h"

namespace berth::selector {
namespace {

enum class Content : std::uint8_t { kText, kBytes };

std::optional<char> simple_escape(char c) {
  switch (c) {
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    case '\\':
    case '\'':
    case '"':
    case '`':
    case '?':
      return c;
    default:
      return std::nullopt;
  }
}

struct NumericEscape {
  std::size_t skipped = 1;  // letters before the digits
  std::size_t digits = 0;
  int base = 16;
};

std::optional<NumericEscape> numeric_escape(char c, Content content) {
  if (c == 'x' || c == 'X') return NumericEscape{1, 2, 16};
  if (c >= '0' && c <= '3') return NumericEscape{0, 3, 8};
  if (content == Content::kBytes) return std::nullopt;
  if (c == 'u') return NumericEscape{1, 4, 16};
  if (c == 'U') return NumericEscape{1, 8, 16};
  return std::nullopt;
}

// All of `text` as a number.
template <typename T>
std::optional<T> all_digits(std::string_view text, int base) {
  T value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return value;
}

class Unescaper {
 public:
  Unescaper(std::string_view text, Content content) : rest_(text), content_(content) {}

  Result<std::string> run() {
    std::string out;
    while (!rest_.empty()) {
      const std::size_t plain = rest_.find('\\');
      out += rest_.substr(0, plain);
      if (plain == std::string_view::npos) break;
      rest_.remove_prefix(plain + 1);
      auto piece = escape();
      if (!piece) return piece;
      out += *piece;
    }
    return out;
  }

 private:
  // Of what stands behind a backslash; takes it off the front.
  Result<std::string> escape() {
    const std::string_view whole = rest_;
    const char kind = rest_.empty() ? '\0' : rest_[0];
    if (const auto simple = simple_escape(kind)) {
      rest_.remove_prefix(1);
      return std::string(1, *simple);
    }
    if (const auto form = numeric_escape(kind, content_)) {
      const std::string_view digits = rest_.substr(form->skipped).substr(0, form->digits);
      const auto value = all_digits<std::uint32_t>(digits, form->base);
      const bool fits = content_ == Content::kBytes || (value && is_scalar(*value));
      if (digits.size() == form->digits && value && fits) {
        rest_.remove_prefix(form->skipped + form->digits);
        if (content_ == Content::kBytes) return std::string(1, static_cast<char>(*value));
        return encode_utf8(*value);
      }
    }
    return invalid(
        "the escape " + quoted("\\" + std::string(whole.substr(0, 1))) +
        " is not one; accepted are \\a \\b \\f \\n \\r \\t \\v \\\\ \\' \\\" \\` \\? \\xHH "
        "\\ooo, in strings also \\uHHHH \\UHHHHHHHH");
  }

  std::string_view rest_;
  Content content_;
};

}  // namespace

Result<std::string> decode_string(std::string_view token) {
  const std::size_t prefix = token.find_first_of("'\"");
  const std::string_view prefixes = token.substr(0, prefix);
  token.remove_prefix(prefix);
  const std::string triple(3, token[0]);
  const std::size_t quotes = token.size() >= 6 && token.starts_with(triple) ? 3 : 1;
  const std::string_view content = token.substr(quotes, token.size() - 2 * quotes);
  if (prefixes.find_first_of("rR") != std::string_view::npos) return std::string(content);
  const bool bytes = prefixes.find_first_of("bB") != std::string_view::npos;
  return Unescaper(content, bytes ? Content::kBytes : Content::kText).run();
}

std::optional<std::uint64_t> decode_uint(std::string_view token) {
  if (token.starts_with("0x") || token.starts_with("0X")) {
    return all_digits<std::uint64_t>(token.substr(2), 16);
  }
  return all_digits<std::uint64_t>(token, 10);
}

std::optional<std::int64_t> decode_int(std::string_view token, Sign sign) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const auto magnitude = decode_uint(token);
  const std::uint64_t most = sign == Sign::kMinus ? kMost + 1 : kMost;
  if (!magnitude || *magnitude > most) return std::nullopt;
  if (sign == Sign::kPlus) return static_cast<std::int64_t>(*magnitude);
  return static_cast<std::int64_t>(0 - *magnitude);
}

std::optional<double> decode_double(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end || text[0] == '+') return std::nullopt;
  return value;
}

}  // namespace berth::selector
