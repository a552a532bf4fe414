#include "server/cards_number.h"

#include <cmath>

namespace berth::server {

std::optional<CardUnits> CardsNumber::read_cards(const codec::Document& value,
                                                 codec::ReadContext& context) {
  if (value.is(codec::Document::Kind::kInteger) || value.is(codec::Document::Kind::kDecimal)) {
    return std::llround(value.as_number() * static_cast<double>(kCard));
  }
  context.add_unexpected(value, "a number of cards");
  return std::nullopt;
}

codec::Document CardsNumber::document_of(CardUnits value) {
  const CardUnits milli = floor_div(value + kCardMilli / 2, kCardMilli);
  if (milli % 1000 == 0) return codec::Document::integer(milli / 1000);
  const CardUnits part = milli < 0 ? -milli : milli;
  std::string digits = std::to_string(1000 + part % 1000).substr(1);
  while (digits.ends_with('0')) digits.pop_back();
  return codec::Document::decimal((milli < 0 ? "-" : "") + std::to_string(part / 1000) + "." +
                                  digits);
}

codec::TypeInfo CardsNumber::describe() {
  codec::TypeInfo info;
  info.name = "number";
  info.unit = "cards";
  info.accepted = "rounded to thousandths";
  info.json_schema = codec::Document::map();
  info.json_schema.add("type", codec::Document::string("number"));
  return info;
}

}  // namespace berth::server
