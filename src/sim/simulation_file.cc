#include "sim/simulation_file.h"

#include "codec/job_codec.h"
#include "sim/workload/workload_codec.h"

namespace berth::sim {

Status validate(const SimulationFile& file) {
  if (file.fleet.empty() && !file.fleet_trace) {
    return invalid("is needed, or fleet_trace", "fleet");
  }
  if (file.workload.empty() && file.streams.empty() && file.traces.empty()) {
    return invalid("is needed, or streams, or traces", "workload");
  }
  if (file.duration_ms == 0) {
    for (std::size_t i = 0; i < file.streams.size(); ++i) {
      if (file.streams[i].jobs > 0) continue;
      return invalid("has no end: the stream needs a number of jobs, or the run a duration",
                     "streams[" + std::to_string(i) + "].jobs");
    }
  }
  return {};
}

}  // namespace berth::sim

namespace berth::codec {
namespace {

using sim::ExecutorSpec;
using sim::FleetTrace;
using sim::PlannerSpec;
using sim::SimulationFile;

ObjectSchema<FleetTrace> fleet_trace_schema() {
  ObjectSchema<FleetTrace> s("fleet_trace", "Nodes of a trace as the fleet.");
  s.field("format", &FleetTrace::format, words()).text("Format of the file: openb or philly.");
  s.field("nodes", &FleetTrace::nodes, text(4096))
      .required()
      .text("Path of the CSV, beside this file or in the folder of traces.");
  s.field("model", &FleetTrace::model, text(64)).text("GPU model of all nodes, for philly.");
  s.field("divide", &FleetTrace::divide, integer(1, 1'000'000))
      .text("One node of so many, for philly: its jobs load the whole fleet to 13 %.");
  s.rule([](const FleetTrace& fleet) { return validate(fleet); });
  return s;
}

ObjectSchema<ExecutorSpec> executor_schema() {
  ObjectSchema<ExecutorSpec> s("executor", "What the simulated nodes do with a lease.");
  s.field("prepare", &ExecutorSpec::prepare, object())
      .when_absent("0s")
      .text("Time from the grant to the start barrier.");
  s.field("start_up", &ExecutorSpec::start_up, object())
      .when_absent("0s")
      .text(
          "Time from the start barrier until the job works, such as loading weights; its run time "
          "begins then.");
  s.field("release", &ExecutorSpec::release_ms, any_duration())
      .member("release_ms")
      .text("Time from a revocation to the release.");
  s.field("prepare_failure", &ExecutorSpec::prepare_failure_ppm, ppm(0, kPpmOne))
      .member("prepare_failure_ppm")
      .text("Part of the preparations that fail.");
  return s;
}

ObjectSchema<PlannerSpec> planner_schema() {
  ObjectSchema<PlannerSpec> s("planner", "When and how scheduling cycles run.");
  s.field("debounce", &PlannerSpec::debounce_ms, duration(1, kHourMs))
      .member("debounce_ms")
      .text("Least time between two cycles; a cycle runs only when something changed.");
  s.field("delay", &PlannerSpec::delay_ms, duration(0, kHourMs))
      .member("delay_ms")
      .text("Time from a plan to its commit; what changed meanwhile can win the race.");
  s.field("fast_path", &PlannerSpec::fast_path, words())
      .text("Jobs that are placed at once, without waiting for the cycle.");
  s.field("plan_on", &PlannerSpec::plan_on, words())
      .text("Where the cycle plans; the plan is the same, a replica shows what it costs.");
  s.field("replicas", &PlannerSpec::replicas, integer(1, 64))
      .text("How many replicas plan partitions at the same time; the plan is the same.");
  return s;
}

ObjectSchema<SimulationFile> simulation_schema() {
  ObjectSchema<SimulationFile> s("simulation", "One run of the simulator.");
  s.field("name", &SimulationFile::name, name()).required().text("Name of the run.");
  s.field("fleet", &SimulationFile::fleet, text(4096))
      .text("Fleet: a name of data/fleets, or a path.");
  s.field("fleet_trace", &SimulationFile::fleet_trace, optional(object()))
      .text("Nodes of a trace, beside or instead of the fleet.");
  s.field("workload", &SimulationFile::workload, text(4096))
      .text("Workload: a name of data/workloads, or a path.");
  s.field("streams", &SimulationFile::streams, list_of(object()).sized(0, 1000))
      .text("Generated jobs, beside those of the workload.");
  s.field("traces", &SimulationFile::traces, list_of(object()).sized(0, 100))
      .text("Recorded jobs, beside those of the workload.");
  s.field("policy", &SimulationFile::policy, text(4096))
      .text("Policy: a name of data/policies, or a path.");
  s.field("mix", &SimulationFile::mix, text(4096))
      .text(
          "Demand mix known before the first job: a name of data/mixes, or a path. A policy that "
          "learns starts with it; one that does not keeps it.");
  s.field("seed", &SimulationFile::seed, integer(0, 1'000'000'000'000)).text("Seed of all draws.");
  s.field("duration", &SimulationFile::duration_ms, any_duration())
      .member("duration_ms")
      .text("Virtual time to play; 0: until the last job has ended.");
  s.field("sample_every", &SimulationFile::sample_ms, duration(kSecondMs, kLongestMs))
      .member("sample_ms")
      .text("Time between two samples of the fleet.");
  s.field("executor", &SimulationFile::executor, object()).text("The simulated nodes.");
  s.field("planner", &SimulationFile::planner, object()).text("The scheduling cycle.");
  s.rule([](const SimulationFile& file) { return validate(file); });
  return s;
}

}  // namespace

const ObjectSchema<FleetTrace>& Describe<FleetTrace>::schema() {
  static const ObjectSchema<FleetTrace> kSchema = fleet_trace_schema();
  return kSchema;
}
const ObjectSchema<ExecutorSpec>& Describe<ExecutorSpec>::schema() {
  static const ObjectSchema<ExecutorSpec> kSchema = executor_schema();
  return kSchema;
}
const ObjectSchema<PlannerSpec>& Describe<PlannerSpec>::schema() {
  static const ObjectSchema<PlannerSpec> kSchema = planner_schema();
  return kSchema;
}
const ObjectSchema<SimulationFile>& Describe<SimulationFile>::schema() {
  static const ObjectSchema<SimulationFile> kSchema = simulation_schema();
  return kSchema;
}

}  // namespace berth::codec
