#include "engine/state/node_record.h"

#include <algorithm>
#include <numeric>

namespace berth::engine {
namespace {

std::uint64_t folded(std::uint64_t a, std::uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t hash_of(const CardState& card) {
  std::uint64_t words[4];
  std::memcpy(words, &card, sizeof(words));
  return folded(words[0] ^ 0x9E3779B97F4A7C15U, words[1] ^ 0xE7037ED1A0B428DBU) ^
         folded(words[2] ^ 0x8EBC6AF09C88C6E3U, words[3] ^ 0x589965CC75374CC3U);
}

}  // namespace

void rekey(NodeRecord& node) {
  node.order.resize(node.cards.size());
  std::iota(node.order.begin(), node.order.end(), std::uint8_t{0});
  std::stable_sort(node.order.begin(), node.order.end(),
                   [&](std::uint8_t a, std::uint8_t b) { return node.cards[a] < node.cards[b]; });
  node.cards_hash = 0;
  for (const CardState& card : node.cards) node.cards_hash += hash_of(card);
}

void set_card(NodeRecord& node, std::size_t card, const CardState& state) {
  node.cards_hash += hash_of(state) - hash_of(node.cards[card]);
  node.cards[card] = state;
  const auto number = static_cast<std::uint8_t>(card);
  CardOrder& order = node.order;
  auto at = static_cast<std::size_t>(std::find(order.begin(), order.end(), number) - order.begin());
  for (; at > 0 && state < node.cards[order[at - 1]]; --at) order[at] = order[at - 1];
  for (; at + 1 < order.size() && node.cards[order[at + 1]] < state; ++at) {
    order[at] = order[at + 1];
  }
  order[at] = number;
}

std::int64_t resource_free(const NodeRecord& node, std::string_view resource) {
  for (std::size_t i = 0; i < node.spec->resources.size(); ++i) {
    if (node.spec->resources[i].resource == resource) return node.resources_free[i];
  }
  return 0;
}

const Countable* lacking_resource(const NodeRecord& node, const std::vector<Countable>& wanted) {
  for (const Countable& one : wanted) {
    if (resource_free(node, one.resource) < one.amount) return &one;
  }
  return nullptr;
}

}  // namespace berth::engine
