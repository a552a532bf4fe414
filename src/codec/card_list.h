// The kind of value of NodeSpec::cards: `cards: 8`, one group `cards: {count: 8, mig: dynamic}`, or
// a list of groups. Equal neighbouring cards are written as one group.
#pragma once

#include <concepts>
#include <optional>
#include <vector>

#include "codec/schema.h"
#include "model/fleet.h"

namespace berth::codec {

class CardList {
 public:
  template <std::same_as<std::vector<CardSpec>> M>
  std::optional<M> read(const Document& value, ReadContext& context) const {
    return read_cards(value, context);
  }
  template <std::same_as<std::vector<CardSpec>> M>
  Document write(const M& cards, WriteStyle style) const {
    return write_cards(cards, style);
  }
  template <std::same_as<std::vector<CardSpec>> M>
  TypeInfo info() const {
    return describe();
  }

 private:
  static std::optional<std::vector<CardSpec>> read_cards(const Document& value,
                                                         ReadContext& context);
  static Document write_cards(const std::vector<CardSpec>& cards, WriteStyle style);
  static TypeInfo describe();
};

}  // namespace berth::codec
