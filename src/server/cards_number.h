// The kind of a field that is an amount of cards in an answer: a number, rounded to thousandths.
// For answers only: what users write is exact.
#pragma once

#include <concepts>
#include <optional>

#include "base/units.h"
#include "codec/value_types.h"

namespace berth::server {

class CardsNumber {
 public:
  template <std::same_as<CardUnits> M>
  std::optional<CardUnits> read(const codec::Document& value, codec::ReadContext& context) const {
    return read_cards(value, context);
  }
  template <std::same_as<CardUnits> M>
  codec::Document write(const CardUnits& value, codec::WriteStyle /*style*/) const {
    return document_of(value);
  }
  template <std::same_as<CardUnits> M>
  codec::TypeInfo info() const {
    return describe();
  }

 private:
  static std::optional<CardUnits> read_cards(const codec::Document& value,
                                             codec::ReadContext& context);
  static codec::Document document_of(CardUnits value);
  static codec::TypeInfo describe();
};

inline CardsNumber cards_number() { return {}; }

}  // namespace berth::server
