// Policies and demand mixes as users write them (data/policies/*.yaml).
#pragma once

#include <vector>

#include "codec/schema.h"
#include "model/policy.h"

namespace berth::codec {

// A file with a given demand mix.
struct MixFile {
  std::vector<MixEntry> mix;
  friend bool operator==(const MixFile&, const MixFile&) = default;
};

template <>
struct Describe<ClassWeights> : Described<ClassWeights> {
  static const ObjectSchema<ClassWeights>& schema();
};
template <>
struct Describe<RegeometryPolicy> : Described<RegeometryPolicy> {
  static const ObjectSchema<RegeometryPolicy>& schema();
};
template <>
struct Describe<PolicySpec> : Described<PolicySpec> {
  static const ObjectSchema<PolicySpec>& schema();
};
template <>
struct Describe<MixEntry> : Described<MixEntry> {
  static const ObjectSchema<MixEntry>& schema();
};
template <>
struct Describe<MixFile> : Described<MixFile> {
  static const ObjectSchema<MixFile>& schema();
};

}  // namespace berth::codec
