#include "model/gpu_model.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <set>
#include <utility>

namespace berth {
namespace {

constexpr Mib kMaxMemoryMib = 16'777'216;  // 16 TiB
constexpr int kMaxSms = 4096;
constexpr std::int64_t kMaxRate = 1'000'000'000'000;  // 10^21 operations per second
constexpr DurationMs kMaxSwitchMs = kHourMs;

Status in_range(std::int64_t value, std::int64_t least, std::int64_t most, std::string field) {
  if (value >= least && value <= most) return {};
  return invalid("is " + std::to_string(value) + "; a whole number from " + std::to_string(least) +
                     " to " + std::to_string(most) + " is accepted",
                 std::move(field));
}

template <typename T>
Status known_in_range(const std::optional<T>& value, std::int64_t least, std::int64_t most,
                      std::string field) {
  return value ? in_range(*value, least, most, std::move(field)) : Status{};
}

// The first failure of a list of checks that are all cheap.
Status first_failure(std::initializer_list<Status> checks) {
  for (const Status& check : checks) {
    if (!check) return check;
  }
  return {};
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '+';
}

Status well_named(std::string_view name, std::string field) {
  if (!name.empty() && name.size() <= 64 &&
      std::all_of(name.begin(), name.end(), is_name_character))
    return {};
  return invalid(
      "is '" + std::string(name) + "'; 1 to 64 letters, digits, '-', '.', '_' or '+' are accepted",
      std::move(field));
}

std::string indexed(std::string_view list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

Status distinct_names(const GpuModel& model) {
  if (Status ok = well_named(model.name, "name"); !ok) return ok;
  std::set<std::string_view> seen{model.name};
  for (std::size_t i = 0; i < model.aliases.size(); ++i) {
    const std::string field = indexed("aliases", i);
    if (Status ok = well_named(model.aliases[i], field); !ok) return ok;
    if (!seen.insert(model.aliases[i]).second)
      return invalid("'" + model.aliases[i] + "' is named twice; name it once", field);
  }
  return {};
}

// "9.0": two numbers.
Status sound_capability(const std::optional<std::string>& capability) {
  if (!capability) return {};
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const std::size_t point = std::min(capability->find('.'), capability->size());
  const std::string_view major = std::string_view(*capability).substr(0, point);
  const std::string_view minor = std::string_view(*capability).substr(major.size());
  const bool sound = !major.empty() && minor.size() > 1 && capability->size() <= 8 &&
                     std::all_of(major.begin(), major.end(), is_digit) &&
                     std::all_of(minor.begin() + 1, minor.end(), is_digit);
  if (sound) return {};
  return invalid("is '" + *capability + "'; two numbers are accepted, such as 9.0",
                 "compute_capability");
}

bool is_device_id(std::string_view id) {
  return id.size() == 4 && std::all_of(id.begin(), id.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F');
         });
}

Status distinct_device_ids(const GpuModel& model) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < model.device_ids.size(); ++i) {
    const std::string& id = model.device_ids[i];
    if (!is_device_id(id))
      return invalid("is '" + id + "'; four upper-case hex digits are accepted, such as 2330",
                     indexed("device_ids", i));
    if (!seen.insert(id).second)
      return invalid("'" + id + "' is named twice; name it once", indexed("device_ids", i));
  }
  return {};
}

