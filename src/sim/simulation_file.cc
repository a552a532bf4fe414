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
using sim::FailureSpec;
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
  s.field("stragglers", &ExecutorSpec::straggler_ppm, ppm(0, kPpmOne))
      .member("straggler_ppm")
      .text("Part of the killed tasks that hang before they give their devices back.");
  s.field("straggle", &ExecutorSpec::straggle, object())
      .when_absent("0s")
      .text("How long those hang.");
  s.field("layout", &ExecutorSpec::layout, object())
      .when_absent("0s")
      .text("Time to make another MIG layout of a card.");
  s.field("layout_failure", &ExecutorSpec::layout_failure_ppm, ppm(0, kPpmOne))
      .member("layout_failure_ppm")
      .text("Part of those that fail when the old instances are gone and the new not there.");
  return s;
}

auto rate() { return number(0, 1000); }

void add_hardware_fields(ObjectSchema<FailureSpec>& s) {
  s.field("card_per_hour", &FailureSpec::card_per_hour, rate())
      .text("Failures of a card in an hour; its tasks are lost.");
  s.field("node_per_hour", &FailureSpec::node_per_hour, rate())
      .text("Failures of a node in an hour for each of its cards: network, host.");
  s.field("reset", &FailureSpec::reset_ppm, ppm(0, kPpmOne))
      .member("reset_ppm")
      .text("Part of the failures that a reset or reboot repairs.");
  s.field("reset_time", &FailureSpec::reset, object())
      .when_absent("10 to 30 minutes")
      .text("How long that takes.");
  s.field("hold_time", &FailureSpec::hold, object())
      .when_absent("1 to 5 days")
      .text("How long the others take, which need people or parts.");
  s.field("correlated", &FailureSpec::correlated_ppm, ppm(0, kPpmOne))
      .member("correlated_ppm")
      .text("Part of the failures that take all nodes of a domain, such as a rack.");
  s.field("domain", &FailureSpec::domain, text(64))
      .text("Level of that domain; empty: the lowest above the node.");
  s.field("give_up", &FailureSpec::give_up_ms, any_duration())
      .member("give_up_ms")
      .text("Time until the tasks of a lost node are known to be gone, unless it is back before.");
}

ObjectSchema<FailureSpec> failure_schema() {
  ObjectSchema<FailureSpec> s("failures", "What fails by itself; draws of their own.");
  add_hardware_fields(s);
  s.field("crash_per_hour", &FailureSpec::crash_per_hour, rate())
      .text("Failures of a job by itself in an hour of work; it ends.");
  s.field("spot_per_hour", &FailureSpec::spot_per_hour, rate())
      .text("How often in an hour a node of a partition of kind spot is taken away.");
  s.field("notice", &FailureSpec::notice_ms, any_duration())
      .member("notice_ms")
      .text("Time from the notice until it is gone.");
  s.field("away", &FailureSpec::away, object())
      .when_absent("10 minutes to 2 hours")
      .text("Time until it is back.");
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
  s.field("failures", &SimulationFile::failures, optional(object()))
      .when_absent("nothing fails")
      .text("Failures of cards and nodes, interruptions of spot nodes, crashes of jobs.");
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
const ObjectSchema<FailureSpec>& Describe<FailureSpec>::schema() {
  static const ObjectSchema<FailureSpec> kSchema = failure_schema();
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
