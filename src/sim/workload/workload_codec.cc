#include "sim/workload/workload_codec.h"

#include "codec/job_codec.h"

namespace berth::codec {
namespace {

using sim::ArrivalSpec;
using sim::CheckpointCost;
using sim::DurationSpec;
using sim::QuantilePoint;
using sim::ShapeChoice;
using sim::StreamSpec;
using sim::TeamChoice;
using sim::TraceSpec;
using sim::WeightedDuration;
using sim::Workload;

auto any_weight() { return number(0, 1e12); }

ObjectSchema<WeightedDuration> weighted_duration_schema() {
  ObjectSchema<WeightedDuration> s("weighted_duration", "One of several durations.");
  s.field("duration", &WeightedDuration::duration_ms, any_duration())
      .member("duration_ms")
      .required()
      .text("The duration.");
  s.field("weight", &WeightedDuration::weight, any_weight()).text("How often, relatively.");
  return s;
}

ObjectSchema<QuantilePoint> quantile_schema() {
  ObjectSchema<QuantilePoint> s("quantile_point", "A point of a distribution.");
  s.field("part", &QuantilePoint::part, number(0, 1)).required().text("Part of all draws, 0 to 1.");
  s.field("duration", &QuantilePoint::duration_ms, any_duration())
      .member("duration_ms")
      .required()
      .text("What that part does not exceed.");
  return s;
}

ObjectSchema<DurationSpec> duration_schema() {
  ObjectSchema<DurationSpec> s("durations", "A distribution of durations.");
  s.field("kind", &DurationSpec::kind, words()).text("Its form.");
  s.field("value", &DurationSpec::value_ms, any_duration())
      .member("value_ms")
      .text("The constant; the mean of exponential; the median of lognormal.");
  s.field("sigma", &DurationSpec::sigma, number(0, 10))
      .text("Standard deviation of the logarithm, for lognormal.");
  s.field("choices", &DurationSpec::choices, list_of(object()).sized(0, 10'000))
      .text("For choices: the durations and their weights.");
  s.field("quantiles", &DurationSpec::quantiles, list_of(object()).sized(0, 10'000))
      .text("For quantiles: points from part 0 to part 1, with straight lines between them.");
  s.field("least", &DurationSpec::least_ms, any_duration())
      .member("least_ms")
      .text("Shorter draws are raised to it.");
  s.field("most", &DurationSpec::most_ms, any_duration())
      .member("most_ms")
      .text("Longer draws are cut to it; 0: no limit.");
  s.rule([](const DurationSpec& spec) { return validate(spec); });
  return s;
}

ObjectSchema<ArrivalSpec> arrival_schema() {
  ObjectSchema<ArrivalSpec> s("arrivals", "When the jobs of a stream arrive.");
  s.field("process", &ArrivalSpec::process, words())
      .text("Independent arrivals, equal distances, or bursts at independent times.");
  s.field("per_hour", &ArrivalSpec::per_hour, number(1e-6, 1e12))
      .required()
      .text("Jobs an hour, before the daily curve.");
  s.field("burst_jobs", &ArrivalSpec::burst_jobs, integer(1, 1'000'000)).text("Jobs of a burst.");
  s.field("burst_spread", &ArrivalSpec::burst_spread_ms, any_duration())
      .member("burst_spread_ms")
      .text("Time over which a burst spreads its jobs evenly.");
  s.field("daily", &ArrivalSpec::daily, list_of(number(0, 1e6)).sized(0, 1440))
      .when_absent("1 at all times")
      .text("Factors of the rate, spread evenly over the day; straight lines between them.");
  s.rule([](const ArrivalSpec& arrivals) { return validate(arrivals); });
  return s;
}

ObjectSchema<ShapeChoice> shape_schema() {
  ObjectSchema<ShapeChoice> s("shape", "One size of job.");
  s.field("weight", &ShapeChoice::weight, any_weight()).text("How often, relatively.");
  s.field("tasks", &ShapeChoice::tasks, integer(1, 100'000)).text("Equal tasks; all or none.");
  s.field("cpu", &ShapeChoice::cpu_milli, cpu(0, kAmountLimit))
      .member("cpu_milli")
      .text("CPUs of each task.");
  s.field("memory", &ShapeChoice::memory_mib, any_memory())
      .member("memory_mib")
      .text("Host memory of each task.");
  s.field("devices", &ShapeChoice::devices, object())
      .when_absent("none")
      .text("GPUs of each task.");
  return s;
}

ObjectSchema<TeamChoice> team_schema() {
  ObjectSchema<TeamChoice> s("team", "A queue that jobs are charged to.");
  s.field("queue", &TeamChoice::queue, name()).required().text("Queue of the fleet.");
  s.field("weight", &TeamChoice::weight, any_weight()).text("How often, relatively.");
  return s;
}

ObjectSchema<CheckpointCost> checkpoint_cost_schema() {
  ObjectSchema<CheckpointCost> s("checkpoint_cost", "What a checkpoint takes by its size.");
  s.field("per_card", &CheckpointCost::per_card_mib, any_memory())
      .member("per_card_mib")
      .text("What is saved of each card; all cards write and read at once.");
  s.field("out", &CheckpointCost::out_mib_per_s, integer(0, 1'000'000'000))
      .member("out_mib_per_s")
      .text("MiB/s that a card writes; its time is added to the checkpoint's duration.");
  s.field("in", &CheckpointCost::in_mib_per_s, integer(0, 1'000'000'000))
      .member("in_mib_per_s")
      .text("MiB/s that a card reads; its time is added to the checkpoint's restart.");
  s.rule([](const CheckpointCost& cost) { return validate(cost); });
  return s;
}

void add_saving_fields(ObjectSchema<StreamSpec>& s) {
  s.field("checkpoint", &StreamSpec::checkpoint, object())
      .when_absent("none")
      .text("How jobs save their work.");
  s.field("checkpoint_cost", &StreamSpec::checkpoint_cost, object())
      .when_absent("what the checkpoint says")
      .text("Size by the number of cards, and the rates.");
  s.field("unacknowledged", &StreamSpec::unacknowledged_ppm, ppm(0, kPpmOne))
      .member("unacknowledged_ppm")
      .text("Part of the jobs that never answer a request for a checkpoint.");
}

ObjectSchema<StreamSpec> stream_schema() {
  ObjectSchema<StreamSpec> s("stream", "Generated jobs of one kind.");
  s.field("name", &StreamSpec::name, name()).required().text("Its name; jobs are NAME-1, NAME-2.");
  s.field("class", &StreamSpec::job_class, words()).member("job_class").text("Latency class.");
  s.field("priority", &StreamSpec::priority, integer(-1'000'000, 1'000'000))
      .text("Rank within queue and class.");
  s.field("elastic", &StreamSpec::elastic, flag()).text("Jobs may run with fewer tasks.");
  s.field("spot", &StreamSpec::spot, flag()).text("Jobs run on spot capacity.");
  s.field("protected", &StreamSpec::is_protected, flag())
      .member("is_protected")
      .text("Jobs are never preempted and fit inside the guarantee.");
  s.field("partition", &StreamSpec::partition, optional_name())
      .text("Partition of the jobs; empty: their class's.");
  s.field("min_run", &StreamSpec::min_run_ms, any_duration())
      .member("min_run_ms")
      .text("Jobs are not preempted before they have run so long.");
  s.field("declare", &StreamSpec::declared, words())
      .member("declared")
      .text("What jobs say of how long they run: nothing, or their true run time.");
  add_saving_fields(s);
  s.field("arrivals", &StreamSpec::arrivals, object()).required().text("When they arrive.");
  s.field("shapes", &StreamSpec::shapes, list_of(object()).sized(1, 10'000))
      .required()
      .text("What they ask for.");
  s.field("durations", &StreamSpec::durations, object()).required().text("How long they run.");
  s.field("teams", &StreamSpec::teams, list_of(object()).sized(1, 10'000))
      .required()
      .text("Whose they are.");
  s.field("jobs", &StreamSpec::jobs, integer(0, 1'000'000'000))
      .text("The stream ends after so many jobs; 0: never.");
  s.rule([](const StreamSpec& stream) { return validate(stream); });
  return s;
}

ObjectSchema<TraceSpec> trace_schema() {
  ObjectSchema<TraceSpec> s("trace", "Recorded jobs to replay.");
  s.field("format", &TraceSpec::format, words()).text("Format of the file.");
  s.field("jobs", &TraceSpec::jobs, text(4096))
      .required()
      .text("Path of the CSV, beside this file or in the folder of traces.");
  s.field("queue", &TraceSpec::queue, optional_name()).text("Queue of jobs that name none.");
  s.field("class", &TraceSpec::job_class, words())
      .member("job_class")
      .text("Class of jobs that name none.");
  s.field("speedup", &TraceSpec::speedup, number(1e-6, 1e9))
      .text("Divides the times of arrival; run times stay.");
  s.field("most", &TraceSpec::most, integer(0, 1'000'000'000))
      .text("Only so many jobs, the first ones; 0: all.");
  return s;
}

ObjectSchema<Workload> workload_schema() {
  ObjectSchema<Workload> s("workload", "The jobs of a simulation.");
  s.field("name", &Workload::name, name()).required().text("Name of the workload.");
  s.field("streams", &Workload::streams, list_of(object()).sized(0, 1000)).text("Generated jobs.");
  s.field("traces", &Workload::traces, list_of(object()).sized(0, 100)).text("Recorded jobs.");
  s.rule([](const Workload& workload) { return validate(workload); });
  return s;
}

}  // namespace

const ObjectSchema<WeightedDuration>& Describe<WeightedDuration>::schema() {
  static const ObjectSchema<WeightedDuration> kSchema = weighted_duration_schema();
  return kSchema;
}
const ObjectSchema<QuantilePoint>& Describe<QuantilePoint>::schema() {
  static const ObjectSchema<QuantilePoint> kSchema = quantile_schema();
  return kSchema;
}
const ObjectSchema<DurationSpec>& Describe<DurationSpec>::schema() {
  static const ObjectSchema<DurationSpec> kSchema = duration_schema();
  return kSchema;
}
const ObjectSchema<ArrivalSpec>& Describe<ArrivalSpec>::schema() {
  static const ObjectSchema<ArrivalSpec> kSchema = arrival_schema();
  return kSchema;
}
const ObjectSchema<ShapeChoice>& Describe<ShapeChoice>::schema() {
  static const ObjectSchema<ShapeChoice> kSchema = shape_schema();
  return kSchema;
}
const ObjectSchema<TeamChoice>& Describe<TeamChoice>::schema() {
  static const ObjectSchema<TeamChoice> kSchema = team_schema();
  return kSchema;
}
const ObjectSchema<CheckpointCost>& Describe<CheckpointCost>::schema() {
  static const ObjectSchema<CheckpointCost> kSchema = checkpoint_cost_schema();
  return kSchema;
}
const ObjectSchema<StreamSpec>& Describe<StreamSpec>::schema() {
  static const ObjectSchema<StreamSpec> kSchema = stream_schema();
  return kSchema;
}
const ObjectSchema<TraceSpec>& Describe<TraceSpec>::schema() {
  static const ObjectSchema<TraceSpec> kSchema = trace_schema();
  return kSchema;
}
const ObjectSchema<Workload>& Describe<Workload>::schema() {
  static const ObjectSchema<Workload> kSchema = workload_schema();
  return kSchema;
}

}  // namespace berth::codec
