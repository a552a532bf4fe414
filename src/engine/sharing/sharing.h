// How a card is shared: one small object per mode, all with the same interface, listed in one
// explicit table. A mode says what fits on a card and what a grant changes; where a grant should go
// is the placement's question. Nothing here knows nodes, jobs or time.
#pragma once

#include <optional>
#include <span>

#include "engine/state/card_state.h"
#include "model/job.h"
#include "model/lease.h"
#include "model/rejection.h"

namespace berth::engine {

// A device request resolved against one kind of card: exact amounts, nothing left to round.
struct CardAsk {
  CardMode mode = CardMode::kWhole;
  CardUnits compute = kCard;
  MemoryEighths memory = 0;
  std::optional<MigProfileIndex> profile;
  TrustDomainIndex domain;
  bool possible = true;  // false: no card of the kind can ever serve it
};

class SharingMode {
 public:
  virtual ~SharingMode() = default;
  virtual CardMode mode() const = 0;
  // Null when the ask fits on the card as it is now, else the first rule that refuses it.
  virtual std::optional<Rule> refuses(const CardKind& kind, const CardState& card,
                                      const CardAsk& ask) const = 0;
  // What the grant takes; for MIG with `placement`, ignored otherwise. The ask must fit.
  virtual CardGrant grant(const CardKind& kind, const CardAsk& ask,
                          std::uint8_t placement) const = 0;
  virtual CardState after_take(const CardKind& kind, CardState card, const CardGrant& grant,
                               TrustDomainIndex domain) const = 0;
  // Exact inverse of after_take.
  virtual CardState after_give(const CardKind& kind, CardState card,
                               const CardGrant& grant) const = 0;
};

// kWhole, kTimeslice, kMps, kMig; kEmpty is no way to use a card and must not be asked for.
const SharingMode& sharing_mode(CardMode mode);

// The mode in which a share of the class runs: the rule of trust (same trust domain only, on
// software-shared cards) with the job's own stronger wish.
CardMode mode_of_share(JobClass job_class, Tier min_tier);

// Amounts of `request` on a card of `kind`. A share without an amount of memory takes its share of
// the usable memory, rounded down to a MiB; a fixed-replica card gives each share 1 / replicas.
CardAsk resolve(const DeviceRequest& request, const CardKind& kind, CardMode share_mode,
                TrustDomainIndex domain);

// The starts at which the asked MIG profile can be created now, by the card's regime.
MigOccupancy creatable(const CardKind& kind, const CardState& card, MigProfileIndex profile);

CardState empty_card(CardKindIndex index, const CardKind& kind);

}  // namespace berth::engine
