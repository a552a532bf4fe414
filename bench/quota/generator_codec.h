// The declared schema of generator files.
#pragma once

#include "bench/quota/generator.h"
#include "codec/schema.h"
#include "model/words.h"

namespace berth {
BERTH_WORDS(bench::quota::Constraint, "", "required", "preferred", "balanced");
}

namespace berth::codec {

template <>
struct Describe<bench::quota::WorkloadTemplate> : Described<bench::quota::WorkloadTemplate> {
  static const ObjectSchema<bench::quota::WorkloadTemplate>& schema();
};
template <>
struct Describe<bench::quota::WorkloadSet> : Described<bench::quota::WorkloadSet> {
  static const ObjectSchema<bench::quota::WorkloadSet>& schema();
};
template <>
struct Describe<bench::quota::QueueSet> : Described<bench::quota::QueueSet> {
  static const ObjectSchema<bench::quota::QueueSet>& schema();
};
template <>
struct Describe<bench::quota::CohortSet> : Described<bench::quota::CohortSet> {
  static const ObjectSchema<bench::quota::CohortSet>& schema();
};
template <>
struct Describe<bench::quota::NodeCapacity> : Described<bench::quota::NodeCapacity> {
  static const ObjectSchema<bench::quota::NodeCapacity>& schema();
};
template <>
struct Describe<bench::quota::TopologyLevel> : Described<bench::quota::TopologyLevel> {
  static const ObjectSchema<bench::quota::TopologyLevel>& schema();
};
template <>
struct Describe<bench::quota::TopologyShape> : Described<bench::quota::TopologyShape> {
  static const ObjectSchema<bench::quota::TopologyShape>& schema();
};
template <>
struct Describe<bench::quota::ResourceFlavor> : Described<bench::quota::ResourceFlavor> {
  static const ObjectSchema<bench::quota::ResourceFlavor>& schema();
};
template <>
struct Describe<bench::quota::Generator> : Described<bench::quota::Generator> {
  static const ObjectSchema<bench::quota::Generator>& schema();
};

}  // namespace berth::codec
