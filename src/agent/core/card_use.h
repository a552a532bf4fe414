// Whether two leases may hold what they hold of the same cards at the same time. The server decides
// what fits; this is the node's own guard against two owners of one part, whoever is wrong.
#pragma once

#include <map>
#include <optional>

#include "agent/core/messages.h"

namespace berth::agent {

// What is held of the cards of a node: one use for each grant of a lease on it.
class CardUse {
 public:
  void add(LeaseId lease, const CardGrants& cards);
  // Who holds something that `cards` would take as well; none: nobody does. MIG instances of
  // different placements may still share slots: that is the driver's to refuse.
  std::optional<LeaseId> conflict(const CardGrants& cards) const;

 private:
  struct Use {
    LeaseId lease;
    CardGrant grant;
  };
  std::multimap<std::uint16_t, Use> by_card_;
};

}  // namespace berth::agent
