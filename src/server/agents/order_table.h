// OrderTable: what the agent of one node is to do, by lease and by card: the latest for each, until
// a report says that it is over. It is what a session sends first, whatever an earlier one has
// sent, so that nothing is lost with a session; and a node that is slow or away costs no more than
// its leases.
//
// Orders leave in the order in which they were given: a card is given on only after whoever held it
// was told to go.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "agent/core/messages.h"

namespace berth::server {

class OrderTable {
 public:
  void prepare(agent::Grant grant);
  void start(agent::LeaseKey key);
  void resume(agent::LeaseKey key, CardGrants cards);
  // `from` is empty where it stays on its node.
  void move(agent::Grant grant, std::string from);
  void leave(agent::LeaseKey key);
  // `deadline` in the state's time; the order says what is left of it when it is sent.
  void revoke(agent::RevokeOrder order, TimeMs deadline);
  void layout(agent::LayoutOrder order);

  // The grant is over, or the ask for the card is answered.
  void settle(agent::LeaseKey key);
  void settle_layout(std::uint16_t card, std::uint64_t number);
  // Forgets what it has for the lease, whatever its epoch.
  void drop(LeaseId lease);

  // A new session: everything is sent again.
  void send_all_again();
  // The start of a task that was told before it could be followed.
  void send_again(LeaseId lease);
  std::optional<agent::OrderBody> next(TimeMs now);

  bool has(LeaseId lease) const { return by_lease_.contains(lease); }
  bool awaits_start(agent::LeaseKey key) const;
  bool awaits_prepare(agent::LeaseKey key) const;
  bool awaits_leave(LeaseId lease) const;
  // Comes from another node, and no session was told yet.
  bool awaits_arrival(LeaseId lease) const;
  std::vector<LeaseId> leases() const;
  std::size_t size() const { return orders_.size(); }

 private:
  struct Item {
    agent::OrderBody body;
    TimeMs deadline = kNever;
    bool was_sent = false;
  };
  using Number = std::uint64_t;  // in the order of the calls

  void replace(agent::LeaseKey key, agent::OrderBody body, TimeMs deadline = kNever);
  void follow(agent::LeaseKey key, agent::OrderBody body);
  void erase(Number number);
  Number add(agent::OrderBody body, TimeMs deadline);
  template <typename Body>
  bool awaits(agent::LeaseKey key) const;

  std::map<Number, Item> orders_;
  std::set<Number> unsent_;
  std::map<LeaseId, std::vector<Number>> by_lease_;
  std::map<std::uint16_t, Number> by_card_;
  Number next_ = 1;
};

}  // namespace berth::server
