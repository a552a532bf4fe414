#include "codec/quantity.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "base/check.h"
#include "codec/scalar.h"

namespace berth::codec {
namespace {

using Wide = __int128;

std::optional<std::int64_t> narrow(Wide value) {
  if (value > std::numeric_limits<std::int64_t>::max() ||
      value < std::numeric_limits<std::int64_t>::min()) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(value);
}

// The exact value of digits with an optional point, times `scale`; nothing when it is malformed, no
// whole number or beyond 100 bits. At most 18 digits after the point.
std::optional<Wide> scaled_wide(std::string_view text, std::int64_t scale) {
  constexpr Wide kLargest = static_cast<Wide>(1) << 100;
  bool is_negative = false;
  if (!text.empty() && text[0] == '-') {
    is_negative = true;
    text.remove_prefix(1);
  }
  Wide digits = 0;
  Wide divisor = 0;  // 0: no point yet
  bool has_digit = false;
  for (const char c : text) {
    if (c == '.' && divisor == 0 && has_digit) {
      divisor = 1;
      has_digit = false;
    } else if (c >= '0' && c <= '9') {
      digits = digits * 10 + (c - '0');
      divisor *= 10;
      has_digit = true;
    } else {
      return std::nullopt;
    }
    if (digits * scale > kLargest || divisor > 1'000'000'000'000'000'000) return std::nullopt;
  }
  if (!has_digit) return std::nullopt;
  const Wide product = digits * scale;
  if (divisor > 1 && product % divisor != 0) return std::nullopt;
  const Wide value = divisor > 1 ? product / divisor : product;
  return is_negative ? -value : value;
}

std::optional<std::int64_t> scaled(std::string_view text, std::int64_t scale) {
  const std::optional<Wide> value = scaled_wide(text, scale);
  return value ? narrow(*value) : std::nullopt;
}

// The text of a scalar that may be a quantity; nothing for other kinds. An exponent is refused by
// `scaled`.
std::optional<std::string> quantity_text(const Document& value) {
  switch (value.kind()) {
    case Document::Kind::kInteger:
      return std::to_string(value.as_integer());
    case Document::Kind::kDecimal:
      return value.decimal_text();
    case Document::Kind::kString:
      return value.as_string();
    default:
      return std::nullopt;
  }
}

struct Unit {
  std::string_view name;
  std::int64_t factor;
};

// The largest first, so that writing takes the largest that divides.
constexpr std::array<Unit, 5> kTimeUnits = {
    {{"d", 24 * kHourMs}, {"h", kHourMs}, {"m", kMinuteMs}, {"s", kSecondMs}, {"ms", 1}}};
constexpr std::array<Unit, 3> kMemoryUnits = {{{"TiB", 1024 * 1024}, {"GiB", 1024}, {"MiB", 1}}};
constexpr std::array<Unit, 3> kShortMemoryUnits = {{{"Ti", 1024 * 1024}, {"Gi", 1024}, {"Mi", 1}}};

template <std::size_t kCount>
const Unit* find_unit(const std::array<Unit, kCount>& units, std::string_view name) {
  for (const Unit& unit : units) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

// One "1.5h" off the front of the text.
std::optional<std::int64_t> take_duration(std::string_view& rest) {
  const std::size_t number = std::min(rest.find_first_not_of("0123456789."), rest.size());
  const std::size_t next = std::min(rest.find_first_of("0123456789.", number), rest.size());
  const Unit* unit = find_unit(kTimeUnits, rest.substr(number, next - number));
  if (unit == nullptr) return std::nullopt;
  const std::optional<std::int64_t> value = scaled(rest.substr(0, number), unit->factor);
  rest.remove_prefix(next);
  return value;
}

std::string power_of_ten_digits(std::int64_t value, std::int64_t scale) {
  std::string digits = std::to_string(value % scale);
  const std::size_t width = std::to_string(scale).size() - 1;
  digits.insert(0, width - digits.size(), '0');
  while (digits.back() == '0') digits.pop_back();
  return digits;
}

}  // namespace

Result<DurationMs> parse_duration(const Document& value) {
  constexpr const char* kAccepted = "a duration such as 250ms, 90s, 5m, 2h or 3d";
  if (value.is(Document::Kind::kInteger) && value.as_integer() == 0) return 0;
  if (value.is(Document::Kind::kInteger) || value.is(Document::Kind::kDecimal)) {
    return invalid(std::string(kAccepted) + ", with its unit,");
  }
  if (!value.is(Document::Kind::kString)) return invalid(kAccepted);
  std::string_view rest = value.as_string();
  const bool is_negative = rest.starts_with('-');
  if (is_negative) rest.remove_prefix(1);
  std::optional<std::int64_t> sum = rest.empty() ? std::nullopt : std::optional<std::int64_t>(0);
  while (sum && !rest.empty()) {
    const std::optional<std::int64_t> part = take_duration(rest);
    sum = part ? narrow(static_cast<Wide>(*sum) + *part) : std::nullopt;
  }
  if (!sum) return invalid(kAccepted);
  return is_negative ? -*sum : *sum;
}

Document duration_document(DurationMs duration) {
  if (duration == 0) return Document::string("0s");
  for (const Unit& unit : kTimeUnits) {
    if (duration % unit.factor == 0) {
      return Document::string(std::to_string(duration / unit.factor) + std::string(unit.name));
    }
  }
  return Document();  // not reached: the last factor is 1
}

Result<Mib> parse_memory(const Document& value) {
  constexpr const char* kAccepted = "a memory size such as 80GiB, 512MiB or a whole number of MiB";
  if (value.is(Document::Kind::kInteger)) return value.as_integer();
  if (!value.is(Document::Kind::kString)) return invalid(kAccepted);
  const std::string_view text = value.as_string();
  const std::size_t number = std::min(text.find_first_not_of("-0123456789."), text.size());
  const std::string_view suffix = text.substr(number);
  const Unit* unit = find_unit(kMemoryUnits, suffix);
  if (unit == nullptr) unit = find_unit(kShortMemoryUnits, suffix);
  if (unit == nullptr) return invalid(kAccepted);
  if (const auto mib = scaled(text.substr(0, number), unit->factor)) return *mib;
  return invalid(kAccepted);
}

Document memory_document(Mib memory) {
  for (const Unit& unit : kMemoryUnits) {
    if (memory % unit.factor == 0 && memory != 0) {
      return Document::string(std::to_string(memory / unit.factor) + std::string(unit.name));
    }
  }
  return Document::string("0MiB");
}

Result<std::int64_t> parse_ratio(const Document& value, std::int64_t scale) {
  constexpr const char* kAccepted = "a share such as 25%, 0.25, 1/4 or 2";
  const std::optional<std::string> text = quantity_text(value);
  if (!text) return invalid(kAccepted);
  std::optional<std::int64_t> result;
  if (text->ends_with('%')) {
    const auto percent = scaled_wide(std::string_view(*text).substr(0, text->size() - 1), scale);
    if (percent && *percent % 100 == 0) result = narrow(*percent / 100);
  } else if (const std::size_t slash = text->find('/'); slash != std::string::npos) {
    const auto above = scaled_wide(std::string_view(*text).substr(0, slash), scale);
    const auto below = scaled_wide(std::string_view(*text).substr(slash + 1), 1);
    if (above && below && *below > 0 && *above % *below == 0) result = narrow(*above / *below);
  } else {
    result = scaled(*text, scale);
  }
  if (result) return *result;
  return invalid(std::string(kAccepted) + ", in whole steps of 1/" + std::to_string(scale) + ",");
}

Document ratio_document(std::int64_t value, std::int64_t scale) {
  if (value % scale == 0) return Document::integer(value / scale);
  // A finite decimal with few digits, else the fraction in lowest terms.
  for (const std::int64_t steps : {10, 100, 1000}) {
    const Wide scaled_up = static_cast<Wide>(value) * steps;
    if (scaled_up % scale == 0) {
      return amount_document(static_cast<std::int64_t>(scaled_up / scale), steps);
    }
  }
  const std::int64_t divisor = std::gcd(value, scale);
  return Document::string(std::to_string(value / divisor) + "/" + std::to_string(scale / divisor));
}

Result<std::int64_t> parse_amount(const Document& value, std::int64_t scale) {
  if (value.is(Document::Kind::kInteger) || value.is(Document::Kind::kDecimal)) {
    if (const auto amount = scaled(*quantity_text(value), scale)) return *amount;
  }
  return invalid("a number such as 2.5, in whole steps of 1/" + std::to_string(scale) + ",");
}

Result<CpuMilli> parse_cpu(const Document& value) {
  if (value.is(Document::Kind::kString) && value.as_string().ends_with('m')) {
    const std::string& text = value.as_string();
    if (const auto milli = scaled(std::string_view(text).substr(0, text.size() - 1), 1)) {
      return *milli;
    }
  } else if (const auto cpu = parse_amount(value, 1000)) {
    return *cpu;
  }
  return invalid("a number of CPUs such as 4, 0.5 or 500m");
}

Document amount_document(std::int64_t value, std::int64_t scale) {
  if (value % scale == 0) return Document::integer(value / scale);
  const std::string sign = value < 0 ? "-" : "";
  const std::int64_t whole = value / scale;
  // The remainder alone is negated: the least integer has no positive twin.
  const std::int64_t rest = value % scale < 0 ? -(value % scale) : value % scale;
  return Document::decimal(sign + std::to_string(whole < 0 ? -whole : whole) + "." +
                           power_of_ten_digits(rest, scale));
}

Document number_document(double value) {
  BERTH_CHECK(std::isfinite(value));
  constexpr double kPlain = 1e15;
  if (std::floor(value) == value && std::fabs(value) < kPlain) {
    return Document::integer(static_cast<std::int64_t>(value));
  }
  std::array<char, 32> text{};
  const auto format =
      std::fabs(value) < kPlain ? std::chars_format::general : std::chars_format::scientific;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, format);
  return Document::decimal(std::string(text.data(), end.ptr));
}

}  // namespace berth::codec
