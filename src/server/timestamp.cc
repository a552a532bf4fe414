#include "server/timestamp.h"

#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstdio>

namespace berth::server {
namespace {

using Days = std::chrono::sys_days;

// The digits at [from, from + count); -1 when there are others.
int digits(std::string_view text, std::size_t from, std::size_t count) {
  if (from + count > text.size()) return -1;
  int value = 0;
  for (std::size_t i = from; i < from + count; ++i) {
    if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

bool has_marks(std::string_view text) {
  return text[4] == '-' && text[7] == '-' && (text[10] == 'T' || text[10] == ' ') &&
         text[13] == ':' && text[16] == ':';
}

// ".123" -> 123; digits beyond are dropped. -1: it is none.
int parse_millis(std::string_view fraction) {
  if (fraction.empty()) return 0;
  if (fraction.front() != '.' || fraction.size() < 2) return -1;
  int millis = 0;
  for (std::size_t i = 1; i < std::max<std::size_t>(fraction.size(), 4); ++i) {
    const int digit = i < fraction.size() ? digits(fraction, i, 1) : 0;
    if (digit < 0) return -1;
    if (i <= 3) millis = millis * 10 + digit;
  }
  return millis;
}

}  // namespace

std::string timestamp_text(TimeMs at) {
  const auto time = std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(at));
  const Days day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  std::array<char, 48> text{};
  const int length = std::snprintf(
      text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ",
      static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
      static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
      static_cast<int>(clock.minutes().count()), static_cast<int>(clock.seconds().count()),
      static_cast<int>(clock.subseconds().count()));
  return {text.data(), static_cast<std::size_t>(length)};
}

std::optional<TimeMs> parse_timestamp(std::string_view text) {
  if (text.size() < 20 || text.back() != 'Z' || !has_marks(text)) return std::nullopt;
  const int year = digits(text, 0, 4);
  const int month = digits(text, 5, 2);
  const int day = digits(text, 8, 2);
  const int hour = digits(text, 11, 2);
  const int minute = digits(text, 14, 2);
  const int second = digits(text, 17, 2);
  const int millis = parse_millis(text.substr(19, text.size() - 20));
  if (year < 0 || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 ||
      millis < 0 || month < 0 || day < 0) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  const auto days = Days(date).time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(days).count() + hour * kHourMs +
         minute * kMinuteMs + second * kSecondMs + millis;
}

std::optional<TimeMs> Timestamp::read_time(const codec::Document& value,
                                           codec::ReadContext& context) {
  if (value.is(codec::Document::Kind::kString)) {
    if (const auto at = parse_timestamp(value.as_string())) return at;
  }
  context.add_unexpected(value, "a time such as 2026-11-29T11:20:00.123Z");
  return std::nullopt;
}

codec::TypeInfo Timestamp::describe() {
  codec::TypeInfo info;
  info.name = "time";
  info.accepted = "RFC 3339, UTC";
  info.json_schema = codec::Document::map();
  info.json_schema.add("type", codec::Document::string("string"));
  info.json_schema.add("format", codec::Document::string("date-time"));
  return info;
}

}  // namespace berth::server
