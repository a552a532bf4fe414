#include "engine/state/invariants.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "engine/sharing/regeometry.h"

namespace berth::engine {
namespace {

struct CardSum {
  std::int64_t compute = 0;
  std::int64_t memory = 0;
  MigOccupancy mig = 0;
  std::uint32_t clients = 0;
  std::uint32_t promises = 0;
};

struct NodeSum {
  std::int64_t cpu_milli = 0;
  std::int64_t memory_mib = 0;
  std::int64_t promised_milli = 0;      // of `cpu_milli`
  std::int64_t promised_mib = 0;        // of `memory_mib`, with the images of suspended tasks
  std::vector<std::int64_t> resources;  // parallel to the node's
  std::vector<CardSum> cards;
};

class Audit {
 public:
  explicit Audit(const ClusterState& state) : state_(state) {
    for (const NodeRecord& node : state.nodes()) {
      NodeSum& sum = sums_.emplace_back();
      sum.resources.resize(node.spec->resources.size());
      sum.cards.resize(node.cards.size());
    }
  }

  std::vector<std::string> run() {
    for (const LeaseId id : state_.leases().sorted_ids()) add(state_.leases().at(id));
    for (std::size_t n = 0; n < sums_.size(); ++n) check_node(state_.nodes()[n], sums_[n]);
    check_classes();
    check_jobs();
    check_domains();
    check_usage();
    return std::move(broken_);
  }

 private:
  void complain(const std::string& what) { broken_.push_back(what); }

  // What a selector reads, it has been told of each node.
  void check_classes() {
    for (const NodeRecord& node : state_.nodes()) {
      const NodeKind& kind = state_.node_kind(node.kind);
      const bool same = kind.model.is_none() ||
                        state_.selectors().find_class(kind.model, *node.spec) == kind.devices;
      if (!same) complain(node.spec->name + ": is of another class for selectors");
    }
  }

  void add(const Lease& lease) {
    const JobRecord* job = state_.find_job(lease.job);
    if (job == nullptr) return complain("a lease of no job: " + id_text(lease));
    if (lease.state == LeaseState::kPromised) return add_promise(lease, *job);
    if (!tasks_.insert({lease.job, lease.placement.role, lease.placement.task}).second) {
      complain(job->name + ": two live leases of role " + std::to_string(lease.placement.role) +
               " task " + std::to_string(lease.placement.task));
    }
    check_receipt(lease, *job);
    const SpecRecord& spec = state_.spec_of(*job);
    const Shape& shape = state_.shapes().at(spec.shapes[lease.placement.role]);
    NodeSum& sum = sums_[lease.placement.node.value()];
    sum.memory_mib += lease.image_mib;
    sum.promised_mib += lease.image_mib;
    if (lease.off_cards) {
      sum.memory_mib += shape.request.memory_mib;
      sum.promised_mib += shape.request.memory_mib;
      return;
    }
    sum.cpu_milli += shape.request.cpu_milli;
    sum.memory_mib += shape.request.memory_mib;
    const NodeRecord& node = state_.node(lease.placement.node);
    add_resources(*job, node, shape.request, sum);
    for (const CardGrant& grant : lease.placement.grants) {
      CardSum& card = sum.cards[grant.card];
      card.compute += grant.compute;
      card.memory += grant.memory;
      ++card.clients;
      if (grant.mode == CardMode::kMig) {
        const MigOccupancy bit = MigGeometry::bit(MigPlacementIndex(grant.placement));
        if ((card.mig & bit) != 0) complain("a MIG instance leased twice on " + node.spec->name);
        card.mig |= bit;
      }
    }
    if (!lease.is_charged()) return;
    const auto charges = state_.charges_of(shape, lease.placement.node, lease.placement.grants);
    add_charge(spec, charges.cards, charges.of_cards);
    add_charge(spec, charges.cpus, charges.of_cpus);
  }

