// Verbs of the people who own jobs.
#include <algorithm>
#include <memory>
#include <utility>

#include "base/nearest.h"
#include "sim/scenario/verbs.h"

namespace berth::sim {
namespace {

constexpr std::int64_t kMostPriority = 1'000'000'000;
constexpr std::int64_t kMostTasks = 10'000;  // of one job in a scenario

// What the request is cut from: whole cards, a share, or a MIG profile.
DeviceRequest read_devices(Arguments& arguments) {
  DeviceRequest devices;
  const auto gpus = arguments.whole("gpus", 0, kMostTasks);
  auto compute = arguments.cards("share", 1);
  const bool has_share = compute.has_value();
  if (const auto cap = arguments.cards("compute", 1)) compute = cap;
  const auto memory = arguments.memory("memory");
  const auto profile = arguments.text("profile");
  const auto count = arguments.whole("count", 1, kMostTasks);
  if (profile) {
    devices.kind = ShareKind::kMig;
    devices.mig_profile = *profile;
  } else if (gpus && compute) {
    arguments.refuse("whole cards and a part of a card are two requests", "gpus");
  } else if (!gpus && (compute || memory)) {
    devices.kind = ShareKind::kShare;
    devices.compute = compute.value_or(0);
    // a share of the card takes its part of the memory; a cap on compute alone claims none
    if (!has_share || memory) devices.memory_mib = memory.value_or(0);
  } else {
    devices.memory_mib = memory;
  }
  const bool cut = devices.kind != ShareKind::kWhole;
  if (cut && gpus) arguments.refuse("whole cards and a part of a card are two requests", "gpus");
  devices.count = static_cast<std::uint32_t>(cut ? count.value_or(1) : gpus.value_or(0));
  if (!cut && count) arguments.refuse("counts shares or MIG instances; cards: gpus=", "count");
  devices.models = arguments.list("model");
  if (devices.count == 0 && !devices.models.empty()) {
    arguments.refuse("names a model of no card; gpus=, share=, memory= or profile= asks for one",
                     "model");
  }
  devices.selector = arguments.text("selector").value_or("");
  if (devices.count == 0 && !devices.selector.empty()) {
    arguments.refuse("selects no card; gpus=, share=, memory= or profile= asks for one",
                     "selector");
  }
  devices.within = arguments.text("within").value_or("");
  devices.min_tier = arguments.word<Tier>("tier").value_or(Tier::kNone);
  if (const auto same = arguments.text("same_card")) {
    if (*same != "allowed")
      arguments.refuse("is '" + *same + "'; allowed is accepted", "same_card");
    devices.distinct = Distinct::kSameCardAllowed;
  }
  return devices;
}

Container read_container(Arguments& arguments, ContainerRole role) {
  Container container;
  container.role = role;
  container.cpu_milli = arguments.cpu("cpu").value_or(0);
  container.memory_mib = arguments.memory("host_memory").value_or(0);
  container.resources = arguments.amounts("needs");
  container.devices = read_devices(arguments);
  return container;
}

// near=role:leaf,job:pod?   a wish ends in a question mark
std::vector<TopologyRule> read_rules(Arguments& arguments) {
  std::vector<TopologyRule> rules;
  for (std::string item : arguments.list("near")) {
    TopologyRule rule;
    if (item.ends_with('?')) {
      rule.strength = RuleStrength::kPreferred;
      item.pop_back();
    }
    const std::size_t colon = item.find(':');
    const auto unit = from_word<RuleUnit>(item.substr(0, colon));
    if (colon == std::string::npos || !unit) {
      arguments.refuse("is '" + item + "'; UNIT:LEVEL such as role:leaf is accepted", "near");
      break;
    }
    rule.unit = *unit;
    rule.within = item.substr(colon + 1);
    rules.push_back(std::move(rule));
  }
  return rules;
}

Role read_role(Arguments& arguments) {
  Role role;
  role.count = static_cast<std::uint32_t>(arguments.whole("tasks", 1, kMostTasks).value_or(1));
  role.min = static_cast<std::uint32_t>(arguments.whole("min", 0, kMostTasks).value_or(0));
  role.elastic = arguments.has_word("elastic");
  role.optional = arguments.has_word("optional");
  role.segment_tasks =
      static_cast<std::uint32_t>(arguments.whole("segment", 1, kMostTasks).value_or(0));
  role.topology = read_rules(arguments);
  role.containers.push_back(read_container(
      arguments, arguments.has_word("init") ? ContainerRole::kInit : ContainerRole::kApp));
  return role;
}

// "+ app|init|sidecar ..." adds a container to the last role, "+ role NAME ..." another role.
void read_part(Arguments& part, JobSpec& spec) {
  if (const auto container = from_word<ContainerRole>(part.verb())) {
    spec.roles.back().containers.push_back(read_container(part, *container));
  } else if (part.verb() == "role") {
    const std::string name = part.positional("a name");
    spec.roles.push_back(read_role(part));
    spec.roles.back().name = name;
  } else {
    part.refuse("'" + part.verb() +
                "' is not accepted after '+'; app, init, sidecar or role NAME is");
  }
}

void name_containers(JobSpec& spec) {
  for (Role& role : spec.roles) {
    if (role.containers.size() < 2) continue;
    for (std::size_t c = 0; c < role.containers.size(); ++c) {
      role.containers[c].name = "c" + std::to_string(c);
    }
  }
}

void read_group(Arguments& arguments, JobSpec& spec) {
  const std::vector<Countable> group = arguments.amounts("group");
  if (group.empty()) return;
  spec.group = group.front().resource;
  spec.group_jobs = static_cast<std::uint32_t>(group.front().amount);
}

// How it saves its work: grace= alone stands for a job that is told by a signal.
CheckpointSpec read_checkpoint(Arguments& arguments) {
  CheckpointSpec checkpoint;
  const auto grace = arguments.duration("grace");
  if (grace) checkpoint.method = CheckpointMethod::kSignal;
  checkpoint.method = arguments.word<CheckpointMethod>("checkpoint").value_or(checkpoint.method);
  checkpoint.grace_ms = grace.value_or(0);
  checkpoint.acknowledges = arguments.has_word("acknowledges");
  checkpoint.interval_ms = arguments.duration("interval").value_or(0);
  checkpoint.duration_ms = arguments.duration("saves_in").value_or(0);
  checkpoint.restart_ms = arguments.duration("restart").value_or(0);
  checkpoint.size_mib = arguments.memory("image").value_or(0);
  return checkpoint;
}

JobSpec read_spec(Arguments& arguments) {
  JobSpec spec;
  spec.queue = arguments.text("queue").value_or("");
  spec.partition = arguments.text("partition").value_or("");
  spec.trust_domain = arguments.text("trust").value_or("");
  spec.kind = arguments.text("kind").value_or("");
  spec.job_class = arguments.word<JobClass>("class").value_or(JobClass::kTraining);
  spec.priority = static_cast<std::int32_t>(
      arguments.whole("priority", -kMostPriority, kMostPriority).value_or(0));
  spec.spot = arguments.has_word("spot");
  spec.is_protected = arguments.has_word("protected");
  spec.run_time_ms = arguments.duration("run_time");
  spec.repair_within_ms = arguments.duration("repair_within").value_or(0);
  spec.at_most_once_ms = arguments.duration("at_most_once").value_or(0);
  spec.domain_resources = arguments.amounts("domain_needs");
  read_group(arguments, spec);
  spec.checkpoint = read_checkpoint(arguments);
  spec.min_run_ms = arguments.duration("min_run").value_or(0);
  spec.max_unavailable =
      static_cast<std::uint32_t>(arguments.whole("max_unavailable", 0, kTaskLimit).value_or(0));
  spec.roles.push_back(read_role(arguments));
  for (Arguments& part : arguments.parts()) read_part(part, spec);
  name_containers(spec);
  return spec;
}

// The only queue there is, for jobs that name none; empty where there is no such choice.
std::string default_queue(const Session& session) {
  const std::vector<std::string> queues = session.state().queue_names();
  return queues.size() == 1 ? queues.front() : "";
}

void refuse_no_queue(Session& session) {
  const std::vector<std::string> queues = session.state().queue_names();
  session.refuse({ErrorCode::kInvalid,
                  std::string("is not named, and there ") +
                      (queues.empty() ? "is none; 'queue NAME' declares one"
                                      : "are " + std::to_string(queues.size()) +
                                            suggestion("", std::span<const std::string>(queues))),
                  "queue"});
}

Step read_submit(Arguments& arguments) {
  const std::vector<std::string> names = arguments.names("a name");
  const JobSpec spec = read_spec(arguments);
  const std::string request = arguments.text("request").value_or("");
  if (names.size() > 1 && !request.empty()) {
    arguments.refuse("a request id names one command, not several", "request");
  }
  Step step;
  step.run = [names, spec, request](Session& session) -> Status {
    auto shared = std::make_shared<JobSpec>(spec);
    if (shared->queue.empty()) shared->queue = default_queue(session);
    if (shared->queue.empty()) {
      refuse_no_queue(session);
      return {};
    }
    for (const Role& role : shared->roles) {
      for (const Container& container : role.containers) {
        for (const std::string& model : container.devices.models) {
          if (auto s = session.join_model(model); !s) return s;
        }
      }
    }
    for (const std::string& name : names) {
      if (auto s = session.execute(Command{SubmitJob{name, shared}, request, {}}); !s) return s;
    }
    return {};
  };
  return step;
}

template <typename Body>
Step read_by_name(Arguments& arguments) {
  const std::vector<std::string> names = arguments.all_names("a job");
  Step step;
  step.run = [names](Session& session) -> Status {
    for (const std::string& name : names) {
      Body body;
      body.name = name;
      if (auto s = session.execute(Command{body, {}, {}}); !s) return s;
    }
    return {};
  };
  return step;
}

Step read_resize(Arguments& arguments) {
  ResizeJob body;
  body.name = arguments.positional("a job");
  body.role = arguments.text("role").value_or("");
  const auto tasks = arguments.whole("tasks", 1, kMostTasks);
  if (!tasks) arguments.refuse("resize needs tasks=N", "tasks");
  body.count = static_cast<std::uint32_t>(tasks.value_or(1));
  Step step;
  step.run = [body](Session& session) { return session.execute(Command{body, {}, {}}); };
  return step;
}

constexpr Verb kVerbs[] = {
    {"submit",
     "submit NAME [queue=] [gpus=N | share=1/4 | compute=40% memory=2000MiB | profile=1g.10gb] "
     "[count=] [tasks=] [min=] [elastic] [within=island] [same_card=allowed] [model=A,B] "
     "[selector=EXPRESSION] "
     "[tier=process] [class=inference] [priority=] [cpu=] [host_memory=] [needs=NAME:N,...] "
     "[near=UNIT:LEVEL[?],...] [segment=] [optional] [group=NAME:JOBS] [domain_needs=NAME:N,...] "
     "[partition=] [trust=] [kind=] [spot] [protected] [run_time=] [repair_within=] "
     "[at_most_once=] [min_run=] [max_unavailable=] [checkpoint=signal|http|driver] "
     "[acknowledges] [grace=] [interval=] [saves_in=] [restart=] [image=MEMORY] [request=ID] "
     "[+ app|init|sidecar ...] [+ role NAME ...]",
     "A job, or many: m[1-24].", &read_submit},
    {"cancel", "cancel JOB", "Ends a job.", &read_by_name<CancelJob>},
    {"hold", "hold JOB", "Its owner holds a job back.", &read_by_name<HoldJob>},
    {"release", "release JOB", "Ends its owner's hold.", &read_by_name<UnholdJob>},
    {"resize", "resize JOB tasks=N [role=]", "Asks for another number of tasks.", &read_resize},
};

}  // namespace

std::span<const Verb> job_verbs() { return kVerbs; }

}  // namespace berth::sim
