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
  const auto up = [ms](std::int64_t unit) { return grouped((ms + unit - 1) / unit); };
  if (ms < kMinuteMs) return up(kSecondMs) + "s";
  return ms < 10 * kHourMs ? up(kMinuteMs) + "m" : up(kHourMs) + "h";
}

}  // namespace berth
