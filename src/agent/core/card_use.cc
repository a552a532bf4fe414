#include "agent/core/card_use.h"

namespace berth::agent {
namespace {

bool exclude_each_other(const CardGrant& a, const CardGrant& b) {
  if (a.mode != b.mode || a.mode == CardMode::kWhole) return true;
  return a.mode == CardMode::kMig && a.placement == b.placement;
}

}  // namespace

void CardUse::add(LeaseId lease, const CardGrants& cards) {
  for (const CardGrant& grant : cards) by_card_.insert({grant.card, {lease, grant}});
}

std::optional<LeaseId> CardUse::conflict(const CardGrants& cards) const {
  for (const CardGrant& wanted : cards) {
    CardUnits sum = wanted.compute;
    const auto [first, last] = by_card_.equal_range(wanted.card);
    for (auto it = first; it != last; ++it) {
      sum = saturating_add(sum, it->second.grant.compute);
      if (exclude_each_other(wanted, it->second.grant) || sum > kCard) return it->second.lease;
    }
  }
  return std::nullopt;
}

}  // namespace berth::agent
