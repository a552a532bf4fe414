// How transcripts write places, amounts and times: "n1:[0-3]", "n1:0/1g.10gb@4", "25 %", "10 min".
#pragma once

#include <string>
#include <vector>

#include "engine/state/cluster_state.h"
#include "model/lease.h"

namespace berth::sim {

// Where tasks lie, grouped by node, in the order of node names. A card that several tasks share is
// named once with their number: "n1:0x4".
std::string place_text(const engine::ClusterState& state, const std::vector<TaskPlacement>& tasks);

// "n1:[0-3,6]" for the node's cards, "n1:5" for a single one; `cards` ascending.
std::string cards_text(const std::string& node, const std::vector<std::int64_t>& cards);

// "1g.10gb@[0-3] 3g.40gb@4", or "nothing".
std::string layout_text(const engine::ClusterState& state, NodeIndex node,
                        const std::vector<std::uint8_t>& placements);

std::string percent_text(CardUnits units);       // of one card: "12.5 %"
std::string cards_amount_text(CardUnits units);  // "0.9 cards"
// "8 cards"; of who holds none, "32 CPUs, 65536 MiB of memory".
std::string held_text(const HeldAmount& held);
std::string memory_text(MemoryEighths eighths);  // "76,000 MiB", eighths as "1.125"
std::string amounts_text(const Charge& charge);  // "0.5 cards, 40,540 MiB"
std::string duration_text(DurationMs duration);  // "1 h 05 min", exact
// To the second from ten seconds on, for what is foreseen, or only looked at now.
std::string rounded_text(DurationMs duration);
std::string money_text(MicroMoney micro);  // "0.125"
std::string cpu_text(CpuMilli milli);      // "1.5"

}  // namespace berth::sim
