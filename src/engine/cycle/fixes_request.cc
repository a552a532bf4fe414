// Fixes that change how a job asks for what it asks: where it may lie, on what, and as what.
#include <algorithm>

#include "engine/cycle/fix_search.h"
#include "model/quantity_text.h"

namespace berth::engine {
namespace {

// Tries the change, and offers it where it helps.
void try_request(FixSearch& search, const std::string& text, const FixSearch::Change& change) {
  if (search.starts_as(change)) search.offer_request(text, change);
}

// Where the models that the request does not accept would do: one of them, if one is enough.
void accept_other_models(FixSearch& search, std::size_t r, std::size_t c) {
  const auto accept = [r, c](JobSpec& spec, std::vector<std::string> models) {
    spec.roles[r].containers[c].devices.models = std::move(models);
  };
  const auto any = [&](JobSpec& spec) { accept(spec, {}); };
  if (!search.starts_as(any)) return;
  const ClusterState& state = search.state();
  const std::vector<std::string>& accepted = search.spec().roles[r].containers[c].devices.models;
  std::vector<std::string> names = state.model_names();
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    const auto same = [&](const std::string& known) {
      return state.find_model(known) == state.find_model(name);
    };
    if (std::any_of(accepted.begin(), accepted.end(), same)) continue;
    std::vector<std::string> more = accepted;
    more.push_back(name);
    const auto one_more = [&](JobSpec& spec) { accept(spec, more); };
    if (!search.starts_as(one_more)) continue;
    return search.offer_request("accept GPU model " + name + " too" + role_note(search.spec(), r),
                                one_more);
  }
  search.offer_request("accept any GPU model" + role_note(search.spec(), r), any);
}

}  // namespace

void relax_rules(FixSearch& search) {
  const std::vector<Role>& roles = search.spec().roles;
  for (std::size_t r = 0; r < roles.size(); ++r) {
    for (std::size_t i = 0; i < roles[r].topology.size(); ++i) {
      const TopologyRule& rule = roles[r].topology[i];
      if (rule.strength == RuleStrength::kPreferred) continue;
      const bool of_role = rule.unit != RuleUnit::kJob;
      const std::string text = "prefer '" + rule.within + "' for each " +
                               std::string(word(rule.unit)) + " instead of requiring it" +
                               (of_role ? role_note(search.spec(), r) : "");
      try_request(search, text, [r, i](JobSpec& spec) {
        spec.roles[r].topology[i].strength = RuleStrength::kPreferred;
      });
    }
  }
}

void loosen_devices(FixSearch& search) {
  const std::vector<Role>& roles = search.spec().roles;
  const auto asks = [](const Container& c) { return !c.devices.within.empty(); };
  for (std::size_t r = 0; r < roles.size(); ++r) {
    if (std::none_of(roles[r].containers.begin(), roles[r].containers.end(), asks)) continue;
    try_request(search,
                "let devices of a task lie anywhere on their node" + role_note(search.spec(), r),
                [r](JobSpec& spec) {
                  for (Container& c : spec.roles[r].containers) c.devices.within.clear();
                });
  }
}

void accept_other_models(FixSearch& search) {
  const std::vector<Role>& roles = search.spec().roles;
  for (std::size_t r = 0; r < roles.size(); ++r) {
    for (std::size_t c = 0; c < roles[r].containers.size(); ++c) {
      if (!roles[r].containers[c].devices.models.empty()) accept_other_models(search, r, c);
    }
  }
}

void leave_selectors_out(FixSearch& search) {
  const std::vector<Role>& roles = search.spec().roles;
  const auto selects = [](const Container& c) { return !c.devices.selector.empty(); };
  for (std::size_t r = 0; r < roles.size(); ++r) {
    if (std::none_of(roles[r].containers.begin(), roles[r].containers.end(), selects)) continue;
    try_request(search, "leave the device selector out" + role_note(search.spec(), r),
                [r](JobSpec& spec) {
                  for (Container& c : spec.roles[r].containers) c.devices.selector.clear();
                });
  }
}

void drop_protection(FixSearch& search) {
  if (!search.spec().is_protected) return;
  try_request(search, "let it be preempted (not protected)",
              [](JobSpec& spec) { spec.is_protected = false; });
}

// Whether the class may enter is decided when it is submitted.
void change_partition(FixSearch& search) {
  const ClusterState& state = search.state();
  const PartitionIndex home = state.spec_of(search.job()).home.partition;
  std::vector<std::string> names = state.partition_names();
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    if (state.find_partition(name) == home) continue;
    try_request(search, "move it to partition " + name,
                [&](JobSpec& spec) { spec.partition = name; });
  }
  if (search.spec().partition.empty()) return;
  try_request(search, "name no partition", [](JobSpec& spec) { spec.partition.clear(); });
}

// Only lower ones: calling work more urgent than it is takes from others.
void take_a_lower_class(FixSearch& search) {
  const auto own = static_cast<std::size_t>(search.spec().job_class);
  for (std::size_t c = own + 1; c < words_of<JobClass>().size(); ++c) {
    const auto lower = static_cast<JobClass>(c);
    try_request(search, "submit it as class " + std::string(word(lower)),
                [lower](JobSpec& spec) { spec.job_class = lower; });
  }
}

// The longest run time, in whole minutes, with which it has ended before kept room is needed.
void declare_a_run_time(FixSearch& search) {
  std::vector<DurationMs> most;
  for (const auto& [job, reservation] : search.state().ledger().reservations) {
    const DurationMs until = (reservation->starts_at - search.now()) / kMinuteMs * kMinuteMs;
    const auto& declared = search.spec().run_time_ms;
    if (until > 0 && (!declared || *declared > until)) most.push_back(until);
  }
  std::sort(most.rbegin(), most.rend());
  for (const DurationMs until : most) {
    const auto declare = [until](JobSpec& spec) { spec.run_time_ms = until; };
    if (!search.starts_as(declare)) continue;
    const DurationMs asked = search.spec().run_time_ms.value_or(0);
    return search.offer_request("declare a run time of at most " + ahead_text(until), declare,
                                asked, asked == 0 ? 0 : until);
  }
}

}  // namespace berth::engine
