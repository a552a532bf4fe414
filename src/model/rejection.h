// Rejection: why a request does not fit, as a rule, a place and numbers; text is made from it at
// the edge. A list of rejections starts with the primary one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/words.h"

namespace berth {

// The rule that said no. Words are stable: users filter by them.
enum class Rule : std::uint8_t {
  kNoNode,          // no node in the job's partition
  kModel,           // no node of an accepted model
  kNodeState,       // nodes cordoned, draining or lost
  kCardHealth,      // cards not healthy
  kCpu,             // CPU of the node
  kHostMemory,      // host memory of the node
  kCountable,       // another countable resource of the node
  kCards,           // free whole cards on one node
  kCardShort,       // compute or memory of a single card
  kDistinctCards,   // different cards asked
  kDomain,          // cards in one domain below the node
  kMigProfile,      // no card can make the profile in any state
  kMigPlacement,    // no free start for the profile now
  kCardMode,        // cards are in another sharing mode
  kTrustDomain,     // cards hold another trust domain
  kClients,         // client limit of MPS or replicas of a time-slice card
  kPartition,       // nodes of other partitions
  kQueue,           // the queue is unknown or closed
  kQuota,           // above the limit or the guarantee
  kGang,            // fewer tasks fit than the minimum
  kTopology,        // a topology rule over several tasks
  kReserved,        // room is kept for a reservation
  kHeldByUser,      // the owner holds the job
  kBackoff,         // waits after a failed start
  kGroup,           // other jobs of its group are not there
  kOverPromised,    // within a guarantee, but more is promised than there is
  kLacksTasks,      // it runs without some of its tasks
  kTurn,            // later jobs of higher rank went first
  kLocality,        // it could start, but waits for a place in fewer domains
  kLendingReserve,  // free, but left to tenants that would else wait longer than alone
  kReclaiming,      // room is being taken back for it
  kReclaimLimit,    // what could be taken back for it is more than may go at once
  kStuck,           // cards of tasks that have survived their end
  kFairShare,       // its queue holds its fair share: nothing is taken back for it
  kNoVictim,        // nothing that may be taken back makes room for it
  kLayout,          // a card is being cut anew for work like it
  kSelector         // cards that the selector does not select, or for which it has no answer
};
BERTH_WORDS(Rule, "no-node", "model", "node-state", "card-health", "cpu", "host-memory",
            "countable", "cards", "card-short", "distinct-cards", "domain", "mig-profile",
            "mig-placement", "card-mode", "trust-domain", "clients", "partition", "queue", "quota",
            "gang", "topology", "reserved", "held-by-user", "backoff", "group", "over-promised",
            "lacks-tasks", "turn", "locality", "lending-reserve", "reclaiming", "reclaim-limit",
            "stuck", "fair-share", "no-victim", "layout", "selector");

// A named amount; the name carries the unit ("asked_mib", "free_cards").
struct Number {
  std::string name;
  std::int64_t value = 0;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.name, self.value);
  }
  friend bool operator==(const Number&, const Number&) = default;
};

struct Rejection {
  Rule rule = Rule::kNoNode;
  // Node, domain, queue or partition; empty: the whole fleet. Of a selector without an answer: why.
  std::string place;
  std::vector<Number> numbers;

  // Value of a number, 0 when absent.
  std::int64_t number(std::string_view name) const;
  // "asks 2,000 MiB, largest free 68 MiB (n1)"
  std::string to_text() const;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.rule, self.place, self.numbers);
  }
  friend bool operator==(const Rejection&, const Rejection&) = default;
};

using Rejections = std::vector<Rejection>;
using RejectionsPtr = std::shared_ptr<const Rejections>;  // one list for all jobs of a shape

// Whether both name the same rules at the same places in the same order, whatever the numbers.
bool same_grounds(const Rejections& a, const Rejections& b);

// 1234567 -> "1,234,567"
std::string grouped(std::int64_t value);

}  // namespace berth
