#include "engine/quota/max_min.h"

#include <algorithm>
#include <cstddef>
#include <queue>
#include <utility>

#include "base/check.h"

namespace berth::engine {
namespace {

using Wide = __int128;

// With 2^20 claims of 63 bits, every product below stays within 127 bits.
constexpr Wide kWeightMost = Wide{1} << 44;
constexpr std::size_t kClaimsMost = std::size_t{1} << 20;

enum class Phase : std::uint8_t { kDry, kFilling, kFull };

// A claim while water rises in vessels of width `weight`, whose floors are at start / weight.
struct Vessel {
  std::size_t claim = 0;
  Wide weight = 0;
  Wide start = 0;
  CardUnits room = 0;  // > 0
  CardUnits share = 0;
  Phase phase = Phase::kDry;

  Wide end() const { return start + room; }
};

// The level at which a vessel begins to fill, or is full: height / weight of the vessel.
struct Turn {
  Wide height = 0;
  std::size_t vessel = 0;
  Phase next = Phase::kFilling;
};

class Pool {
 public:
  Pool(std::vector<Vessel> vessels, CardUnits amount) : vessels_(std::move(vessels)) {
    Wide room = 0;
    for (const Vessel& vessel : vessels_) room += vessel.room;
    if (room <= amount) {
      for (Vessel& vessel : vessels_) vessel.share = vessel.room;
      return;
    }
    bound_weights();
    raise_level(amount);
    for (Vessel& vessel : vessels_) vessel.share = whole_units(vessel);
    top_up(amount);
  }

  const std::vector<Vessel>& vessels() const { return vessels_; }

 private:
  void bound_weights() {
    Wide total = 0;
    for (const Vessel& vessel : vessels_) total += vessel.weight;
    int shift = 0;
    while ((total >> shift) >= kWeightMost) ++shift;
    for (Vessel& vessel : vessels_) vessel.weight = std::max<Wide>(1, vessel.weight >> shift);
  }

  std::vector<Turn> turns() const {
    std::vector<Turn> turns;
    turns.reserve(2 * vessels_.size());
    for (std::size_t v = 0; v < vessels_.size(); ++v) {
      turns.push_back({vessels_[v].start, v, Phase::kFilling});
      turns.push_back({vessels_[v].end(), v, Phase::kFull});
    }
    std::sort(turns.begin(), turns.end(), [this](const Turn& a, const Turn& b) {
      const Wide left = a.height * vessels_[b.vessel].weight;
      const Wide right = b.height * vessels_[a.vessel].weight;
      if (left != right) return left < right;
      return std::pair(a.vessel, a.next) < std::pair(b.vessel, b.next);
    });
    return turns;
  }

  // At level x the vessels hold x * width_ - debt_; goes through the turns up to the level at which
  // they hold `amount`. There is room for more, so that a vessel is filling there.
  void raise_level(CardUnits amount) {
    Wide debt = 0;
    for (const Turn& turn : turns()) {
      Vessel& vessel = vessels_[turn.vessel];
      if (turn.height * width_ > (amount + debt) * vessel.weight) break;
      if (turn.next == Phase::kFilling) {
        width_ += vessel.weight;
        debt += vessel.start;
      } else {
        width_ -= vessel.weight;
        debt -= vessel.end();
      }
      vessel.phase = turn.next;
    }
    BERTH_CHECK(width_ > 0);
    surface_ = amount + debt;
  }

  CardUnits whole_units(const Vessel& vessel) const {
    if (vessel.phase == Phase::kDry) return 0;
    if (vessel.phase == Phase::kFull) return vessel.room;
    return static_cast<CardUnits>(vessel.weight * surface_ / width_ - vessel.start);
  }

  // True when `a` is served after `b`.
  bool later(std::size_t a, std::size_t b) const {
    const Vessel& left = vessels_[a];
    const Vessel& right = vessels_[b];
    const Wide left_next = (left.start + left.share + 1) * right.weight;
    const Wide right_next = (right.start + right.share + 1) * left.weight;
    if (left_next != right_next) return left_next > right_next;
    if (left.weight != right.weight) return left.weight < right.weight;
    return a > b;
  }

  // Fewer units are left than vessels are filling: each lost less than one to rounding.
  void top_up(CardUnits amount) {
    const auto order = [this](std::size_t a, std::size_t b) { return later(a, b); };
    std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(order)> next(order);
    for (std::size_t v = 0; v < vessels_.size(); ++v) {
      amount -= vessels_[v].share;
      if (vessels_[v].share < vessels_[v].room) next.push(v);
    }
    for (; amount > 0; --amount) {
      const std::size_t lowest = next.top();
      next.pop();
      if (++vessels_[lowest].share < vessels_[lowest].room) next.push(lowest);
    }
  }

  std::vector<Vessel> vessels_;
  Wide width_ = 0;    // of the vessels that are filling
  Wide surface_ = 0;  // level * width_
};

}  // namespace

std::vector<CardUnits> weighted_max_min(std::span<const MaxMinClaim> claims, CardUnits amount) {
  BERTH_CHECK(claims.size() <= kClaimsMost && amount >= 0);
  std::vector<Vessel> weighted;
  std::vector<Vessel> unweighted;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const MaxMinClaim& claim = claims[i];
    BERTH_CHECK(claim.weight >= 0 && claim.room >= 0 && claim.head_start >= 0);
    if (claim.room == 0) continue;
    const Wide weight = std::max<Wide>(1, claim.weight);
    (claim.weight > 0 ? weighted : unweighted)
        .push_back({i, weight, claim.head_start, claim.room, 0, Phase::kDry});
  }
  std::vector<CardUnits> shares(claims.size(), 0);
  for (std::vector<Vessel>* tier : {&weighted, &unweighted}) {
    const Pool pool(std::move(*tier), amount);
    for (const Vessel& vessel : pool.vessels()) {
      shares[vessel.claim] = vessel.share;
      amount -= vessel.share;
    }
  }
  return shares;
}

}  // namespace berth::engine
