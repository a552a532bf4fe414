#include "sim/scenario/layout_words.h"

#include "model/gpu_model.h"

namespace berth::sim {
namespace {

std::optional<CardName> card_name(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return std::nullopt;
  const auto card = whole_number(text.substr(colon + 1));
  if (!card || *card < 0 || *card >= static_cast<std::int64_t>(kCardsPerNodeLimit)) {
    return std::nullopt;
  }
  return CardName{text.substr(0, colon), static_cast<std::uint16_t>(*card)};
}

}  // namespace

std::vector<MigInstanceSpec> read_instances(Arguments& arguments, const std::string& key) {
  std::vector<MigInstanceSpec> instances;
  for (const std::string& item : arguments.list(key)) {
    const std::size_t at = item.find('@');
    const auto start = at == std::string::npos ? std::nullopt : whole_number(item.substr(at + 1));
    if (!start || *start < 0 || *start >= kMaxMigSlots) {
      arguments.refuse("is '" + item + "'; PROFILE@SLOT such as 3g.40gb@4 is accepted", key);
      break;
    }
    instances.push_back({item.substr(0, at), static_cast<std::uint32_t>(*start)});
  }
  return instances;
}

CardName read_card(Arguments& arguments) {
  const std::string text = arguments.positional("a card");
  const auto card = card_name(text);
  if (!card) arguments.refuse("'" + text + "' is not a card; NODE:INDEX such as n1:3 is accepted");
  return card.value_or(CardName{});
}

}  // namespace berth::sim
