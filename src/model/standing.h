// Standings: how the tenants fare in the shared fleet against what each would have alone on its own
// guarantee. Worked out outside the engine from what happened (control::Learner), committed as an
// event, and read by the policy's lending rules (engine/quota/lending.h).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/ids.h"

namespace berth {

struct QueueStanding {
  QueueIndex queue;
  // It has waited longer than it would have alone: its jobs within its guarantee go first.
  bool is_behind = false;
  // What it would have free alone, where others had better leave it alone; 0: it can well lend all.
  std::uint32_t kept_nodes = 0;  // wholly free
  std::uint32_t kept_cards = 0;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.queue, self.is_behind, self.kept_nodes, self.kept_cards);
  }
  friend bool operator==(const QueueStanding&, const QueueStanding&) = default;
};

struct Standings {
  std::vector<QueueStanding> queues;  // by index; without those of which there is nothing to say
  // Jobs that would have started long ago alone, longest ago first; each the first of its size in
  // its queue.
  std::vector<JobId> overdue;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.queues, self.overdue);
  }
  friend bool operator==(const Standings&, const Standings&) = default;
};
using StandingsPtr = std::shared_ptr<const Standings>;

}  // namespace berth
