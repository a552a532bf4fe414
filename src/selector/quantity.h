// Quantity: an amount as Kubernetes writes it ("40Gi", "250m", "1e3"), exactly.
//
// Held as nano units in 128 bits, the finest step that Kubernetes keeps. Nothing here is floating
// point but the conversion whose name says so.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.h"

namespace berth::selector {

class Quantity {
 public:
  // As Kubernetes reads it: a sign, digits with a point, and a suffix (n u m k M G T P E,
  // Ki Mi Gi Ti Pi Ei, or an exponent). What is finer than a nano unit is rounded away from zero;
  // what exceeds 2^63-1 units becomes that.
  static Result<Quantity> parse(std::string_view text);
  static constexpr Quantity of_units(std::int64_t units) {
    return Quantity(static_cast<__int128>(units) * kNano);
  }

  constexpr Quantity() = default;

  // Nothing where 128 bits do not hold the result.
  std::optional<Quantity> plus(const Quantity& other) const;
  std::optional<Quantity> minus(const Quantity& other) const;

  // Nothing where it is not a whole number of 64 bits.
  std::optional<std::int64_t> as_integer() const;
  double as_approximate_float() const;
  constexpr int sign() const { return nano_ == 0 ? 0 : (nano_ < 0 ? -1 : 1); }

  friend constexpr bool operator==(const Quantity&, const Quantity&) = default;
  friend constexpr std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) {
    if (a.nano_ == b.nano_) return std::strong_ordering::equal;
    return a.nano_ < b.nano_ ? std::strong_ordering::less : std::strong_ordering::greater;
  }

 private:
  static constexpr std::int64_t kNano = 1'000'000'000;  // nano units of one unit
  explicit constexpr Quantity(__int128 nano) : nano_(nano) {}

  __int128 nano_ = 0;
};

}  // namespace berth::selector
