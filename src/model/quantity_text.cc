#include "model/quantity_text.h"

#include "model/rejection.h"

namespace berth {

std::string thousandths_text(std::int64_t milli) {
  std::string text = grouped(milli / 1000);
  if (milli % 1000 == 0) return text;
  std::string digits = std::to_string(1000 + milli % 1000).substr(1);
  digits.erase(digits.find_last_not_of('0') + 1);
  return text + "." + digits;
}

}  // namespace berth