  // Promised capacity is nobody else's: its host part is taken, its cards take nobody in.
  void add_promise(const Lease& lease, const JobRecord& job) {
    const auto receipt = state_.ledger().receipts.find(job.receipt);
    const bool open = receipt != state_.ledger().receipts.end() &&
                      receipt->second.outcome == ReceiptOutcome::kOpen;
    const bool moves = open && !receipt->second.reclaim->part_of.is_none();
    const bool may =
        job.phase == JobPhase::kPending || (moves && job.phase == JobPhase::kReleasing);
    if (!may || lease.receipt != job.receipt || !open) {
      complain(job.name + ": a promise of no open receipt");
    }
    const SpecRecord& spec = state_.spec_of(job);
    const Shape& shape = state_.shapes().at(spec.shapes[lease.placement.role]);
    NodeSum& sum = sums_[lease.placement.node.value()];
    sum.cpu_milli += shape.request.cpu_milli;
    sum.memory_mib += shape.request.memory_mib;
    sum.promised_milli += shape.request.cpu_milli;
    sum.promised_mib += shape.request.memory_mib;
    add_resources(job, state_.node(lease.placement.node), shape.request, sum);
    for (const CardGrant& grant : lease.placement.grants) ++sum.cards[grant.card].promises;
    if (!state_.counts_promise(job, lease.placement)) return;
    const auto charges = state_.charges_of(shape, lease.placement.node, lease.placement.grants);
    add_charge(spec, charges.cards, charges.of_cards);
    add_charge(spec, charges.cpus, charges.of_cpus);
  }

  void check_receipt(const Lease& lease, const JobRecord& job) {
    const bool taken = lease.state == LeaseState::kRevoking &&
                       job.ending == EndReason::kReclaimed && job.phase == JobPhase::kReleasing;
    if (taken && lease.receipt.is_none()) complain(job.name + ": a victim of no receipt");
  }

  void add_charge(const SpecRecord& spec, FlavourIndex flavour, const Charge& charge) {
    if (flavour.is_none()) return;
    const auto job_class = static_cast<std::size_t>(spec.spec->job_class);
    own_[{spec.home.queue, flavour}] += charge;
    for (QueueIndex q = spec.home.queue; !q.is_none(); q = state_.quota().queue(q).parent) {
      usage_[{q, flavour, job_class}] += charge;
    }
  }

  void add_resources(const JobRecord& job, const NodeRecord& node, const TaskRequest& request,
                     NodeSum& sum) {
    const auto& offered = node.spec->resources;
    for (const Countable& wanted : request.resources) {
      const auto at = std::find_if(offered.begin(), offered.end(), [&](const Countable& one) {
        return one.resource == wanted.resource;
      });
      if (at == offered.end()) {
        if (wanted.amount > 0) complain(job.name + ": on a node without " + wanted.resource);
        continue;
      }
      sum.resources[static_cast<std::size_t>(at - offered.begin())] += wanted.amount;
    }
  }

  static std::string id_text(const Lease& lease) { return std::to_string(lease.id.value()); }

  void check_node(const NodeRecord& node, const NodeSum& sum) {
    const std::string& name = node.spec->name;
    check_amount(name + ": free CPU", node.spec->cpu_milli - sum.cpu_milli, node.cpu_free,
                 node.cpu_owed);
    check_amount(name + ": free host memory", node.spec->memory_mib - sum.memory_mib,
                 node.memory_free, node.memory_owed);
    if (node.cpu_owed > sum.promised_milli || node.memory_owed > sum.promised_mib) {
      complain(name + ": more CPUs or host memory are leased than it has");
    }
    for (std::size_t r = 0; r < sum.resources.size(); ++r) {
      const Countable& offered = node.spec->resources[r];
      check_amount(name + ": free " + offered.resource, offered.amount - sum.resources[r],
                   node.resources_free[r], node.resources_owed[r]);
    }
    for (std::size_t c = 0; c < node.cards.size(); ++c) {
      check_card(name + " card " + std::to_string(c), node.cards[c], sum.cards[c]);
      const NodeIndex index(static_cast<std::uint32_t>(&node - state_.nodes().data()));
      check_layout(name + " card " + std::to_string(c), index, static_cast<std::uint16_t>(c));
    }
    const bool in_slot = !node.slot.is_none();
    if (in_slot != node.takes_work()) complain(name + ": wrong slot");
    if (!node.held_for.is_none() && !state_.ledger().reservations.contains(node.held_for)) {
      complain(name + ": kept for no reservation");
    }
    if (in_slot) check_slot(node);
  }

  // What is free, or still owed to promises, is the capacity less leases and promises.
  void check_amount(const std::string& what, std::int64_t left, std::int64_t free,
                    std::int64_t owed) {
    if (free - owed == left && free >= 0 && owed >= 0 && (free == 0 || owed == 0)) return;
    complain(what + " is not capacity less leases");
  }

