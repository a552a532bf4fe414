#include "engine/decide_checks.h"

#include <algorithm>

#include "base/nearest.h"
#include "engine/state/topology_levels.h"
#include "selector/selector.h"

namespace berth::engine {
namespace {

std::string admitted_classes(const PartitionSpec& partition, bool spot) {
  std::string classes;
  for (const std::string_view name : words_of<JobClass>()) {
    if (!admits(partition, *from_word<JobClass>(name), spot)) continue;
    classes += (classes.empty() ? "" : ", ") + std::string(name);
  }
  return classes.empty() ? (spot ? "none that is spot" : "none but spot") : classes;
}

class SpecCheck {
 public:
  explicit SpecCheck(const ClusterState& state) : state_(state) {}

  Status run(const JobSpec& spec) const {
    if (auto s = validate(spec); !s) return s;
    if (state_.find_queue(spec.queue).is_none()) {
      return unknown_name("queue", spec.queue, state_.queue_names(), "queue");
    }
    if (auto s = check_trust_domain(spec); !s) return s;
    if (auto s = check_partition(spec); !s) return s;
    if (auto s = check_domain_resources(spec); !s) return s;
    for (std::size_t r = 0; r < spec.roles.size(); ++r) {
      const std::string path = "roles[" + std::to_string(r) + "]";
      if (auto s = check_topology_rules(spec.roles[r], path); !s) return s;
      if (auto s = check_devices(spec.roles[r], path); !s) return s;
    }
    return {};
  }

  Status run(const std::vector<MixEntry>& mix) const {
    for (std::size_t i = 0; i < mix.size(); ++i) {
      for (std::size_t d = 0; d < mix[i].shape.devices.size(); ++d) {
        const std::string path =
            "mix[" + std::to_string(i) + "].shape.devices[" + std::to_string(d) + "]";
        if (auto s = check_request(mix[i].shape.devices[d], path); !s) return s;
      }
    }
    return {};
  }

 private:
  // A job joins nobody outside its own tree: whom it may share a card with is the word of those who
  // declare queues.
  Status check_trust_domain(const JobSpec& spec) const {
    if (spec.trust_domain.empty()) return {};
    std::string accepted;
    for (QueueIndex q = state_.find_queue(spec.queue); !q.is_none();) {
      const QueueRecord& queue = state_.quota().queue(q);
      const bool own_name = queue.parent.is_none() && queue.spec->trust_domain.empty();
      const std::string& domain = own_name ? queue.spec->name : queue.spec->trust_domain;
      if (domain == spec.trust_domain) return {};
      if (!domain.empty()) accepted += (accepted.empty() ? "'" : ", '") + domain + "'";
      q = queue.parent;
    }
    return invalid("'" + spec.trust_domain + "' is not the trust domain of queue '" + spec.queue +
                       "' or of one above it; accepted: " + accepted,
                   "trust_domain");
  }

  Status check_partition(const JobSpec& spec) const {
    if (spec.partition.empty()) return {};
    const PartitionIndex index = state_.find_partition(spec.partition);
    if (index.is_none()) {
      return unknown_name("partition", spec.partition, state_.partition_names(), "partition");
    }
    const PartitionSpec& partition = state_.partition(index);
    if (admits(partition, spec.job_class, spec.spot)) return {};
    return fail(ErrorCode::kConflict,
                "partition '" + partition.name + "' (" + std::string(word(partition.kind)) +
                    ") refuses class " + std::string(word(spec.job_class)) +
                    "; accepted: " + admitted_classes(partition, spec.spot),
                "partition");
  }

  // Somebody must have them, or the job could never run.
  Status check_domain_resources(const JobSpec& spec) const {
    std::vector<std::string> known;
    for (const DomainSpec& domain : state_.topology().domains) {
      for (const Countable& one : domain.resources) known.push_back(one.resource);
    }
    for (std::size_t i = 0; i < spec.domain_resources.size(); ++i) {
      const std::string& wanted = spec.domain_resources[i].resource;
      if (std::find(known.begin(), known.end(), wanted) != known.end()) continue;
      return unknown_name("countable resource of a domain", wanted, known,
                          "domain_resources[" + std::to_string(i) + "].resource");
    }
    return {};
  }