Status sizes_in_range(const GpuModel& model) {
  Status ok = first_failure({
      in_range(model.memory_mib, 1, kMaxMemoryMib, "memory_mib"),
      known_in_range(model.memory_reserved_mib, 0, kMaxMemoryMib, "memory_reserved_mib"),
      known_in_range(model.memory_bandwidth_gb_s, 1, 1'000'000, "memory_bandwidth_gb_s"),
      in_range(model.sms, 1, kMaxSms, "sms"),
      known_in_range(model.sms_mig, 1, model.sms, "sms_mig"),
      in_range(model.memory_slots, 0, kMaxMigSlots, "memory_slots"),
      in_range(model.compute_slices, 0, kMaxMigSlots, "compute_slices"),
      known_in_range(model.board_power_w, 1, 100'000, "board_power_w"),
      in_range(model.mps.max_clients, 0, 1024, "mps.max_clients"),
      known_in_range(model.mps.sm_chunk, 1, model.sms, "mps.sm_chunk"),
  });
  if (!ok) return ok;
  if (model.time_slicing.quantum_settable && !model.time_slicing.supported)
    return invalid("is true although time_slicing.supported is false; false is accepted",
                   "time_slicing.quantum_settable");
  return {};
}

Status rates_in_range(const PeakRates& peak) {
  return first_failure({
      known_in_range(peak.fp64_gflop_s, 1, kMaxRate, "peak.fp64_gflop_s"),
      known_in_range(peak.fp64_tensor_gflop_s, 1, kMaxRate, "peak.fp64_tensor_gflop_s"),
      known_in_range(peak.fp32_gflop_s, 1, kMaxRate, "peak.fp32_gflop_s"),
      known_in_range(peak.tf32_gflop_s, 1, kMaxRate, "peak.tf32_gflop_s"),
      known_in_range(peak.fp16_gflop_s, 1, kMaxRate, "peak.fp16_gflop_s"),
      known_in_range(peak.bf16_gflop_s, 1, kMaxRate, "peak.bf16_gflop_s"),
      known_in_range(peak.fp8_gflop_s, 1, kMaxRate, "peak.fp8_gflop_s"),
      known_in_range(peak.fp4_gflop_s, 1, kMaxRate, "peak.fp4_gflop_s"),
      known_in_range(peak.int8_gop_s, 1, kMaxRate, "peak.int8_gop_s"),
  });
}

Status nvlink_consistent(const NvLink& nvlink) {
  Status ok = first_failure({
      known_in_range(nvlink.generation, 1, 99, "nvlink.generation"),
      known_in_range(nvlink.links, 1, 1024, "nvlink.links"),
      known_in_range(nvlink.total_gb_s, 1, 1'000'000, "nvlink.total_gb_s"),
  });
  if (!ok) return ok;
  if (nvlink.reach != NvLinkReach::kNone) return {};
  if (nvlink.generation || nvlink.links || nvlink.total_gb_s)
    return invalid("is none, yet a generation, links or a rate are given; leave them out",
                   "nvlink.reach");
  return {};
}

Status switching_consistent(const GpuModel& model) {
  if (model.has_mig() != model.mig_switching.has_value())
    return invalid(model.has_mig() ? "is missing; a model with a MIG grid needs it"
                                   : "is given for a model without a MIG grid; leave it out",
                   "mig_switching");
  if (!model.mig_switching) return {};
  const MigSwitching& cost = *model.mig_switching;
  return first_failure({
      known_in_range(cost.switch_ms, 0, kMaxSwitchMs, "mig_switching.switch_ms"),
      known_in_range(cost.instance_create_ms, 0, kMaxSwitchMs, "mig_switching.instance_create_ms"),
      known_in_range(cost.instance_destroy_ms, 0, kMaxSwitchMs,
                     "mig_switching.instance_destroy_ms"),
  });
}

// Most instances of one profile that the card holds: disjoint starts (equal lengths, so earliest
// first is best) and the compute slices.
int most_instances(const MigProfile& profile, int compute_slices) {
  int disjoint = 0;
  int free_from = 0;
  for (const int start : profile.starts) {
    if (start < free_from) continue;
    ++disjoint;
    free_from = start + profile.memory_slots;
  }
  return std::min(disjoint, compute_slices / profile.compute_slices);
}

Status starts_on_grid(const MigProfile& profile, int memory_slots, const std::string& field) {
  if (profile.starts.empty())
    return invalid("is empty; at least one start is needed", field + ".starts");
  for (std::size_t i = 0; i < profile.starts.size(); ++i) {
    const std::string at = indexed(field + ".starts", i);
    if (Status ok = in_range(profile.starts[i], 0, memory_slots - profile.memory_slots, at); !ok)
      return ok;
    if (i > 0 && profile.starts[i] <= profile.starts[i - 1])
      return invalid("is " + std::to_string(profile.starts[i]) + " after " +
                         std::to_string(profile.starts[i - 1]) + "; starts must ascend",
                     at);
  }
  return {};
}

Status engines_in_range(const MigProfile& profile, const std::string& field) {
  return first_failure({
      known_in_range(profile.copy_engines, 0, 64, field + ".copy_engines"),
      known_in_range(profile.decoders, 0, 64, field + ".decoders"),
      known_in_range(profile.encoders, 0, 64, field + ".encoders"),
      known_in_range(profile.jpeg_decoders, 0, 64, field + ".jpeg_decoders"),
      known_in_range(profile.optical_flow, 0, 64, field + ".optical_flow"),
  });
}

Status profile_consistent(const MigProfile& profile, const GpuModel& model,
                          const std::string& field) {
  Status ok = first_failure({
      well_named(profile.name, field + ".name"),
      known_in_range(profile.id, 0, 255, field + ".id"),
      in_range(profile.compute_slices, 1, model.compute_slices, field + ".compute_slices"),
      in_range(profile.memory_slots, 1, model.memory_slots, field + ".memory_slots"),
      known_in_range(profile.memory_mib, 1, model.memory_total_mib(), field + ".memory_mib"),
      known_in_range(profile.sms, 1, model.sms_mig.value_or(model.sms), field + ".sms"),
      engines_in_range(profile, field),
  });
  if (!ok) return ok;
  const std::string prefix = std::to_string(profile.compute_slices) + "g.";
  if (profile.name.rfind(prefix, 0) != 0)
    return invalid("is '" + profile.name + "'; with compute_slices " +
                       std::to_string(profile.compute_slices) + " it must start with '" + prefix +
                       "'",
                   field + ".name");
  if (ok = starts_on_grid(profile, model.memory_slots, field); !ok) return ok;
  const int most = std::min(kMaxMigInstances, most_instances(profile, model.compute_slices));
  return in_range(profile.max, 1, most, field + ".max");
}

Status profiles_distinct(const std::vector<MigProfile>& profiles) {
  std::set<std::string_view> names;
  std::map<int, std::string_view> ids;
  std::size_t placements = 0;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const MigProfile& profile = profiles[i];
    const std::string field = indexed("mig_profiles", i);
    if (!names.insert(profile.name).second)
      return invalid("'" + profile.name + "' is named twice; name it once", field + ".name");
    if (profile.id) {
      const auto [other, is_new] = ids.emplace(*profile.id, profile.name);
      if (!is_new)
        return invalid("is " + std::to_string(*profile.id) + ", the id of '" +
                           std::string(other->second) + "' too; ids are unique within a model",
                       field + ".id");
    }
    placements += profile.starts.size();
  }
  return in_range(static_cast<std::int64_t>(placements), 0, kMaxMigPlacements, "mig_profiles");
}

