// A full fleet of nodes of 8 cards, and a gang of a tenth of them that its owner may take back.
// What runs belongs to a queue that is promised nothing.
//
// Owns: who runs where. Every job is put there by events, as if it had been granted, so that the
// placement is the protocol's and not the engine's.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/state/cluster_state.h"

namespace berth::bench::reclaim {

inline constexpr std::size_t kCardsPerNode = 8;
inline constexpr std::size_t kNodesPerLeaf = 16;
inline constexpr std::size_t kSegmentTasks = 5;

enum class Victims { kSingles, kMixed };   // one-card jobs; also jobs of 8 cards and gangs of 64
enum class Wish { kAnywhere, kSegments };  // each five nodes of the gang in one leaf

struct CaseSpec {
  std::string name;
  std::size_t nodes = 0;
  Victims victims = Victims::kSingles;
  Wish wish = Wish::kAnywhere;

  std::size_t cards() const { return nodes * kCardsPerNode; }
  std::size_t gang_tasks() const { return nodes / 10; }
};
std::vector<CaseSpec> cases();

// The state with the gang pending, nobody has looked at it yet.
engine::ClusterState full_fleet(const CaseSpec& spec, std::uint64_t seed);

// The instant of the cycle.
inline constexpr TimeMs kNow = 24 * kHourMs;

}  // namespace berth::bench::reclaim
