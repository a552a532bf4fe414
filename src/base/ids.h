// Strong ids: numbers of different things do not mix. An id names a thing for ever; a dense index
// (NodeIndex and the like) exists only inside one state and is another type.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <limits>

namespace berth {

template <typename Tag, typename Rep>
class StrongId {
 public:
  using rep = Rep;
  static constexpr Rep kNoneValue = std::numeric_limits<Rep>::max();

  constexpr StrongId() = default;
  constexpr explicit StrongId(Rep value) : value_(value) {}

  constexpr Rep value() const { return value_; }
  constexpr bool is_none() const { return value_ == kNoneValue; }
  static constexpr StrongId none() { return StrongId(); }

  friend constexpr auto operator<=>(StrongId, StrongId) = default;

 private:
  Rep value_ = kNoneValue;
};

using JobId = StrongId<struct JobTag, std::uint64_t>;
using LeaseId = StrongId<struct LeaseTag, std::uint64_t>;
using ReceiptId = StrongId<struct ReceiptTag, std::uint64_t>;
using NodeIndex = StrongId<struct NodeTag, std::uint32_t>;
using QueueIndex = StrongId<struct QueueTag, std::uint32_t>;
using PartitionIndex = StrongId<struct PartitionTag, std::uint32_t>;
using ModelIndex = StrongId<struct ModelTag, std::uint16_t>;
using DomainIndex = StrongId<struct DomainTag, std::uint32_t>;
using SpecIndex = StrongId<struct SpecTag, std::uint32_t>;
using ShapeIndex = StrongId<struct ShapeTag, std::uint32_t>;
using TrustDomainIndex = StrongId<struct TrustDomainTag, std::uint32_t>;

}  // namespace berth

template <typename Tag, typename Rep>
struct std::hash<berth::StrongId<Tag, Rep>> {
  std::size_t operator()(berth::StrongId<Tag, Rep> id) const noexcept {
    return std::hash<Rep>{}(id.value());
  }
};
