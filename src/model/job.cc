#include "model/job.h"

#include <algorithm>
#include <cctype>
#include <tuple>

namespace berth {
namespace {

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

Status in_range(std::int64_t value, std::int64_t low, std::int64_t high, const std::string& field) {
  if (value >= low && value <= high) return {};
  return invalid("is " + std::to_string(value) + "; from " + std::to_string(low) + " to " +
                     std::to_string(high) + " is accepted",
                 field);
}

Status validate(const DeviceRequest& request, const std::string& path) {
  if (auto s = in_range(request.count, 0, kTaskLimit, path + ".count"); !s) return s;
  if (request.count == 0) return {};
  if (auto s = in_range(request.compute, 0, kCard, path + ".compute"); !s) return s;
  if (request.kind == ShareKind::kWhole && request.compute != kCard) {
    return invalid("a whole card has no partial compute share; use kind 'share'",
                   path + ".compute");
  }
  if (request.memory_mib.has_value()) {
    if (auto s = in_range(*request.memory_mib, 0, kAmountLimit, path + ".memory_mib"); !s) return s;
  }
  if (request.kind == ShareKind::kShare && request.compute == 0 &&
      request.memory_mib.value_or(0) == 0) {
    return invalid("a share needs compute or memory above 0", path);
  }
  if (request.kind == ShareKind::kShare && request.min_tier == Tier::kHardware) {
    return invalid(
        "is 'hardware', which no share of a card has; ask for a MIG instance (kind "
        "'mig'), or for none or process",
        path + ".min_tier");
  }
  const bool has_profile = !request.mig_profile.empty();
  if (has_profile != (request.kind == ShareKind::kMig)) {
    return invalid(has_profile ? "a MIG profile needs kind 'mig'" : "kind 'mig' needs a profile",
                   path + ".mig_profile");
  }
  return {};
}

Status validate(const std::vector<Countable>& resources, const std::string& path) {
  for (std::size_t i = 0; i < resources.size(); ++i) {
    const std::string item = path + "[" + std::to_string(i) + "]";
    if (auto s = validate_name(resources[i].resource, item + ".resource"); !s) return s;
    if (auto s = in_range(resources[i].amount, 0, kAmountLimit, item + ".amount"); !s) return s;
    for (std::size_t j = 0; j < i; ++j) {
      if (resources[j].resource == resources[i].resource) {
        return invalid("'" + resources[i].resource + "' is named twice", item + ".resource");
      }
    }
  }
  return {};
}

Status validate(const Container& container, const std::string& path) {
  if (auto s = in_range(container.cpu_milli, 0, kAmountLimit, path + ".cpu_milli"); !s) return s;
  if (auto s = in_range(container.memory_mib, 0, kAmountLimit, path + ".memory_mib"); !s) return s;
  if (auto s = validate(container.resources, path + ".resources"); !s) return s;
  return validate(container.devices, path + ".devices");
}

Status validate(const Role& role, const std::string& path) {
  if (auto s = validate_name(role.name, path + ".name"); !s) return s;
  if (auto s = in_range(role.count, 1, kTaskLimit, path + ".count"); !s) return s;
  if (role.min > role.count) {
    return invalid("is " + std::to_string(role.min) + "; from 0 to the count of its tasks, " +
                       std::to_string(role.count) + ", is accepted",
                   path + ".min");
  }
  if (role.containers.empty())
    return invalid("at least one container is needed", path + ".containers");
  for (std::size_t i = 0; i < role.containers.size(); ++i) {
    const std::string item = path + ".containers[" + std::to_string(i) + "]";
    if (auto s = validate(role.containers[i], item); !s) return s;
  }
  for (std::size_t i = 0; i < role.topology.size(); ++i) {
    const std::string item = path + ".topology[" + std::to_string(i) + "].within";
    if (auto s = validate_name(role.topology[i].within, item); !s) return s;
  }
  return {};
}

Status validate_times(const JobSpec& spec) {
  constexpr std::int64_t kLongest = 10LL * 365 * 24 * kHourMs;
  const std::pair<std::int64_t, const char*> times[] = {
      {spec.run_time_ms.value_or(0), "run_time_ms"},
      {spec.checkpoint.interval_ms, "checkpoint.interval_ms"},
      {spec.checkpoint.duration_ms, "checkpoint.duration_ms"},
      {spec.checkpoint.restart_ms, "checkpoint.restart_ms"},
      {spec.checkpoint.grace_ms, "checkpoint.grace_ms"},
      {spec.slo.latency_ms, "slo.latency_ms"},
      {spec.slo.start_within_ms, "slo.start_within_ms"},
      {spec.slo.reclaim_slack_ms, "slo.reclaim_slack_ms"},
      {spec.start_timeout_ms, "start_timeout_ms"},
      {spec.repair_within_ms, "repair_within_ms"},
      {spec.at_most_once_ms, "at_most_once_ms"},
      {spec.min_run_ms, "min_run_ms"},
  };
  for (const auto& [value, field] : times) {
    if (auto s = in_range(value, 0, kLongest, field); !s) return s;
  }
  return {};
}

// The combined countables of containers that run together, or of the largest of them.
enum class Combine { kSum, kMax };

void add_resources(std::vector<Countable>& into, const std::vector<Countable>& from, Combine how) {
  for (const Countable& item : from) {
    auto it = std::find_if(into.begin(), into.end(),
                           [&](const Countable& c) { return c.resource == item.resource; });
    if (it == into.end()) {
      into.push_back(item);
    } else if (how == Combine::kSum) {
      it->amount = saturating_add(it->amount, item.amount);
    } else {
      it->amount = std::max(it->amount, item.amount);
    }
  }
}

auto device_key(const DeviceRequest& d) {
  return std::tie(d.kind, d.compute, d.memory_mib, d.mig_profile, d.count, d.distinct, d.models,
                  d.within, d.min_tier, d.selector);
}

std::vector<DeviceRequest> sorted(std::vector<DeviceRequest> requests) {
  std::sort(requests.begin(), requests.end(), [](const DeviceRequest& a, const DeviceRequest& b) {
    return device_key(b) < device_key(a);  // the largest first: it has the fewest places
  });
  return requests;
}

// Whether `a` takes no less than `b` of cards and memory; used to take the larger of an init
// container and of the rest. Compared by total compute, then total memory, then the key.
bool takes_more(const std::vector<DeviceRequest>& a, const std::vector<DeviceRequest>& b) {
  const auto total = [](const std::vector<DeviceRequest>& requests) {
    std::int64_t compute = 0;
    std::int64_t memory = 0;
    std::int64_t count = 0;
    for (const DeviceRequest& r : requests) {
      compute = saturating_add(compute, saturating_mul(r.compute, r.count));
      memory = saturating_add(memory, saturating_mul(r.memory_mib.value_or(0), r.count));
      count += r.count;
    }
    return std::tuple(compute, memory, count);
  };
  return total(a) > total(b);
}

}  // namespace

Status validate_name(const std::string& name, const std::string& field) {
  if (name.empty()) return invalid("is empty; a name is needed", field);
  if (name.size() > kNameLimit) {
    return fail(ErrorCode::kLimitExceeded,
                "has " + std::to_string(name.size()) + " letters; at most " +
                    std::to_string(kNameLimit) + " are accepted",
                field);
  }
  const auto allowed = [](char c) {
    return is_alphanumeric(c) || c == '.' || c == '-' || c == '_' || c == '/';
  };
  if (!is_alphanumeric(name.front()) || !std::all_of(name.begin(), name.end(), allowed)) {
    return invalid("'" + name +
                       "' is not a name; letters, digits, '.', '-', '_' and '/' are "
                       "accepted, starting with a letter or digit",
                   field);
  }
  return {};
}

Status validate(const JobSpec& spec) {
  if (auto s = validate_name(spec.queue, "queue"); !s) return s;
  if (spec.roles.empty()) return invalid("at least one role is needed", "roles");
  std::int64_t tasks = 0;
  for (std::size_t i = 0; i < spec.roles.size(); ++i) {
    const std::string path = "roles[" + std::to_string(i) + "]";
    if (auto s = validate(spec.roles[i], path); !s) return s;
    for (std::size_t j = 0; j < i; ++j) {
      if (spec.roles[j].name == spec.roles[i].name) {
        return invalid("'" + spec.roles[i].name + "' is named twice", path + ".name");
      }
    }
    tasks += spec.roles[i].count;
  }
  if (auto s = in_range(tasks, 1, kTaskLimit, "roles"); !s) return s;
  if (auto s = validate(spec.domain_resources, "domain_resources"); !s) return s;
  if (auto s = in_range(spec.bid_per_gpu_hour, 0, kAmountLimit, "bid_per_gpu_hour"); !s) return s;
  if (auto s = in_range(spec.budget, 0, kAmountLimit, "budget"); !s) return s;
  if (auto s = in_range(spec.ageing_ppm, 0, kAmountLimit, "ageing_ppm"); !s) return s;
  if (spec.spot && spec.job_class != JobClass::kTraining) {
    return invalid("only class training may be spot", "spot");
  }
  return validate_times(spec);
}

TaskRequest task_request(const Role& role) {
  TaskRequest steady;
  TaskRequest init;
  for (const Container& c : role.containers) {
    if (c.role == ContainerRole::kInit) {
      init.cpu_milli = std::max(init.cpu_milli, c.cpu_milli);
      init.memory_mib = std::max(init.memory_mib, c.memory_mib);
      add_resources(init.resources, c.resources, Combine::kMax);
      std::vector<DeviceRequest> own;
      if (c.devices.count > 0) own.push_back(c.devices);
      if (takes_more(own, init.devices)) init.devices = own;
    } else {
      steady.cpu_milli = saturating_add(steady.cpu_milli, c.cpu_milli);
      steady.memory_mib = saturating_add(steady.memory_mib, c.memory_mib);
      add_resources(steady.resources, c.resources, Combine::kSum);
      if (c.devices.count > 0) steady.devices.push_back(c.devices);
    }
  }
  steady.cpu_milli = std::max(steady.cpu_milli, init.cpu_milli);
  steady.memory_mib = std::max(steady.memory_mib, init.memory_mib);
  add_resources(steady.resources, init.resources, Combine::kMax);
  std::sort(steady.resources.begin(), steady.resources.end(),
            [](const Countable& a, const Countable& b) { return a.resource < b.resource; });
  steady.devices = sorted(std::move(steady.devices));
  if (takes_more(init.devices, steady.devices)) steady.devices = sorted(std::move(init.devices));
  return steady;
}

}  // namespace berth
