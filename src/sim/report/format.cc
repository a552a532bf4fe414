#include "sim/report/format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/check.h"

namespace berth::sim {
namespace {

constexpr std::string_view kMinus = "\u2212";
constexpr std::string_view kNoNumber = "\u2013";

// Digits of |value| with a point, without grouping.
std::string fixed_digits(double value, int decimals) {
  std::array<char, 512> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(),
                                          std::abs(value), std::chars_format::fixed, decimals);
  BERTH_CHECK(error == std::errc());
  return std::string(buffer.data(), end);
}

std::string grouped(const std::string& digits) {
  const std::size_t whole = std::min(digits.find('.'), digits.size());
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && i < whole && (whole - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

bool is_zero_text(std::string_view digits) {
  return digits.find_first_of("123456789") == std::string_view::npos;
}

std::string two_digits(std::int64_t value) {
  return (value < 10 ? "0" : "") + std::to_string(value);
}

// "3 h 12 min" from a whole number of the small unit.
std::string two_units(std::int64_t small, std::int64_t per_large, std::string_view large_name,
                      std::string_view small_name) {
  return count_text(small / per_large) + " " + std::string(large_name) + " " +
         two_digits(small % per_large) + " " + std::string(small_name);
}

std::string magnitude_of_duration(double ms) {
  if (ms < 0.5) return "0 s";
  if (ms < 999.5) return count_text(std::llround(ms)) + " ms";
  if (ms < 59'950) return number_text(ms / 1000, 1) + " s";
  const std::int64_t seconds = std::llround(ms / 1000);
  if (seconds < 3600) return two_units(seconds, 60, "min", "s");
  const std::int64_t minutes = std::llround(ms / static_cast<double>(kMinuteMs));
  if (minutes < 48 * 60) return two_units(minutes, 60, "h", "min");
  return two_units(std::llround(ms / static_cast<double>(kHourMs)), 24, "d", "h");
}

}  // namespace

std::string count_text(std::int64_t value) {
  const std::string digits = std::to_string(value);
  if (value < 0) return std::string(kMinus) + grouped(digits.substr(1));
  return grouped(digits);
}

std::string number_text(double value, int decimals) {
  if (!std::isfinite(value)) return std::string(kNoNumber);
  const std::string digits = fixed_digits(value, decimals);
  return (value < 0 && !is_zero_text(digits) ? std::string(kMinus) : "") + grouped(digits);
}

std::string percent_text(double share, int decimals) {
  return number_text(share * 100, decimals) + " %";
}

std::string duration_text(double duration_ms) {
  // Above 10^15 ms whole minutes and hours no longer fit into what follows.
  if (!std::isfinite(duration_ms) || std::abs(duration_ms) > 1e15) return std::string(kNoNumber);
  if (duration_ms >= 0) return magnitude_of_duration(duration_ms);
  return std::string(kMinus) + magnitude_of_duration(-duration_ms);
}

std::string signed_text(double value, const std::string& magnitude) {
  if (is_zero_text(magnitude)) return "\u00b1" + magnitude;
  return (value < 0 ? std::string(kMinus) : "+") + magnitude;
}

std::string hash_text(std::uint64_t hash) {
  std::string text = "0x";
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[(hash >> shift) & 0xf];
  return text;
}

std::string plain_number(double value, int decimals) {
  if (!std::isfinite(value)) return {};
  std::string digits = fixed_digits(value, decimals);
  if (digits.find('.') != std::string::npos) {
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.') digits.pop_back();
  }
  return (value < 0 && !is_zero_text(digits) ? "-" : "") + digits;
}

std::size_t text_columns(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace berth::sim
