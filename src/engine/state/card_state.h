// CardState: how one card is used, exactly; CardKind: what never changes about it. Two
// cards with equal kind and equal state are interchangeable for every decision.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>

#include "base/ids.h"
#include "base/units.h"
#include "engine/sharing/mig_geometry.h"
#include "model/gpu_model.h"
#include "model/words.h"

namespace berth::engine {

// The unchanging part of a card, shared by all equal cards.
struct CardKind {
  ModelIndex model;
  const GpuModel* gpu = nullptr;
  const MigGeometry* mig = nullptr;  // null: no MIG grid
  MemoryEighths usable = 0;          // as the device reports
  MemoryEighths client_reserve = 0;  // charged on top for each client of a shared card
  MigRegime regime = MigRegime::kOff;
  MigOccupancy layout = 0;     // static regime: the instances that exist
  std::uint32_t replicas = 0;  // time-slice: fixed number of equal shares; 0: any share
  std::uint32_t island = 0;
};

using CardKindIndex = StrongId<struct CardKindTag, std::uint16_t>;

// 32 bytes, no padding holes: compared and hashed as bytes.
struct CardState {
  MigOccupancy mig = 0;  // instances in use, one bit per placement
  std::int32_t compute_free = static_cast<std::int32_t>(kCard);
  std::int32_t memory_free = 0;  // eighths of a MiB; at most 256 TiB
  TrustDomainIndex domain;       // of the clients of a software-shared card
  CardKindIndex kind;
  std::uint16_t clients = 0;
  CardMode mode = CardMode::kEmpty;
  CardHealth health = CardHealth::kHealthy;
  std::uint8_t promises = 0;  // tasks to which a reclaim has promised room on it; for nobody else
  std::uint8_t reserved[5] = {};

  bool is_healthy() const {
    return health == CardHealth::kHealthy || health == CardHealth::kSuspect;
  }
  bool usable() const { return is_healthy() && promises == 0; }
  bool is_empty() const { return mode == CardMode::kEmpty; }

  friend bool operator==(const CardState& a, const CardState& b) {
    return std::memcmp(&a, &b, sizeof(CardState)) == 0;
  }
  // A total order without meaning; keeps sorted cards canonical.
  friend bool operator<(const CardState& a, const CardState& b) {
    return std::memcmp(&a, &b, sizeof(CardState)) < 0;
  }
};
static_assert(sizeof(CardState) == 32);

}  // namespace berth::engine