  void check_card(const std::string& name, const CardState& card, const CardSum& sum) {
    const CardKind& kind = state_.card_kind(card.kind);
    if (sum.compute > kCard || card.compute_free != kCard - sum.compute) {
      complain(name + ": compute promised " + std::to_string(sum.compute) + " card units, free " +
               std::to_string(card.compute_free));
    }
    if (sum.memory > kind.usable || card.memory_free != kind.usable - sum.memory) {
      complain(name + ": memory promised " + std::to_string(sum.memory) + " of " +
               std::to_string(kind.usable) + " eighths of a MiB");
    }
    if (card.mig != sum.mig) complain(name + ": MIG instances are not those leased");
    if (card.mig != 0 && !kind.mig->is_valid(card.mig)) complain(name + ": impossible MIG layout");
    if (card.promises != sum.promises) complain(name + ": promised to another number of tasks");
    if (card.is_empty() != (sum.clients == 0)) complain(name + ": mode does not follow the leases");
  }

  // A static card has its old layout or its new one, offers part of it, and holds nothing else.
  void check_layout(const std::string& name, NodeIndex node, std::uint16_t index) {
    const CardState& card = state_.node(node).cards[index];
    const CardKind& kind = state_.card_kind(card.kind);
    const RegeometryState* change = state_.regeometry_of(node, index);
    if (kind.regime != MigRegime::kStatic) {
      if (change != nullptr) complain(name + ": its layout changes, but it has none of its own");
      return;
    }
    const MigOccupancy layout = state_.layout_of(node, index);
    if (!kind.mig->is_valid(layout)) complain(name + ": impossible MIG layout");
    if ((kind.layout & ~layout) != 0) complain(name + ": offers instances that are not there");
    if ((card.mig & ~layout) != 0) complain(name + ": leases of instances that are not there");
    if (change == nullptr) return;
    const MigOccupancy wanted = layout_mask(change->change->placements);
    if (!kind.mig->is_valid(wanted)) complain(name + ": is to have an impossible MIG layout");
    const bool touched = (card.mig & layout & ~wanted) != 0;
    if (change->stage == RegeometryStage::kSwitching && touched) {
      complain(name + ": instances that are in use are being changed");
    }
  }

  void check_slot(const NodeRecord& node) {
    const Slot& slot = state_.slots().slot(node.slot);
    CardList sorted = node.cards;
    std::sort(sorted.begin(), sorted.end());
    if (slot.cpu_free != node.cpu_free || !(slot.cards == sorted) || slot.kind != node.kind) {
      complain(node.spec->name + ": its slot has another state");
    }
  }

  void check_jobs() {
    for (const JobId id : state_.jobs().sorted_ids()) {
      const JobRecord& job = state_.jobs().at(id);
      const bool settled = job.phase == JobPhase::kPreparing || job.phase == JobPhase::kRunning;
      if (settled) check_gang(job);
      check_rules(job);
      check_host(job);
      if (job.phase != JobPhase::kPending) continue;
      if (!job.leases.empty()) complain(job.name + ": pending with leases");
      if (job.reasons != nullptr && job.reasons->empty()) complain(job.name + ": held for nothing");
    }
  }

  // Each role has its minimum, tasks that ended well counted; a role that the job can do without
  // may have none.
  void check_gang(const JobRecord& job) {
    const std::vector<Role>& roles = state_.spec_of(job).spec->roles;
    for (std::size_t r = 0; r < roles.size(); ++r) {
      const RoleTasks tasks = state_.role_tasks(job, r);
      if (tasks.least_missing == 0 || roles[r].optional) continue;
      complain(job.name + ": holds " + std::to_string(tasks.held.size()) + " of at least " +
               std::to_string(roles[r].min_tasks()) + " tasks of role " + std::to_string(r) +
               ", and " + std::to_string(job.ended_in(r)) + " ended well");
    }
  }

  // Where the tasks of a unit are that a rule keeps together: in one domain of its level.
  using Unit = std::tuple<RuleUnit, std::size_t, std::uint32_t>;  // with role and segment

  void check_rules(const JobRecord& job) {
    const std::vector<Role>& roles = state_.spec_of(job).spec->roles;
    std::map<std::pair<Unit, std::string>, DomainIndex> domains;  // of the first task seen
    for (const LeaseId id : job.leases) {
      const Lease& lease = state_.leases().at(id);
      for (std::size_t r = 0; r < roles.size(); ++r) {
        for (const TopologyRule& rule : roles[r].topology) {
          const auto unit = unit_of(rule, roles[r], r, lease.placement);
          if (!unit || !state_.topology_tree().rank_of(rule.within)) continue;
          const DomainIndex domain =
              state_.topology_tree().of_node(lease.placement.node, rule.within);
          const auto [seen, first] = domains.insert({{*unit, rule.within}, domain});
          if (!first && seen->second != domain) {
            complain(job.name + ": tasks that must lie in one " + rule.within + " do not");
          }
        }
      }
    }
  }

