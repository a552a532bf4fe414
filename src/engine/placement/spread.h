// Spread: which domains the tasks of a gang go to, so that they are few and what others will want
// stays whole.
//
// A domain's score is its room for the gang's shape and half the room expected to come up there
// soon: a gang goes where little is left over and little is coming. The fewest domains are looked
// for first, then the lowest domain around them all, then the least score; over those that were
// chosen tasks go in equal parts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/lookup_map.h"
#include "engine/placement/domain_room.h"

namespace berth::engine {

// How far ahead room that comes up counts. A gang that finds none waits about as long for some
// (own measurement: one to four hours differ little).
inline constexpr DurationMs kRoomComesUp = 2 * kHourMs;

// Scores of domains for one search. Reads run times, so that it depends on `now`.
class DomainScore {
 public:
  DomainScore(const ClusterState& state, DomainRoom& room, TimeMs now)
      : state_(state), room_(room), now_(now) {}

  // In 1/65536 of a task; never below that of its room.
  std::uint64_t of(DomainIndex domain);
  // What the room alone comes to.
  std::uint64_t least(DomainIndex domain) const { return room_.in_domain(domain) << 16; }

 private:
  const ClusterState& state_;
  DomainRoom& room_;
  TimeMs now_;
  LookupMap<DomainIndex, std::uint64_t> known_;
};

struct DomainShare {
  DomainIndex domain;
  std::uint32_t tasks = 0;
};

class Spread {
 public:
  // `used`: domains that have tasks of the job already; they come first.
  Spread(const ClusterState& state, DomainRoom& room, TimeMs now, std::span<const DomainIndex> used)
      : state_(state), room_(room), score_(state, room, now), used_(used) {}

  // Domains without children, inside the scope (none: the fleet), that take `tasks` together; those
  // that there is room for where it is less.
  std::vector<DomainShare> over(DomainIndex scope, std::uint32_t tasks);
  // The best of these: of least score, the first by name on a tie. They must not be empty.
  std::size_t best_of(std::span<const DomainIndex> domains);

 private:
  struct Plan {
    std::vector<DomainShare> shares;
    std::uint64_t score = 0;
    std::uint64_t tasks = 0;
  };

  const TopologyTree& tree() const { return state_.topology_tree(); }
  void collect(DomainIndex scope, std::vector<DomainIndex>& lowest,
               std::vector<DomainIndex>& above) const;
  std::vector<DomainShare> leveled(std::vector<DomainShare> shares) const;
  Plan fewest(std::vector<DomainIndex> domains, std::uint32_t tasks);
  bool is_used(DomainIndex domain) const;
  bool is_better(DomainIndex a, DomainIndex b);

  const ClusterState& state_;
  DomainRoom& room_;
  DomainScore score_;
  std::span<const DomainIndex> used_;
};

// How many of these domains hold so many nodes, all of them if that is not enough. `largest_first`:
// nodes of each.
std::size_t fewest_domains(std::span<const std::size_t> largest_first, std::size_t nodes);

// Domains without children that these nodes lie in, each once.
std::vector<DomainIndex> lowest_domains(const TopologyTree& tree, std::span<const NodeIndex> nodes);

}  // namespace berth::engine