  static bool asks_instances(const Role& role) {
    return std::any_of(role.containers.begin(), role.containers.end(), [](const Container& c) {
      return c.devices.count > 0 && c.devices.kind == ShareKind::kMig;
    });
  }

  // A rule is about levels above the node; below it the devices of one task are asked for.
  Status check_topology_rules(const Role& role, const std::string& path) const {
    for (std::size_t i = 0; i < role.topology.size(); ++i) {
      const TopologyRule& rule = role.topology[i];
      const std::string field = path + ".topology[" + std::to_string(i) + "]";
      if (!has_level(state_.topology(), rule.within)) {
        return unknown_name("topology level", rule.within, state_.topology().levels,
                            field + ".within");
      }
      if (rule.unit == RuleUnit::kSegment && role.segment_tasks == 0) {
        return invalid("is about segments; the role needs segment_tasks", field + ".unit");
      }
      if (rule.unit != RuleUnit::kTask && asks_instances(role)) {
        return invalid(
            "keeps MIG instances near together, which have no peer-to-peer between "
            "cards; whole cards are accepted",
            field);
      }
      if (rule.unit == RuleUnit::kTask || rule.strength == RuleStrength::kPreferred) continue;
      if (holds_a_node(state_.topology(), rule.within) && rule.within != "node") continue;
      return invalid("is '" + rule.within +
                         "'; tasks lie on nodes, so a level above them is "
                         "accepted (for the devices of one task: devices.within)",
                     field + ".within");
    }
    return {};
  }

  Status check_devices(const Role& role, const std::string& role_path) const {
    for (std::size_t c = 0; c < role.containers.size(); ++c) {
      const std::string path = role_path + ".containers[" + std::to_string(c) + "].devices";
      if (auto s = check_request(role.containers[c].devices, path); !s) return s;
    }
    return {};
  }

  // Names must be known; whether the devices are free now is not asked here.
  Status check_request(const DeviceRequest& devices, const std::string& path) const {
    if (devices.count == 0) return {};
    if (auto s = check_models(devices, path); !s) return s;
    if (auto s = check_profile(devices, path); !s) return s;
    if (auto s = check_level(devices, path); !s) return s;
    return check_selector(devices.selector, path + ".selector");
  }

  // What is wrong with it whatever the devices are.
  Status check_selector(const std::string& source, const std::string& field) const {
    if (source.empty() || state_.selectors().knows(source)) return {};
    const auto compiled = selector::Selector::compile(source);
    if (compiled) return {};
    return fail(compiled.error().code, compiled.error().message, field);
  }

  Status check_level(const DeviceRequest& devices, const std::string& path) const {
    if (devices.kind == ShareKind::kMig && !devices.within.empty() && devices.within != "node") {
      return invalid("is '" + devices.within +
                         "'; MIG instances have no peer-to-peer between cards, so they are not "
                         "kept near together; leave it out, or ask for whole cards",
                     path + ".within");
    }
    const std::vector<std::string> accepted = device_levels(state_.topology());
    if (devices.within.empty() ||
        std::find(accepted.begin(), accepted.end(), devices.within) != accepted.end()) {
      return {};
    }
    return unknown_name("level that the devices of a task can share", devices.within, accepted,
                        path + ".within");
  }

  Status check_models(const DeviceRequest& devices, const std::string& path) const {
    for (const std::string& model : devices.models) {
      if (state_.find_model(model).is_none()) {
        return unknown_name("GPU model", model, state_.model_names(), path + ".models");
      }
    }
    return {};
  }

