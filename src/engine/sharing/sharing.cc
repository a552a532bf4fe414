#include "engine/sharing/sharing.h"

#include <algorithm>

#include "base/check.h"

namespace berth::engine {
namespace {

std::int32_t narrow(std::int64_t value) { return static_cast<std::int32_t>(value); }

// What no device gets past, whatever it asks.
std::optional<Rule> refuses_all(const CardState& card) {
  if (!card.is_healthy()) return Rule::kCardHealth;
  if (card.promises > 0) return Rule::kReserved;
  return std::nullopt;
}

class WholeCard final : public SharingMode {
 public:
  CardMode mode() const override { return CardMode::kWhole; }
  std::optional<Rule> refuses(const CardKind& kind, const CardState& card,
                              const CardAsk& ask) const override {
    if (!ask.possible) return Rule::kCardMode;
    if (const auto rule = refuses_all(card)) return rule;
    if (kind.regime == MigRegime::kStatic || kind.replicas > 0) return Rule::kCardMode;
    return card.is_empty() ? std::nullopt : std::optional(Rule::kCards);
  }
  CardGrant grant(const CardKind& kind, const CardAsk& /*ask*/,
                  std::uint8_t /*placement*/) const override {
    CardGrant grant;
    grant.mode = CardMode::kWhole;
    grant.compute = kCard;
    grant.memory = kind.usable;
    return grant;
  }
  CardState after_take(const CardKind& /*kind*/, CardState card, const CardGrant& /*grant*/,
                       TrustDomainIndex /*domain*/) const override {
    card.mode = CardMode::kWhole;
    card.compute_free = 0;
    card.memory_free = 0;
    return card;
  }
  CardState after_give(const CardKind& kind, CardState card,
                       const CardGrant& /*grant*/) const override {
    card.mode = CardMode::kEmpty;
    card.compute_free = narrow(kCard);
    card.memory_free = narrow(kind.usable);
    return card;
  }
};

// Shares enforced by software: MPS with caps, or time-slices. Clients of one trust domain only.
class SharedCard final : public SharingMode {
 public:
  explicit SharedCard(CardMode mode) : mode_(mode) {}
  CardMode mode() const override { return mode_; }

  std::optional<Rule> refuses(const CardKind& kind, const CardState& card,
                              const CardAsk& ask) const override {
    if (!ask.possible || kind.regime == MigRegime::kStatic) return Rule::kCardMode;
    if (const auto rule = refuses_all(card)) return rule;
    if (!card.is_empty() && card.mode != mode_) {
      return card.mode == CardMode::kWhole ? Rule::kCardShort : Rule::kCardMode;
    }
    if (ask.compute > card.compute_free || ask.memory > card.memory_free) return Rule::kCardShort;
    if (card.is_empty()) return std::nullopt;
    if (card.domain != ask.domain) return Rule::kTrustDomain;
    if (card.clients >= most_clients(kind)) return Rule::kClients;
    return std::nullopt;
  }
  CardGrant grant(const CardKind& /*kind*/, const CardAsk& ask,
                  std::uint8_t /*placement*/) const override {
    CardGrant grant;
    grant.mode = mode_;
    grant.compute = ask.compute;
    grant.memory = ask.memory;
    return grant;
  }
  CardState after_take(const CardKind& /*kind*/, CardState card, const CardGrant& grant,
                       TrustDomainIndex domain) const override {
    card.mode = mode_;
    card.domain = domain;
    card.clients++;
    card.compute_free -= narrow(grant.compute);
    card.memory_free -= narrow(grant.memory);
    return card;
  }
  CardState after_give(const CardKind& /*kind*/, CardState card,
                       const CardGrant& grant) const override {
    card.compute_free += narrow(grant.compute);
    card.memory_free += narrow(grant.memory);
    if (--card.clients == 0) {
      card.mode = CardMode::kEmpty;
      card.domain = TrustDomainIndex::none();
    }
    return card;
  }

 private:
  std::uint32_t most_clients(const CardKind& kind) const {
    constexpr std::uint32_t kMostTimeslices = 60'000;  // below the width of the counter
    if (mode_ == CardMode::kMps) return static_cast<std::uint32_t>(kind.gpu->mps.max_clients);
    return kind.replicas > 0 ? kind.replicas : kMostTimeslices;
  }

