// Fixes that let a job ask for less of something; each offers the most with which it would start.
#include <algorithm>
#include <tuple>

#include "engine/cycle/fix_search.h"
#include "model/quantity_text.h"
#include "model/rejection.h"

namespace berth::engine {
namespace {

constexpr CardUnits kShareStep = kCard / 100;

// "a task", "a task of role ps (container main)": named where there are several.
std::string a_task(const JobSpec& spec, std::size_t r, std::size_t c) {
  const Role& role = spec.roles[r];
  std::string text = "a task";
  if (spec.roles.size() > 1) text += " of role " + role.name;
  if (role.containers.size() > 1) text += " (container " + role.containers[c].name + ")";
  return text;
}

// Calls with each container of each role.
template <typename Visit>
void for_containers(const JobSpec& spec, const Visit& visit) {
  for (std::size_t r = 0; r < spec.roles.size(); ++r) {
    for (std::size_t c = 0; c < spec.roles[r].containers.size(); ++c) {
      visit(r, c, spec.roles[r].containers[c]);
    }
  }
}

// How an amount is set in a spec, and what it is called.
using SetAmount = std::function<void(JobSpec&, std::int64_t)>;
using NameAmount = std::function<std::string(std::int64_t)>;

void trim(FixSearch& search, std::int64_t least, std::int64_t asked, const SetAmount& set,
          const NameAmount& name) {
  const auto most = search.most_that_starts(least, asked, [&](std::int64_t value) {
    return search.starts_as([&](JobSpec& spec) { set(spec, value); });
  });
  if (!most) return;
  search.offer_request(
      name(*most), [&](JobSpec& spec) { set(spec, *most); }, asked, *most);
}

const char* device_word(ShareKind kind) {
  if (kind == ShareKind::kWhole) return "card";
  return kind == ShareKind::kMig ? "MIG instance" : "share";
}

void trim_compute(FixSearch& search, std::size_t r, std::size_t c, CardUnits asked) {
  if (asked == 0) return;
  const std::string task = a_task(search.spec(), r, c);
  trim(
      search, 1, (asked + kShareStep - 1) / kShareStep,
      [r, c](JobSpec& spec, std::int64_t steps) {
        spec.roles[r].containers[c].devices.compute = steps * kShareStep;
      },
      [&](std::int64_t steps) { return "ask for " + grouped(steps) + " % of a card " + task; });
}

void trim_memory(FixSearch& search, std::size_t r, std::size_t c, std::optional<Mib> asked) {
  const std::string task = a_task(search.spec(), r, c);
  trim(
      search, 1, asked.value_or(0),
      [r, c](JobSpec& spec, std::int64_t mib) {
        spec.roles[r].containers[c].devices.memory_mib = mib;
      },
      [&](std::int64_t mib) { return "ask for " + grouped(mib) + " MiB of a card " + task; });
}

// Plain profiles of models that have the asked one, smaller than that, the largest first.
struct SmallerProfile {
  int slots = 0;
  int slices = 0;
  int of_slots = 0;  // of the profile that is asked for
  std::string name;
};

void add_smaller(const GpuModel& model, const std::string& asked,
                 std::vector<SmallerProfile>& found) {
  const auto& profiles = model.mig_profiles;
  const auto own = std::find_if(profiles.begin(), profiles.end(),
                                [&](const MigProfile& p) { return p.name == asked; });
  if (own == profiles.end()) return;
  for (const MigProfile& p : profiles) {
    const bool smaller =
        p.memory_slots <= own->memory_slots && p.compute_slices <= own->compute_slices &&
        p.memory_slots + p.compute_slices < own->memory_slots + own->compute_slices;
    const bool same_engines =
        p.media_extensions == own->media_extensions && p.graphics == own->graphics;
    const bool known = std::any_of(found.begin(), found.end(),
                                   [&](const SmallerProfile& one) { return one.name == p.name; });
    if (!smaller || !same_engines || known) continue;
    found.push_back({p.memory_slots, p.compute_slices, own->memory_slots, p.name});
  }
}

std::vector<SmallerProfile> smaller_profiles(const ClusterState& state, const std::string& asked) {
  std::vector<SmallerProfile> found;
  for (std::uint16_t m = 0; m < state.model_count(); ++m) {
    add_smaller(*state.model(ModelIndex(m)).gpu, asked, found);
  }
  std::sort(found.begin(), found.end(), [](const SmallerProfile& a, const SmallerProfile& b) {
    return std::tie(b.slots, b.slices, a.name) < std::tie(a.slots, a.slices, b.name);
  });
  return found;
}

void ask_smaller_profile(FixSearch& search, std::size_t r, std::size_t c,
                         const std::string& asked) {
  for (const SmallerProfile& one : smaller_profiles(search.state(), asked)) {
    const auto change = [&](JobSpec& spec) {
      spec.roles[r].containers[c].devices.mig_profile = one.name;
    };
    if (!search.starts_as(change)) continue;
    return search.offer_request(
        "ask for MIG profile " + one.name + " " + a_task(search.spec(), r, c), change, one.of_slots,
        one.slots);
  }
}

// Whether fewer tasks of the role are less that the job needs to start.
bool is_rigid(const Role& role) { return !role.elastic && !role.optional; }

std::string tasks_text(const JobSpec& spec, const Role& role, std::int64_t tasks) {
  std::string text = grouped(tasks) + " of " + grouped(role.count) + " tasks";
  if (spec.roles.size() > 1) text += " of role " + role.name;
  return text;
}

void start_smaller(FixSearch& search, const Role& role) {
  const auto resized = [&](std::int64_t tasks) {
    return FixSearch::Bodies{
        ResizeJob{search.job().name, role.name, static_cast<std::uint32_t>(tasks)}};
  };
  const auto most = search.most_that_starts(
      1, role.count, [&](std::int64_t tasks) { return search.starts(resized(tasks)); });
  if (!most) return;
  search.offer({FixBy::kRequest,
                given_up(role.count, *most),
                "start with " + tasks_text(search.spec(), role, *most),
                {}},
               resized(*most));
}

// All roles in proportion: `part` of `parts` of each, rounded up.
FixSearch::Bodies shrunk(const FixSearch& search, std::int64_t part, std::int64_t parts,
                         std::string& text) {
  FixSearch::Bodies bodies;
  text.clear();
  for (const Role& role : search.spec().roles) {
    if (!is_rigid(role)) continue;
    const std::int64_t tasks = (role.count * part + parts - 1) / parts;
    if (tasks == role.count) continue;
    bodies.emplace_back(ResizeJob{search.job().name, role.name, static_cast<std::uint32_t>(tasks)});
    text += (text.empty() ? "start with " : ", ") + tasks_text(search.spec(), role, tasks);
  }
  return bodies;
}

void start_all_smaller(FixSearch& search) {
  std::int64_t parts = 0;
  std::int64_t rigid = 0;
  for (const Role& role : search.spec().roles) {
    if (!is_rigid(role)) continue;
    ++rigid;
    parts = std::max<std::int64_t>(parts, role.count);
  }
  if (rigid < 2) return;
  std::string text;
  const auto most = search.most_that_starts(1, parts, [&](std::int64_t part) {
    return search.starts(shrunk(search, part, parts, text));
  });
  if (!most) return;
  auto bodies = shrunk(search, *most, parts, text);
  search.offer({FixBy::kRequest, given_up(parts, *most), text, {}}, std::move(bodies));
}

}  // namespace

// Role by role, and all together where no single one helps.
void start_with_fewer_tasks(FixSearch& search) {
  const std::size_t before = search.found().size();
  for (const Role& role : search.spec().roles) {
    if (is_rigid(role)) start_smaller(search, role);
  }
  if (search.found().size() == before) start_all_smaller(search);
}

void lower_the_least(FixSearch& search) {
  const std::vector<Role>& roles = search.spec().roles;
  for (std::size_t r = 0; r < roles.size(); ++r) {
    if (!roles[r].elastic || roles[r].optional) continue;
    const std::string of_role = roles.size() > 1 ? " of role " + roles[r].name : "";
    trim(
        search, 1, roles[r].min_tasks(),
        [r](JobSpec& spec, std::int64_t tasks) {
          spec.roles[r].min = static_cast<std::uint32_t>(tasks);
        },
        [&](std::int64_t tasks) {
          return "start with " + grouped(tasks) + (tasks == 1 ? " task" : " tasks") + of_role +
                 " and grow (min " + grouped(tasks) + ")";
        });
  }
}

void ask_fewer_devices(FixSearch& search) {
  for_containers(search.spec(), [&](std::size_t r, std::size_t c, const Container& container) {
    const DeviceRequest& devices = container.devices;
    trim(
        search, 1, devices.count,
        [r, c](JobSpec& spec, std::int64_t count) {
          spec.roles[r].containers[c].devices.count = static_cast<std::uint32_t>(count);
        },
        [&](std::int64_t count) {
          return "ask for " + grouped(count) + " " + device_word(devices.kind) +
                 (count == 1 ? "" : "s") + " " + a_task(search.spec(), r, c);
        });
  });
}

void ask_smaller_shares(FixSearch& search) {
  for_containers(search.spec(), [&](std::size_t r, std::size_t c, const Container& container) {
    const DeviceRequest& devices = container.devices;
    if (devices.count == 0 || devices.kind != ShareKind::kShare) return;
    trim_compute(search, r, c, devices.compute);
    trim_memory(search, r, c, devices.memory_mib);
  });
}

void ask_smaller_profiles(FixSearch& search) {
  for_containers(search.spec(), [&](std::size_t r, std::size_t c, const Container& container) {
    const DeviceRequest& devices = container.devices;
    if (devices.count > 0 && devices.kind == ShareKind::kMig) {
      ask_smaller_profile(search, r, c, devices.mig_profile);
    }
  });
}

void ask_less_of_the_node(FixSearch& search) {
  for_containers(search.spec(), [&](std::size_t r, std::size_t c, const Container& container) {
    const std::string task = a_task(search.spec(), r, c);
    trim(
        search, 0, container.cpu_milli,
        [r, c](JobSpec& spec, std::int64_t milli) {
          spec.roles[r].containers[c].cpu_milli = milli;
        },
        [&](std::int64_t milli) { return "ask for " + thousandths_text(milli) + " CPUs " + task; });
    trim(
        search, 0, container.memory_mib,
        [r, c](JobSpec& spec, std::int64_t mib) { spec.roles[r].containers[c].memory_mib = mib; },
        [&](std::int64_t mib) {
          return "ask for " + grouped(mib) + " MiB of host memory " + task;
        });
  });
}

void ask_fewer_countables(FixSearch& search) {
  for_containers(search.spec(), [&](std::size_t r, std::size_t c, const Container& container) {
    for (std::size_t i = 0; i < container.resources.size(); ++i) {
      const Countable& one = container.resources[i];
      trim(
          search, 0, one.amount,
          [r, c, i](JobSpec& spec, std::int64_t amount) {
            spec.roles[r].containers[c].resources[i].amount = amount;
          },
          [&](std::int64_t amount) {
            return "ask for " + grouped(amount) + " " + one.resource + " " +
                   a_task(search.spec(), r, c);
          });
    }
  });
  const std::vector<Countable>& of_domain = search.spec().domain_resources;
  for (std::size_t i = 0; i < of_domain.size(); ++i) {
    trim(
        search, 0, of_domain[i].amount,
        [i](JobSpec& spec, std::int64_t amount) { spec.domain_resources[i].amount = amount; },
        [&](std::int64_t amount) {
          return "ask for " + grouped(amount) + " " + of_domain[i].resource + " of its domain";
        });
  }
}

}  // namespace berth::engine