  Status check_profile(const DeviceRequest& devices, const std::string& path) const {
    if (devices.kind != ShareKind::kMig) return {};
    std::vector<std::string> known;
    for (std::size_t m = 0; m < state_.model_count(); ++m) {
      const ModelRecord& model = state_.model(ModelIndex(static_cast<std::uint16_t>(m)));
      const auto accepts = [&](const std::string& name) {
        return state_.find_model(name) == ModelIndex(static_cast<std::uint16_t>(m));
      };
      if (!devices.models.empty() &&
          std::none_of(devices.models.begin(), devices.models.end(), accepts)) {
        continue;
      }
      for (const MigProfile& profile : model.gpu->mig_profiles) {
        if (profile.name == devices.mig_profile) return {};
        known.push_back(profile.name);
      }
    }
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    return unknown_name("MIG profile of an accepted model", devices.mig_profile, known,
                        path + ".mig_profile");
  }

  const ClusterState& state_;
};

// Who uses the level, for a message; empty when nobody does.
std::string user_of_level(const ClusterState& state, const std::string& level) {
  const bool island = level == level_below_node(state.topology());
  for (const NodeIndex index : state.nodes_by_name()) {
    const NodeSpec& node = *state.node(index).spec;
    const bool cards = island && std::any_of(node.cards.begin(), node.cards.end(),
                                             [](const CardSpec& c) { return c.island != 0; });
    const bool domain = std::any_of(node.domains.begin(), node.domains.end(),
                                    [&](const auto& d) { return d.first == level; });
    if (cards || domain) return "node '" + node.name + "'";
  }
  for (const JobId id : state.jobs().sorted_ids()) {
    const JobRecord& job = state.jobs().at(id);
    for (const Role& role : state.spec_of(job).spec->roles) {
      const bool asks = std::any_of(
          role.containers.begin(), role.containers.end(),
          [&](const Container& c) { return c.devices.count > 0 && c.devices.within == level; });
      const bool ruled = std::any_of(role.topology.begin(), role.topology.end(),
                                     [&](const TopologyRule& r) { return r.within == level; });
      if (asks || ruled) return "job '" + job.name + "'";
    }
  }
  return {};
}

// The nodes that have joined keep their places under another topology.
Status holds_all_nodes(const ClusterState& state, const TopologySpec& topology) {
  TopologyTree tree(topology);
  for (const NodeIndex index : state.nodes_by_name()) {
    const NodeSpec& node = *state.node(index).spec;
    if (auto s = tree.check(node); !s) {
      return fail(ErrorCode::kConflict, "node '" + node.name + "': " + s.error().message, "levels");
    }
    tree.add(index, node);
  }
  return {};
}

}  // namespace

tl::unexpected<Error> unknown_name(const std::string& what, const std::string& name,
                                   const std::vector<std::string>& known,
                                   const std::string& field) {
  return fail(ErrorCode::kNotFound, "'" + name + "' is not a " + what + suggestion(name, known),
              field);
}

Status check_spec(const ClusterState& state, const JobSpec& spec) {
  return SpecCheck(state).run(spec);
}

Status check_mix(const ClusterState& state, const std::vector<MixEntry>& mix) {
  return SpecCheck(state).run(mix);
}

Status check_topology(const ClusterState& state, const TopologySpec& topology) {
  const std::vector<std::string> above = levels_above_node(topology);
  for (const std::string& level : state.topology().levels) {
    const bool was_above = level != "node" && holds_a_node(state.topology(), level);
    const bool is_above = std::find(above.begin(), above.end(), level) != above.end();
    if (has_level(topology, level) && was_above == is_above) continue;
    const std::string user = user_of_level(state, level);
    if (user.empty()) continue;
    return fail(ErrorCode::kConflict,
                has_level(topology, level)
                    ? "'" + level + "' goes to the other side of 'node', but " + user + " uses it"
                    : "'" + level + "' is missing, but " + user + " uses it",
                "levels");
  }
  return holds_all_nodes(state, topology);
}

}  // namespace berth::engine