  CardMode mode_;
};

class MigCard final : public SharingMode {
 public:
  CardMode mode() const override { return CardMode::kMig; }
  std::optional<Rule> refuses(const CardKind& kind, const CardState& card,
                              const CardAsk& ask) const override {
    if (!ask.possible || !ask.profile) return Rule::kMigProfile;
    if (const auto rule = refuses_all(card)) return rule;
    if (!card.is_empty() && card.mode != CardMode::kMig) return Rule::kCardMode;
    if (creatable(kind, card, *ask.profile) == 0) return Rule::kMigPlacement;
    return std::nullopt;
  }
  CardGrant grant(const CardKind& kind, const CardAsk& ask, std::uint8_t placement) const override {
    CardGrant grant;
    grant.mode = CardMode::kMig;
    grant.placement = placement;
    grant.compute = ask.compute;
    grant.memory = ask.memory;
    static_cast<void>(kind);
    return grant;
  }
  CardState after_take(const CardKind& /*kind*/, CardState card, const CardGrant& grant,
                       TrustDomainIndex /*domain*/) const override {
    card.mode = CardMode::kMig;
    card.mig |= MigGeometry::bit(MigPlacementIndex(grant.placement));
    card.compute_free -= narrow(grant.compute);
    card.memory_free -= narrow(grant.memory);
    return card;
  }
  CardState after_give(const CardKind& /*kind*/, CardState card,
                       const CardGrant& grant) const override {
    card.mig &= ~MigGeometry::bit(MigPlacementIndex(grant.placement));
    card.compute_free += narrow(grant.compute);
    card.memory_free += narrow(grant.memory);
    if (card.mig == 0) card.mode = CardMode::kEmpty;
    return card;
  }
};

// The exact vector charge of a MIG profile: compute slices of the card's slices, memory slots of
// its slots; what does not divide is rounded down, so that a full card is never above one card.
CardAsk resolve_mig(const DeviceRequest& request, const CardKind& kind) {
  CardAsk ask;
  ask.mode = CardMode::kMig;
  ask.possible = false;
  if (kind.mig == nullptr || kind.regime == MigRegime::kOff) return ask;
  ask.profile = kind.mig->find_profile(request.mig_profile);
  if (!ask.profile) return ask;
  const MigProfile& profile = kind.gpu->mig_profiles[ask.profile->value()];
  ask.compute = kCard * profile.compute_slices / kind.gpu->compute_slices;
  ask.memory = kind.usable * profile.memory_slots / kind.gpu->memory_slots;
  ask.possible = true;
  return ask;
}

CardAsk resolve_share(const DeviceRequest& request, const CardKind& kind, CardMode mode,
                      TrustDomainIndex domain) {
  CardAsk ask;
  ask.mode = mode;
  ask.domain = domain;
  ask.compute = request.compute;
  const Mib usable_mib = kind.usable / kEighthsPerMib;
  if (kind.replicas > 0) {
    // one replica is the unit: an ask must fit inside it, reserve included, and takes all of it
    ask.compute = kCard / kind.replicas;
    ask.memory = usable_mib / kind.replicas * kEighthsPerMib;
    const Mib asked_mib = request.memory_mib.value_or(0);
    const MemoryEighths needed =
        asked_mib > 0 ? asked_mib * kEighthsPerMib + kind.client_reserve : MemoryEighths{0};
    ask.possible = request.compute <= ask.compute && needed <= ask.memory;
  } else {
    // a fraction is of what is usable, all included; what claims no memory pays no reserve either
    const Mib memory_mib = request.memory_mib.value_or(request.compute * usable_mib / kCard);
    ask.memory = memory_mib * kEighthsPerMib;
    if (request.memory_mib.value_or(0) > 0) ask.memory += kind.client_reserve;
  }
  if (mode == CardMode::kMps && kind.gpu->mps.max_clients == 0) ask.possible = false;
  if (mode == CardMode::kTimeslice && !kind.gpu->time_slicing.supported) ask.possible = false;
  if (mode == CardMode::kMig) ask.possible = false;  // a wall was asked; a share has none
  if (mode == CardMode::kMps && kind.replicas > 0) ask.possible = false;
  return ask;
}

}  // namespace

const SharingMode& sharing_mode(CardMode mode) {
  static const WholeCard whole;
  static const SharedCard timeslice(CardMode::kTimeslice);
  static const SharedCard mps(CardMode::kMps);
  static const MigCard mig;
  static constexpr const SharingMode* kTable[] = {nullptr, &whole, &timeslice, &mps, &mig};
  const SharingMode* found = kTable[static_cast<std::size_t>(mode)];
  BERTH_CHECK(found != nullptr);
  return *found;
}

CardMode mode_of_share(JobClass job_class, Tier min_tier) {
  if (min_tier == Tier::kHardware) return CardMode::kMig;
  if (min_tier == Tier::kProcess || job_class != JobClass::kInteractive) return CardMode::kMps;
  return CardMode::kTimeslice;
}

CardAsk resolve(const DeviceRequest& request, const CardKind& kind, CardMode share_mode,
                TrustDomainIndex domain) {
  if (request.kind == ShareKind::kMig) return resolve_mig(request, kind);
  if (request.kind == ShareKind::kShare) return resolve_share(request, kind, share_mode, domain);
  CardAsk ask;
  ask.mode = CardMode::kWhole;
  ask.memory = kind.usable;
  ask.possible = request.memory_mib.value_or(0) * kEighthsPerMib <= kind.usable;
  return ask;
}

MigOccupancy creatable(const CardKind& kind, const CardState& card, MigProfileIndex profile) {
  if (kind.mig == nullptr || kind.regime == MigRegime::kOff) return 0;
  const MigOccupancy of_profile = kind.mig->placements_of(profile);
  if (kind.regime == MigRegime::kStatic) return kind.layout & ~card.mig & of_profile;
  return kind.mig->creatable(card.mig) & of_profile;
}

CardState empty_card(CardKindIndex index, const CardKind& kind) {
  CardState card;
  card.kind = index;
  card.memory_free = narrow(kind.usable);
  return card;
}

}  // namespace berth::engine
