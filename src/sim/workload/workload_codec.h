// Workloads as YAML or JSON.
#pragma once

#include "codec/schema.h"
#include "sim/workload/workload.h"

namespace berth::codec {

template <>
struct Describe<sim::WeightedDuration> : Described<sim::WeightedDuration> {
  static const ObjectSchema<sim::WeightedDuration>& schema();
};
template <>
struct Describe<sim::QuantilePoint> : Described<sim::QuantilePoint> {
  static const ObjectSchema<sim::QuantilePoint>& schema();
};
template <>
struct Describe<sim::DurationSpec> : Described<sim::DurationSpec> {
  static const ObjectSchema<sim::DurationSpec>& schema();
};
template <>
struct Describe<sim::ArrivalSpec> : Described<sim::ArrivalSpec> {
  static const ObjectSchema<sim::ArrivalSpec>& schema();
};
template <>
struct Describe<sim::ShapeChoice> : Described<sim::ShapeChoice> {
  static const ObjectSchema<sim::ShapeChoice>& schema();
};
template <>
struct Describe<sim::TeamChoice> : Described<sim::TeamChoice> {
  static const ObjectSchema<sim::TeamChoice>& schema();
};
template <>
struct Describe<sim::CheckpointCost> : Described<sim::CheckpointCost> {
  static const ObjectSchema<sim::CheckpointCost>& schema();
};
template <>
struct Describe<sim::StreamSpec> : Described<sim::StreamSpec> {
  static const ObjectSchema<sim::StreamSpec>& schema();
};
template <>
struct Describe<sim::TraceSpec> : Described<sim::TraceSpec> {
  static const ObjectSchema<sim::TraceSpec>& schema();
};
template <>
struct Describe<sim::Workload> : Described<sim::Workload> {
  static const ObjectSchema<sim::Workload>& schema();
};

}  // namespace berth::codec
