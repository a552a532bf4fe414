// A map of cards before and after a change: nodes across, their cards down, coloured by owner; what
// lies elsewhere afterwards is marked in both.
#pragma once

#include <span>
#include <string>

#include "sim/run_result.h"

namespace berth::sim {

// One picture of both, side by side or, where they are wide, one above the other. Cards of nodes
// that are not shown are left out. Owners are coloured in the order of their names; those that move
// come first, so that few colours are enough for what is to be seen.
std::string card_map_svg(std::span<const MapNode> nodes, std::span<const OwnedCard> before,
                         std::span<const OwnedCard> after);

}  // namespace berth::sim
