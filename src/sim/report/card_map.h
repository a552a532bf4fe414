// A map of cards before and after a change: nodes across, their cards down, coloured by owner; what
// lies elsewhere afterwards is marked in both.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::sim {

// A card that somebody has; what nobody has is not named.
struct OwnedCard {
  std::string node;
  std::uint16_t card = 0;
  std::string owner;
};

// The nodes that are shown, each with its number of cards.
struct MapNode {
  std::string name;
  std::uint16_t cards = 0;
};

// One picture of both, side by side or, where they are wide, one above the other. Cards of nodes
// that are not shown are left out. Owners are coloured in the order of their names; those that move
// come first, so that few colours are enough for what is to be seen.
std::string card_map_svg(std::span<const MapNode> nodes, std::span<const OwnedCard> before,
                         std::span<const OwnedCard> after);

}  // namespace berth::sim
