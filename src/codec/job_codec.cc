#include "codec/job_codec.h"

namespace berth::codec {
namespace {

ObjectSchema<DeviceRequest> device_schema() {
  ObjectSchema<DeviceRequest> s("devices", "The GPUs of one container.");
  s.field("count", &DeviceRequest::count, integer(0, kTaskLimit))
      .text("How many devices; 0: none.");
  s.field("kind", &DeviceRequest::kind, words())
      .text("Whole cards, shares of cards or MIG instances.");
  s.field("compute", &DeviceRequest::compute, card_share(0, kCard))
      .text("Compute of each share, as part of a card.");
  s.field("memory", &DeviceRequest::memory_mib, optional(any_memory()))
      .member("memory_mib")
      .when_absent("in proportion to compute")
      .text("Memory of each device; 0: not accounted (time-slicing only).");
  s.field("mig_profile", &DeviceRequest::mig_profile, text(64)).text("MIG profile, for kind mig.");
  s.field("distinct", &DeviceRequest::distinct, words())
      .text("Whether the devices must lie on distinct cards.");
  s.field("models", &DeviceRequest::models, list_of(text(64)).sized(0, 64))
      .when_absent("any")
      .text("Accepted GPU models.");
  s.field("within", &DeviceRequest::within, optional_name())
      .when_absent("node")
      .text("Level that all devices of the request must share: that below the node, or node.");
  s.field("min_tier", &DeviceRequest::min_tier, words())
      .text(
          "Least isolation from other tenants of the card; hardware: of whole cards and MIG only.");
  s.field("selector", &DeviceRequest::selector, text(kSelectorLimit))
      .when_absent("any")
      .text(
          "Which devices may serve the request: an expression over their attributes, beside models "
          "(docs/selectors.md).");
  return s;
}

ObjectSchema<Container> container_schema() {
  ObjectSchema<Container> s("container", "One container of a task.");
  s.field("name", &Container::name, optional_name()).text("Its name within the task.");
  s.field("role", &Container::role, words())
      .text("Main program, initialisation before it, or companion.");
  s.field("cpu", &Container::cpu_milli, cpu(0, kAmountLimit)).member("cpu_milli").text("CPUs.");
  s.field("memory", &Container::memory_mib, any_memory()).member("memory_mib").text("Host memory.");
  s.field("resources", &Container::resources, countables())
      .text("Countable resources of the node.");
  s.field("devices", &Container::devices, object()).when_absent("none").text("GPUs.");
  s.field("image", &Container::image, text(1024)).text("Image to run.").not_used_yet();
  s.field("command", &Container::command, list_of(text(65'536)).sized(0, 1024))
      .text("Program and arguments.")
      .not_used_yet();
  s.field("environment", &Container::environment,
          map_of<std::string>(text(256), text(65'536)).at_most(1024))
      .text("Environment variables.")
      .not_used_yet();
  return s;
}

ObjectSchema<TopologyRule> topology_rule_schema() {
  ObjectSchema<TopologyRule> s("topology_rule", "All tasks of a unit lie in one domain.");
  s.field("unit", &TopologyRule::unit, words()).text("What must stay together.");
  s.field("within", &TopologyRule::within, name()).required().text("Level of the domain.");
  s.field("strength", &TopologyRule::strength, words()).text("A condition or a wish.");
  return s;
}

ObjectSchema<Role> role_schema() {
  ObjectSchema<Role> s("role", "Equal tasks of a job.");
  s.field("name", &Role::name, codec::name()).text("Its name within the job.");
  s.field("count", &Role::count, integer(1, kTaskLimit)).text("Number of tasks.");
  s.field("min", &Role::min, integer(0, kTaskLimit))
      .when_absent("count")
      .text("Tasks of which at least so many run, or none.");
  s.field("elastic", &Role::elastic, flag())
      .text("Runs with any number of tasks from min to count.");
  s.field("optional", &Role::optional, flag())
      .text("The job starts and runs without it; the role has its minimum or nothing.");
  s.field("segment_tasks", &Role::segment_tasks, integer(0, kTaskLimit))
      .text("Tasks per segment, for rules of unit segment; 0: none.");
  s.field("containers", &Role::containers, list_of(object()).sized(1, 64))
      .required()
      .text("Containers of each task.");
  s.field("topology", &Role::topology, list_of(object()).sized(0, 16))
      .text(
          "Which of its tasks must, or should, lie together. Groups stay as near together as they "
          "can without any rule.");
  return s;
}

ObjectSchema<CheckpointSpec> checkpoint_schema() {
  ObjectSchema<CheckpointSpec> s("checkpoint", "How a job saves its work.");
  s.field("method", &CheckpointSpec::method, words()).text("How a checkpoint is asked for.");
  s.field("interval", &CheckpointSpec::interval_ms, any_duration())
      .member("interval_ms")
      .text("Time between its own checkpoints; 0: none.");
  s.field("duration", &CheckpointSpec::duration_ms, any_duration())
      .member("duration_ms")
      .text("Time to write one.");
  s.field("restart", &CheckpointSpec::restart_ms, any_duration())
      .member("restart_ms")
      .text("Time that it takes longer to start again with what it has saved.");
  s.field("size", &CheckpointSpec::size_mib, any_memory())
      .member("size_mib")
      .text("Its size, also of the image when it is suspended; 0: the memory that it holds.");
  s.field("grace", &CheckpointSpec::grace_ms, any_duration())
      .member("grace_ms")
      .text("Longest wait for the acknowledgement.");
  s.field("acknowledges", &CheckpointSpec::acknowledges, flag())
      .text("Answers a request with a checkpoint id.");
  return s;
}

ObjectSchema<SloSpec> slo_schema() {
  ObjectSchema<SloSpec> s("slo", "Service level objective of an inference job.");
  s.field("latency", &SloSpec::latency_ms, any_duration())
      .member("latency_ms")
      .text("Target latency at the quantile; 0: none.")
      .not_used_yet();
  s.field("quantile", &SloSpec::quantile_ppm, ppm(0, kPpmOne))
      .member("quantile_ppm")
      .text("Part of the requests that must meet it.")
      .not_used_yet();
  s.field("start_within", &SloSpec::start_within_ms, any_duration())
      .member("start_within_ms")
      .text("A new replica must serve this soon; 0: not asked.")
      .not_used_yet();
  s.field("penalty_per_hour", &SloSpec::penalty_per_hour, any_money())
      .text("Price of missing it, per replica.")
      .not_used_yet();
  s.field("reclaim_slack", &SloSpec::reclaim_slack_ms, any_duration())
      .member("reclaim_slack_ms")
      .text("How late lent capacity may come back.")
      .not_used_yet();
  s.field("spill_models", &SloSpec::spill_models, list_of(text(64)).sized(0, 64))
      .text("Slower GPU models that may take the overflow.")
      .not_used_yet();
  return s;
}

template <typename T>
void add_identity(ObjectSchema<T>& s) {
  s.field("queue", &T::queue, name()).required().text("Queue that it is charged to.");
  s.field("partition", &T::partition, optional_name())
      .when_absent("the class's default")
      .text("Partition it runs in.");
  s.field("trust_domain", &T::trust_domain, optional_name())
      .when_absent("the queue's")
      .text(
          "Whom it may share a card with: the trust domain of its queue or of a queue above it; no "
          "other is accepted.");
  s.field("kind", &T::kind, optional_name())
      .when_absent("by shape")
      .text("Jobs of one kind share learned run times.");
  s.field("group", &T::group, optional_name())
      .when_absent("it starts alone")
      .text("Jobs of one queue that first start together, all or none.");
  s.field("group_jobs", &T::group_jobs, integer(0, 10'000)).text("How many jobs the group has.");
  s.field("class", &T::job_class, words()).member("job_class").text("Latency class.");
  s.field("priority", &T::priority, integer(-1'000'000, 1'000'000))
      .text("Rank within its queue and class.");
}

template <typename T>
void add_demand(ObjectSchema<T>& s) {
  s.field("roles", &T::roles, list_of(object()).sized(1, 1024)).required().text("Its tasks.");
  s.field("domain_resources", &T::domain_resources, countables())
      .text(
          "Countable resources of domains (fabric channels, licences), each of the nearest domain "
          "at or above the one that hosts the job; all of its tasks then lie inside that domain.");
  s.field("spot", &T::spot, flag()).text("Runs on what is left, for its bid.");
  s.field("protected", &T::is_protected, flag())
      .member("is_protected")
      .text("Never preempted; must fit inside the guarantee.");
  s.field("run_time", &T::run_time_ms, optional(any_duration()))
      .member("run_time_ms")
      .when_absent("learned")
      .text("How long it runs.");
  s.field("checkpoint", &T::checkpoint, object()).when_absent("none").text("Checkpoints.");
  s.field("slo", &T::slo, object())
      .when_absent("none")
      .text("Service level objective.")
      .not_used_yet();
  s.field("bid_per_gpu_hour", &T::bid_per_gpu_hour, any_money())
      .text("Most a spot job pays per GPU and hour.")
      .not_used_yet();
  s.field("budget", &T::budget, any_money())
      .text("Most it may cost in all; 0: unbounded.")
      .not_used_yet();
}

template <typename T>
void add_limits(ObjectSchema<T>& s) {
  s.field("start_timeout", &T::start_timeout_ms, any_duration())
      .member("start_timeout_ms")
      .text(
          "A job whose tasks are not all prepared so long after its grant gives its devices back "
          "and "
          "waits again; 0: the policy's.");
  s.field("repair_within", &T::repair_within_ms, any_duration())
      .member("repair_within_ms")
      .text(
          "A task that was lost is replaced within this, or the job gives its devices back and "
          "waits again; 0: the policy's.");
  s.field("at_most_once", &T::at_most_once_ms, any_duration())
      .member("at_most_once_ms")
      .text("A task is given up when its node is silent for so long; 0: never.");
  s.field("min_run", &T::min_run_ms, any_duration())
      .member("min_run_ms")
      .text("Not preempted before it ran so long, but by the owner of a guarantee.");
  s.field("max_unavailable", &T::max_unavailable, integer(0, kTaskLimit))
      .text(
          "Nothing is taken from the job while so many of its tasks are down, but by the owner of "
          "a guarantee; 0: any may be.");
  s.field("ageing", &T::ageing_ppm, ppm(0, kAmountLimit))
      .member("ageing_ppm")
      .text("Speed at which waiting raises its priority, against the policy's step.");
  s.field("restarts", &T::restarts, integer(0, 1'000'000))
      .text("Restarts after a failure of its own.")
      .not_used_yet();
}

template <typename T>
void add_job_fields(ObjectSchema<T>& s) {
  add_identity(s);
  add_demand(s);
  add_limits(s);
  s.rule([](const T& job) { return validate(static_cast<const JobSpec&>(job)); });
}

ObjectSchema<JobSpec> job_spec_schema() {
  ObjectSchema<JobSpec> s("job_spec", "What a job asks for.");
  add_job_fields(s);
  return s;
}

ObjectSchema<JobFile> job_file_schema() {
  ObjectSchema<JobFile> s("job", "A job: its name and what it asks for.");
  s.field("name", &JobFile::name, codec::name()).required().text("Name of the job.");
  add_job_fields(s);
  return s;
}

ObjectSchema<TaskRequest> task_request_schema() {
  ObjectSchema<TaskRequest> s("task_request", "What one task takes at its peak.");
  s.field("cpu", &TaskRequest::cpu_milli, cpu(0, kAmountLimit)).member("cpu_milli").text("CPUs.");
  s.field("memory", &TaskRequest::memory_mib, any_memory())
      .member("memory_mib")
      .text("Host memory.");
  s.field("resources", &TaskRequest::resources, countables())
      .text("Countable resources of the node.");
  s.field("devices", &TaskRequest::devices, list_of(object()).sized(0, 64)).text("GPUs.");
  return s;
}

}  // namespace

const ObjectSchema<DeviceRequest>& Describe<DeviceRequest>::schema() {
  static const ObjectSchema<DeviceRequest> kSchema = device_schema();
  return kSchema;
}
const ObjectSchema<Container>& Describe<Container>::schema() {
  static const ObjectSchema<Container> kSchema = container_schema();
  return kSchema;
}
const ObjectSchema<TopologyRule>& Describe<TopologyRule>::schema() {
  static const ObjectSchema<TopologyRule> kSchema = topology_rule_schema();
  return kSchema;
}
const ObjectSchema<Role>& Describe<Role>::schema() {
  static const ObjectSchema<Role> kSchema = role_schema();
  return kSchema;
}
const ObjectSchema<CheckpointSpec>& Describe<CheckpointSpec>::schema() {
  static const ObjectSchema<CheckpointSpec> kSchema = checkpoint_schema();
  return kSchema;
}
const ObjectSchema<SloSpec>& Describe<SloSpec>::schema() {
  static const ObjectSchema<SloSpec> kSchema = slo_schema();
  return kSchema;
}
const ObjectSchema<JobSpec>& Describe<JobSpec>::schema() {
  static const ObjectSchema<JobSpec> kSchema = job_spec_schema();
  return kSchema;
}
const ObjectSchema<JobFile>& Describe<JobFile>::schema() {
  static const ObjectSchema<JobFile> kSchema = job_file_schema();
  return kSchema;
}
const ObjectSchema<TaskRequest>& Describe<TaskRequest>::schema() {
  static const ObjectSchema<TaskRequest> kSchema = task_request_schema();
  return kSchema;
}

}  // namespace berth::codec