  // The unit that the rule of a role binds the task in; none: it doesn't.
  static std::optional<Unit> unit_of(const TopologyRule& rule, const Role& role, std::size_t index,
                                     const TaskPlacement& task) {
    if (rule.strength != RuleStrength::kRequired) return std::nullopt;
    if (rule.unit == RuleUnit::kJob) return Unit{rule.unit, 0, 0};
    if (task.role != index) return std::nullopt;
    if (rule.unit == RuleUnit::kRole) return Unit{rule.unit, index, 0};
    if (rule.unit != RuleUnit::kSegment || role.segment_tasks == 0) return std::nullopt;
    return Unit{rule.unit, index, task.task / role.segment_tasks};
  }

  // A job that takes countable resources of domains lies inside the one that it names.
  void check_host(const JobRecord& job) {
    const TopologyTree& tree = state_.topology_tree();
    if (job.leases.empty() || state_.spec_of(job).spec->domain_resources.empty()) return;
    const DomainIndex host = tree.find(job.domain_level, job.domain_name);
    if (host.is_none()) return complain(job.name + ": takes its resources from no domain");
    for (const LeaseId id : job.leases) {
      const NodeIndex node = state_.leases().at(id).placement.node;
      if (tree.of_node(node, job.domain_level) == host) continue;
      complain(job.name + ": lies outside the domain whose resources it takes");
    }
  }

  // What domains have left is what is declared less what jobs hold.
  void check_domains() {
    const TopologyTree& tree = state_.topology_tree();
    for (const DomainSpec& domain : state_.topology().domains) {
      const DomainIndex index = tree.find(domain.level, domain.name);
      for (const Countable& declared : domain.resources) {
        const std::int64_t left = declared.amount - held_of(declared.resource, index);
        if (tree.free_of(declared.resource, index) == left) continue;
        complain(domain.name + ": free " + declared.resource +
                 " is not what is declared less jobs");
      }
    }
  }

  std::int64_t held_of(const std::string& resource, DomainIndex owner) const {
    const TopologyTree& tree = state_.topology_tree();
    std::int64_t held = 0;
    for (const JobId id : state_.jobs().sorted_ids()) {
      const JobRecord& job = state_.jobs().at(id);
      if (job.domain_level.empty()) continue;
      const DomainIndex host = tree.find(job.domain_level, job.domain_name);
      if (tree.owner_of(resource, host) != owner) continue;
      for (const Countable& one : state_.spec_of(job).spec->domain_resources) {
        if (one.resource == resource) held += one.amount;
      }
    }
    return held;
  }

  // What each queue is charged is the sum of the leases in it and below, by flavour and class.
  void check_usage() {
    for (std::size_t q = 0; q < state_.queues().size(); ++q) {
      const QueueRecord& queue = state_.queues()[q];
      const QueueIndex index(static_cast<std::uint32_t>(q));
      for (const FlavourUsage& usage : queue.usage) {
        Charge total;
        bool exact = true;
        for (std::size_t c = 0; c < usage.by_class.size(); ++c) {
          const auto it = usage_.find({index, usage.flavour, c});
          const Charge expected = it == usage_.end() ? Charge{} : it->second;
          exact = exact && usage.by_class[c] == expected;
          total += expected;
          usage_.erase({index, usage.flavour, c});
        }
        const auto own = own_.find({index, usage.flavour});
        exact = exact && usage.own == (own == own_.end() ? Charge{} : own->second);
        if (!exact || !(usage.total == total)) {
          complain("queue " + queue.spec->name + ": charge is not the sum of leases");
        }
      }
    }
    if (!usage_.empty()) complain("leases of a flavour are not charged");
  }

  const ClusterState& state_;
  std::vector<NodeSum> sums_;
  std::set<std::tuple<JobId, std::uint16_t, std::uint32_t>> tasks_;  // role and task, with a lease
  std::map<std::tuple<QueueIndex, FlavourIndex, std::size_t>, Charge> usage_;  // by class, too
  std::map<std::pair<QueueIndex, FlavourIndex>, Charge> own_;
  std::vector<std::string> broken_;
};

}  // namespace

std::vector<std::string> broken_invariants(const ClusterState& state) { return Audit(state).run(); }

std::vector<std::string> unexplained_jobs(const ClusterState& state, TimeMs submitted_before) {
  std::vector<std::string> broken;
  for (const JobId id : state.pending().sorted_ids()) {
    const JobRecord& job = *state.find_job(id);
    if (job.submitted_at >= submitted_before || job.reasons != nullptr) continue;
    broken.push_back(job.name + ": waits without a reason");
  }
  return broken;
}

}  // namespace berth::engine
