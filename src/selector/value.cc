#include "selector/value.h"

#include <array>

namespace berth::selector {

Kind Value::kind() const {
  // In the order of the variant's alternatives.
  constexpr std::array<Kind, std::variant_size_v<Variant>> kKinds = {
      Kind::kNull,  Kind::kBool,   Kind::kInt, Kind::kUint,     Kind::kDouble,   Kind::kString,
      Kind::kBytes, Kind::kList,   Kind::kMap, Kind::kOptional, Kind::kQuantity, Kind::kSemver,
      Kind::kType,  Kind::kDevice, Kind::kMap, Kind::kMap,      Kind::kMap,      Kind::kMap};
  return kKinds[held.index()];
}

}  // namespace berth::selector
