// The simulation file as users write it: fleet, workload, policy and settings of one run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codec/schema.h"
#include "sim/settings.h"
#include "sim/trace/loader.h"
#include "sim/workload/workload.h"

namespace berth::sim {

struct SimulationFile : SimSettings {
  std::string name;
  std::string fleet;                      // name in the data's fleets, or path
  std::optional<FleetTrace> fleet_trace;  // nodes of a trace, beside or instead of `fleet`
  std::string workload;                   // name in the data's workloads, or path
  std::vector<StreamSpec> streams;        // beside those of the workload
  std::vector<TraceSpec> traces;
  std::string policy = "berth";  // name in the data's policies, or path
  std::string mix;               // name in the data's mixes, or path; empty: none is given
  friend bool operator==(const SimulationFile&, const SimulationFile&) = default;
};

Status validate(const SimulationFile& file);

}  // namespace berth::sim

namespace berth::codec {

template <>
struct Describe<sim::FleetTrace> : Described<sim::FleetTrace> {
  static const ObjectSchema<sim::FleetTrace>& schema();
};
template <>
struct Describe<sim::ExecutorSpec> : Described<sim::ExecutorSpec> {
  static const ObjectSchema<sim::ExecutorSpec>& schema();
};
template <>
struct Describe<sim::FailureSpec> : Described<sim::FailureSpec> {
  static const ObjectSchema<sim::FailureSpec>& schema();
};
template <>
struct Describe<sim::PlannerSpec> : Described<sim::PlannerSpec> {
  static const ObjectSchema<sim::PlannerSpec>& schema();
};
template <>
struct Describe<sim::SimulationFile> : Described<sim::SimulationFile> {
  static const ObjectSchema<sim::SimulationFile>& schema();
};

}  // namespace berth::codec
