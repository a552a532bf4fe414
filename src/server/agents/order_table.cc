#include "server/agents/order_table.h"

#include <algorithm>
#include <utility>

namespace berth::server {
template <typename Body>
bool OrderTable::awaits(agent::LeaseKey key) const {
  const auto found = by_lease_.find(key.lease);
  if (found == by_lease_.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(), [&](Number number) {
    const agent::OrderBody& body = orders_.at(number).body;
    return std::holds_alternative<Body>(body) && key_of(body) == key;
  });
}

bool OrderTable::awaits_start(agent::LeaseKey key) const { return awaits<agent::StartOrder>(key); }

bool OrderTable::awaits_prepare(agent::LeaseKey key) const {
  return awaits<agent::PrepareOrder>(key);
}

OrderTable::Number OrderTable::add(agent::OrderBody body, TimeMs deadline) {
  const Number number = next_++;
  orders_.emplace(number, Item{std::move(body), deadline, false});
  unsent_.insert(number);
  return number;
}

void OrderTable::erase(Number number) {
  orders_.erase(number);
  unsent_.erase(number);
}

void OrderTable::replace(agent::LeaseKey key, agent::OrderBody body, TimeMs deadline) {
  drop(key.lease);
  by_lease_[key.lease].push_back(add(std::move(body), deadline));
}

// After a start, or after the other of the two, it comes second; whatever else there was is over.
void OrderTable::follow(agent::LeaseKey key, agent::OrderBody body) {
  std::vector<Number>& numbers = by_lease_[key.lease];
  std::erase_if(numbers, [&](Number number) {
    const agent::OrderBody& other = orders_.at(number).body;
    const bool stays = key_of(other) == key && other.index() != body.index() &&
                       !std::holds_alternative<agent::RevokeOrder>(other) &&
                       !std::holds_alternative<agent::LeaveOrder>(other);
    if (!stays) erase(number);
    return !stays;
  });
  numbers.push_back(add(std::move(body), kNever));
}

void OrderTable::prepare(agent::Grant grant) {
  const agent::LeaseKey key = grant.key;
  replace(key, agent::PrepareOrder{std::move(grant)});
}

void OrderTable::start(agent::LeaseKey key) { replace(key, agent::StartOrder{key}); }

void OrderTable::resume(agent::LeaseKey key, CardGrants cards) {
  follow(key, agent::ResumeOrder{key, std::move(cards)});
}

void OrderTable::move(agent::Grant grant, std::string from) {
  const agent::LeaseKey key = grant.key;
  follow(key, agent::MoveOrder{std::move(grant), std::move(from)});
}

void OrderTable::leave(agent::LeaseKey key) { replace(key, agent::LeaveOrder{key}); }

void OrderTable::revoke(agent::RevokeOrder order, TimeMs deadline) {
  const agent::LeaseKey key = order.key;
  replace(key, std::move(order), deadline);
}

void OrderTable::layout(agent::LayoutOrder order) {
  const std::uint16_t card = order.card;
  if (const auto known = by_card_.find(card); known != by_card_.end()) erase(known->second);
  by_card_[card] = add(std::move(order), kNever);
}

void OrderTable::settle(agent::LeaseKey key) {
  const auto found = by_lease_.find(key.lease);
  if (found == by_lease_.end()) return;
  const bool is_newer = std::any_of(found->second.begin(), found->second.end(), [&](Number number) {
    return key_of(orders_.at(number).body).epoch > key.epoch;
  });
  if (!is_newer) drop(key.lease);
}

void OrderTable::settle_layout(std::uint16_t card, std::uint64_t number) {
  const auto found = by_card_.find(card);
  if (found == by_card_.end()) return;
  const auto& asked = std::get<agent::LayoutOrder>(orders_.at(found->second).body);
  if (asked.number != number) return;
  erase(found->second);
  by_card_.erase(found);
}

void OrderTable::drop(LeaseId lease) {
  const auto found = by_lease_.find(lease);
  if (found == by_lease_.end()) return;
  for (const Number number : found->second) erase(number);
  by_lease_.erase(found);
}

void OrderTable::send_all_again() {
  for (const auto& [number, item] : orders_) unsent_.insert(number);
}

void OrderTable::send_again(LeaseId lease) {
  const auto found = by_lease_.find(lease);
  if (found != by_lease_.end()) unsent_.insert(found->second.begin(), found->second.end());
}

std::optional<agent::OrderBody> OrderTable::next(TimeMs now) {
  if (unsent_.empty()) return std::nullopt;
  Item& item = orders_.at(*unsent_.begin());
  unsent_.erase(unsent_.begin());
  item.was_sent = true;
  agent::OrderBody body = item.body;
  if (auto* revoke = std::get_if<agent::RevokeOrder>(&body); revoke && item.deadline != kNever) {
    revoke->grace_ms = std::clamp<DurationMs>(item.deadline - now, 0, kAmountLimit);
  }
  return body;
}

bool OrderTable::awaits_leave(LeaseId lease) const {
  const auto found = by_lease_.find(lease);
  return found != by_lease_.end() &&
         std::holds_alternative<agent::LeaveOrder>(orders_.at(found->second.front()).body);
}

bool OrderTable::awaits_arrival(LeaseId lease) const {
  const auto found = by_lease_.find(lease);
  if (found == by_lease_.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(), [&](Number number) {
    const Item& item = orders_.at(number);
    const auto* move = std::get_if<agent::MoveOrder>(&item.body);
    return move != nullptr && !move->from.empty() && !item.was_sent;
  });
}

std::vector<LeaseId> OrderTable::leases() const {
  std::vector<LeaseId> ids;
  for (const auto& [lease, numbers] : by_lease_) ids.push_back(lease);
  return ids;
}

}  // namespace berth::server
