#include "model/quantity_text.h"

#include "base/units.h"
#include "model/rejection.h"

namespace berth {

std::string thousandths_text(std::int64_t milli) {
  std::string text = grouped(milli / 1000);
  if (milli % 1000 == 0) return text;
  std::string digits = std::to_string(1000 + milli % 1000).substr(1);
  digits.erase(digits.find_last_not_of('0') + 1);
  return text + "." + digits;
}

std::string ahead_text(std::int64_t ms) {
  const auto up = [ms](std::int64_t unit) { return (ms + unit - 1) / unit; };
  if (ms < kMinuteMs) return grouped(up(kSecondMs)) + " s";
  if (ms >= 10 * kHourMs) return grouped(up(kHourMs)) + " h";
  const std::int64_t minutes = up(kMinuteMs);
  const std::string rest = std::to_string(minutes % 60);
  if (minutes < 60) return rest + " min";
  const std::string hours = std::to_string(minutes / 60) + " h";
  return minutes % 60 == 0 ? hours : hours + " " + (rest.size() < 2 ? "0" : "") + rest + " min";
}

}  // namespace berth
