// Jobs as users write them. Resources and environment are maps and are kept sorted by name, so that
// jobs that mean the same are equal.
#pragma once

#include <string>

#include "codec/schema.h"
#include "model/job.h"

namespace berth::codec {

// A job file: the fields of JobSpec and, beside them, the job's name.
struct JobFile : JobSpec {
  std::string name;
  friend bool operator==(const JobFile&, const JobFile&) = default;
};

template <>
struct Describe<DeviceRequest> : Described<DeviceRequest> {
  static const ObjectSchema<DeviceRequest>& schema();
};
template <>
struct Describe<Container> : Described<Container> {
  static const ObjectSchema<Container>& schema();
};
template <>
struct Describe<TopologyRule> : Described<TopologyRule> {
  static const ObjectSchema<TopologyRule>& schema();
};
template <>
struct Describe<Role> : Described<Role> {
  static const ObjectSchema<Role>& schema();
};
template <>
struct Describe<CheckpointSpec> : Described<CheckpointSpec> {
  static const ObjectSchema<CheckpointSpec>& schema();
};
template <>
struct Describe<SloSpec> : Described<SloSpec> {
  static const ObjectSchema<SloSpec>& schema();
};
template <>
struct Describe<JobSpec> : Described<JobSpec> {
  static const ObjectSchema<JobSpec>& schema();
};
template <>
struct Describe<JobFile> : Described<JobFile> {
  static const ObjectSchema<JobFile>& schema();
};
template <>
struct Describe<TaskRequest> : Described<TaskRequest> {
  static const ObjectSchema<TaskRequest>& schema();
};

// `resources: {disk_gib: 100}`.
inline auto countables() {
  return map_by(&Countable::resource, &Countable::amount, name(), integer(0, kAmountLimit))
      .at_most(64);
}

inline constexpr DurationMs kLongestMs = 3650LL * 24 * kHourMs;
inline auto any_duration() { return duration(0, kLongestMs); }
inline auto any_memory() { return memory(0, kAmountLimit); }
// An amount of cards such as 12 or 0.5, below what the model's rules accept.
inline auto any_cards() { return card_share(0, 300'000 * kCard).unit("cards"); }
inline auto any_money() { return money(0, kAmountLimit); }

}  // namespace berth::codec
