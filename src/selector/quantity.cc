#include "selector/quantity.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "selector/source_text.h"

namespace berth::selector {
namespace {

constexpr std::size_t kLongestText = 128;  // bytes; more digits than that mean nothing
constexpr int kNanoDigits = 9;
constexpr int kFarExponent = 1000;  // larger exponents give the same: the cap, or one nano
constexpr int kMostDigits = 29;     // more digits of nano units exceed the cap for certain
constexpr __int128 kCapNano =
    static_cast<__int128>(std::numeric_limits<std::int64_t>::max()) * 1'000'000'000;

// value = digits * 2^(10 * kibis) * 10^exponent
struct Scale {
  int kibis = 0;
  int exponent = 0;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<Scale> exponent_scale(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  int exponent = 0;
  for (const char c : text) exponent = std::min(exponent * 10 + (c - '0'), kFarExponent);
  return Scale{0, negative ? -exponent : exponent};
}

std::optional<Scale> suffix_scale(std::string_view suffix) {
  constexpr std::string_view kBinary = "KMGTPE";
  constexpr std::string_view kDecimal = "num_kMGTPE";  // steps of 10^3 from 10^-9; `_` is no suffix
  if (suffix.empty()) return Scale{};
  if (suffix.size() == 1 && suffix != "_") {
    const std::size_t step = kDecimal.find(suffix[0]);
    if (step == std::string_view::npos) return std::nullopt;
    return Scale{0, static_cast<int>(step) * 3 - kNanoDigits};
  }
  if (suffix.size() == 2 && suffix[1] == 'i') {
    const std::size_t step = kBinary.find(suffix[0]);
    if (step == std::string_view::npos) return std::nullopt;
    return Scale{static_cast<int>(step) + 1, 0};
  }
  if (suffix[0] == 'e' || suffix[0] == 'E') return exponent_scale(suffix.substr(1));
  return std::nullopt;
}

// The number times 1024; the most significant digit is first.
void times_1024(std::vector<int>& digits) {
  int carry = 0;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    const int value = *digit * 1024 + carry;
    *digit = value % 10;
    carry = value / 10;
  }
  for (; carry > 0; carry /= 10) digits.insert(digits.begin(), carry % 10);
}

// digits * 10^exponent, rounded up and capped.
__int128 nano_of(std::vector<int> digits, int exponent) {
  const auto first = std::find_if(digits.begin(), digits.end(), [](int d) { return d != 0; });
  digits.erase(digits.begin(), first);
  if (digits.empty()) return 0;
  const int whole = static_cast<int>(digits.size()) + exponent;  // digits before the point
  if (whole > kMostDigits) return kCapNano;
  __int128 nano = 0;
  for (int i = 0; i < whole; ++i) {
    const auto at = static_cast<std::size_t>(i);
    nano = nano * 10 + (at < digits.size() ? digits[at] : 0);
  }
  const auto rest = digits.begin() + std::clamp(whole, 0, static_cast<int>(digits.size()));
  if (std::any_of(rest, digits.end(), [](int d) { return d != 0; })) ++nano;
  return std::min(nano, kCapNano);
}

tl::unexpected<Error> no_quantity(std::string_view text) {
  return invalid(quoted(text) +
                 " is not a quantity; a number with one of the suffixes n u m k M G T P E Ki Mi Gi "
                 "Ti Pi Ei or an exponent is accepted, such as '40Gi'");
}

}  // namespace

Result<Quantity> Quantity::parse(std::string_view text) {
  if (text.size() > kLongestText) return no_quantity(text);
  std::string_view rest = text;
  bool negative = false;
  if (!rest.empty() && (rest[0] == '+' || rest[0] == '-')) {
    negative = rest[0] == '-';
    rest.remove_prefix(1);
  }
  std::vector<int> digits;
  int fraction = 0;
  bool pointed = false;
  while (!rest.empty() && (is_digit(rest[0]) || (rest[0] == '.' && !pointed))) {
    if (rest[0] == '.') {
      pointed = true;
    } else {
      digits.push_back(rest[0] - '0');
      if (pointed) ++fraction;
    }
    rest.remove_prefix(1);
  }
  const std::optional<Scale> scale = suffix_scale(rest);
  if (digits.empty() || !scale) return no_quantity(text);
  for (int i = 0; i < scale->kibis; ++i) times_1024(digits);
  const __int128 nano = nano_of(std::move(digits), scale->exponent - fraction + kNanoDigits);
  return Quantity(negative ? -nano : nano);
}

std::optional<Quantity> Quantity::plus(const Quantity& other) const {
  __int128 sum = 0;
  if (__builtin_add_overflow(nano_, other.nano_, &sum)) return std::nullopt;
  return Quantity(sum);
}

std::optional<Quantity> Quantity::minus(const Quantity& other) const {
  __int128 difference = 0;
  if (__builtin_sub_overflow(nano_, other.nano_, &difference)) return std::nullopt;
  return Quantity(difference);
}

std::optional<std::int64_t> Quantity::as_integer() const {
  const __int128 units = nano_ / kNano;
  if (nano_ % kNano != 0 || units < std::numeric_limits<std::int64_t>::min() ||
      units > std::numeric_limits<std::int64_t>::max()) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(units);
}

double Quantity::as_approximate_float() const {
  const __int128 units = nano_ / kNano;
  const __int128 rest = nano_ % kNano;
  return static_cast<double>(units) + static_cast<double>(rest) / static_cast<double>(kNano);
}

}  // namespace berth::selector