Status grid_consistent(const GpuModel& model) {
  if ((model.memory_slots > 0) != (model.compute_slices > 0))
    return invalid("is " + std::to_string(model.compute_slices) + " with memory_slots " +
                       std::to_string(model.memory_slots) + "; both are 0 or neither is",
                   "compute_slices");
  if (!model.has_mig() && !model.mig_profiles.empty())
    return invalid("lists profiles although memory_slots is 0; leave them out", "mig_profiles");
  if (!model.has_mig() && model.sms_mig)
    return invalid("is given although memory_slots is 0; leave it out", "sms_mig");
  if (model.has_mig() && model.mig_profiles.empty())
    return invalid("is empty; a model with a MIG grid needs profiles", "mig_profiles");
  if (model.mig_profiles.size() > static_cast<std::size_t>(kMaxMigProfiles))
    return invalid("lists " + std::to_string(model.mig_profiles.size()) + " profiles; at most " +
                       std::to_string(kMaxMigProfiles) + " are accepted",
                   "mig_profiles");
  for (std::size_t i = 0; i < model.mig_profiles.size(); ++i) {
    Status ok = profile_consistent(model.mig_profiles[i], model, indexed("mig_profiles", i));
    if (!ok) return ok;
  }
  return profiles_distinct(model.mig_profiles);
}

}  // namespace

GpuModel nominal_model(std::string name, std::string vendor, std::string architecture,
                       Mib memory_mib) {
  GpuModel model;
  model.name = std::move(name);
  model.vendor = std::move(vendor);
  model.architecture = std::move(architecture);
  model.memory_mib = memory_mib;
  model.sms = 1;
  model.time_slicing.supported = true;
  return model;
}

MigProfile grid_profile(std::string name, std::optional<int> id, int compute_slices,
                        int memory_slots, int max, std::vector<int> starts) {
  MigProfile profile;
  profile.name = std::move(name);
  profile.id = id;
  profile.compute_slices = compute_slices;
  profile.memory_slots = memory_slots;
  profile.max = max;
  profile.starts = std::move(starts);
  return profile;
}

Status validate(const GpuModel& model) {
  // In this order, because later checks rely on the ranges that earlier ones established.
  if (Status ok = distinct_names(model); !ok) return ok;
  if (Status ok = well_named(model.vendor, "vendor"); !ok) return ok;
  if (Status ok = well_named(model.architecture, "architecture"); !ok) return ok;
  if (Status ok = sound_capability(model.compute_capability); !ok) return ok;
  if (Status ok = distinct_device_ids(model); !ok) return ok;
  if (Status ok = sizes_in_range(model); !ok) return ok;
  if (Status ok = rates_in_range(model.peak); !ok) return ok;
  if (Status ok = nvlink_consistent(model.nvlink); !ok) return ok;
  if (Status ok = grid_consistent(model); !ok) return ok;
  return switching_consistent(model);
}

Status validate_catalogue(const std::vector<GpuModel>& models) {
  std::map<std::string_view, std::string_view> name_owners;
  std::map<std::string_view, std::string_view> id_owners;
  const auto claim = [](auto& owners, std::string_view key, const GpuModel& model,
                        std::string field) -> Status {
    const auto [owner, is_new] = owners.emplace(key, model.name);
    if (is_new) return {};
    return invalid("'" + std::string(key) + "' of " + model.name + " belongs to " +
                       std::string(owner->second) + " already; it may name one model only",
                   std::move(field));
  };
  for (std::size_t i = 0; i < models.size(); ++i) {
    const GpuModel& model = models[i];
    const std::string field = indexed("models", i);
    if (Status ok = claim(name_owners, model.name, model, field + ".name"); !ok) return ok;
    for (const std::string& alias : model.aliases) {
      if (Status ok = claim(name_owners, alias, model, field + ".aliases"); !ok) return ok;
    }
    for (const std::string& id : model.device_ids) {
      if (Status ok = claim(id_owners, id, model, field + ".device_ids"); !ok) return ok;
    }
  }
  return {};
}

}  // namespace berth
