#include "codec/card_list.h"

#include "codec/fleet_codec.h"

namespace berth::codec {
namespace {

auto card_count() { return integer(0, kCardsPerNodeLimit); }

std::vector<CardGroup> groups_of(const std::vector<CardSpec>& cards) {
  std::vector<CardGroup> groups;
  for (const CardSpec& card : cards) {
    if (!groups.empty() && static_cast<const CardSpec&>(groups.back()) == card) {
      ++groups.back().count;
    } else {
      groups.push_back({card, 1});
    }
  }
  return groups;
}

// The groups that were written; nothing with an error.
std::optional<std::vector<CardGroup>> read_groups(const Document& value, ReadContext& context) {
  if (value.is(Document::Kind::kInteger)) {
    const auto count = card_count().read<std::uint32_t>(value, context);
    if (!count) return std::nullopt;
    return std::vector<CardGroup>{{CardSpec{}, *count}};
  }
  if (value.is(Document::Kind::kMap)) {
    const auto group = object().read<CardGroup>(value, context);
    if (!group) return std::nullopt;
    return std::vector<CardGroup>{*group};
  }
  if (value.is(Document::Kind::kList)) {
    return list_of(object())
        .sized(0, kCardsPerNodeLimit)
        .read<std::vector<CardGroup>>(value, context);
  }
  context.add_unexpected(value, "a number of cards, a card or a list of cards");
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<CardSpec>> CardList::read_cards(const Document& value,
                                                          ReadContext& context) {
  const auto groups = read_groups(value, context);
  if (!groups) return std::nullopt;
  std::vector<CardSpec> cards;
  for (const CardGroup& group : *groups) cards.insert(cards.end(), group.count, group);
  if (cards.size() <= kCardsPerNodeLimit) return cards;
  context.add_below(value.position().line, "",
                    "has " + std::to_string(cards.size()) + " cards; at most " +
                        std::to_string(kCardsPerNodeLimit) + " are accepted",
                    ErrorCode::kLimitExceeded);
  return std::nullopt;
}

Document CardList::write_cards(const std::vector<CardSpec>& cards, WriteStyle style) {
  const std::vector<CardGroup> groups = groups_of(cards);
  if (groups.empty()) return Document::integer(0);
  if (groups.size() == 1 && static_cast<const CardSpec&>(groups.front()) == CardSpec{}) {
    return Document::integer(static_cast<std::int64_t>(cards.size()));
  }
  return list_of(object()).write(groups, style);
}

TypeInfo CardList::describe() {
  TypeInfo info = object().info<CardGroup>();
  info.name = "number of cards, card or list of card";
  Document choices = Document::list();
  choices.append(card_count().info<std::uint32_t>().json_schema);
  choices.append(info.json_schema);
  choices.append(
      list_of(object()).sized(0, kCardsPerNodeLimit).info<std::vector<CardGroup>>().json_schema);
  info.json_schema = Document::map();
  info.json_schema.add("anyOf", std::move(choices));
  return info;
}

}  // namespace berth::codec
