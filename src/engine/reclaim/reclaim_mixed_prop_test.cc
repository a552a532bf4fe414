// Reclaims where everything comes together: several models, MIG instances and shares, gangs and
// elastic jobs, required topology, guarantees and limits of cards and CPUs in a tree of queues, all
// rights and grades. What is asserted needs no second scheduler: what was planned holds, and it
// comes to rest.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "engine/engine_testing.h"
#include "engine/reclaim/reclaim_testing.h"

namespace berth::engine {
namespace {

using testing::kModel;
using testing::ReclaimFleet;
namespace t = berth::testing;

constexpr const char* kOther = "other";
constexpr const char* kGrid = "grid";

PolicySpec random_policy(Rng& rng) {
  PolicySpec policy;
  policy.reclaim = {ReclaimRight::kGuarantee, ReclaimRight::kShare, ReclaimRight::kRank,
                    ReclaimRight::kConsolidation};
  if (rng.below(3) == 0) {
    policy.order = berth::QueueOrder::kAttainedService;
    policy.reclaim[1] = ReclaimRight::kService;
  }
  if (rng.below(2) == 0) policy.reluctance_ppm = 0;
  if (rng.below(3) == 0) policy.min_run_ms = kMinuteMs;
  if (rng.below(3) == 0) policy.evictions_per_job = 2;
  if (rng.below(3) == 0) policy.blast_radius = 4 * kCard;
  if (rng.below(3) == 0) policy.reservations = 1;
  if (rng.below(4) == 0) policy.victims = VictimOrder::kYoungest;
  return policy;
}

// What reclaims of one plan take from each queue and each above that the taker does not belong to,
// by flavour, and what the plan gives to them.
class Taken {
 public:
  Taken(const ClusterState& before, const Plan& plan) : before_(before) {
    for (const Decision& decision : plan.decisions) {
      if (const auto* place = std::get_if<Place>(&decision)) give(place->job, place->tasks);
      const auto* reclaim = std::get_if<Reclaim>(&decision);
      if (reclaim == nullptr) continue;
      give(reclaim->beneficiary, reclaim->placement);
      if (reclaim->right != ReclaimRight::kConsolidation) add(*reclaim);
    }
  }
  void add(const Reclaim& reclaim) {
    for (QueueIndex q = home_of(reclaim.beneficiary); !q.is_none(); q = parent(q)) own_.insert(q);
    for (const Victim& victim : reclaim.victims) add(victim);
    own_.clear();
  }
  bool spares_guarantees() const {
    const QuotaTree& tree = before_.quota();
    return std::all_of(gone_.begin(), gone_.end(), [&](const auto& entry) {
      const auto& [queue, flavour] = entry.first;
      const QuotaEntry* quota = tree.entry(queue, flavour);
      const CardUnits had = tree.used(queue, quota, flavour, {});
      const auto given = given_.find(entry.first);
      Charge more = given == given_.end() ? Charge{} : given->second;
      more -= entry.second;
      const CardUnits guarantee = quota == nullptr ? 0 : quota->guarantee;
      return tree.used(queue, quota, flavour, more) >= std::min(guarantee, had);
    });
  }
  bool has_cpus() const {
    return std::any_of(gone_.begin(), gone_.end(), [&](const auto& entry) {
      return before_.quota().flavour(entry.first.second).is_cpu();
    });
  }

 private:
  QueueIndex parent(QueueIndex queue) const { return before_.quota().queue(queue).parent; }
  QueueIndex home_of(JobId job) const { return before_.spec_of(*before_.find_job(job)).home.queue; }
  using Amounts = std::map<std::pair<QueueIndex, FlavourIndex>, Charge>;

  void add(const Victim& victim) {
    const TaskPlacement& place = before_.find_lease(victim.lease)->placement;
    const auto charges = charges_of(victim.job, place);
    for (QueueIndex q = home_of(victim.job); !q.is_none() && !own_.contains(q); q = parent(q)) {
      add_to(gone_, q, charges);
    }
  }
  void give(JobId job, const std::vector<TaskPlacement>& tasks) {
    for (const TaskPlacement& task : tasks) {
      for (QueueIndex q = home_of(job); !q.is_none(); q = parent(q)) {
        add_to(given_, q, charges_of(job, task));
      }
    }
  }
  ClusterState::Charges charges_of(JobId job, const TaskPlacement& place) const {
    const SpecRecord& spec = before_.spec_of(*before_.find_job(job));
    const Shape& shape = before_.shapes().at(spec.shapes[place.role]);
    return before_.charges_of(shape, place.node, place.grants);
  }
  static void add_to(Amounts& amounts, QueueIndex queue, const ClusterState::Charges& charges) {
    if (!charges.cards.is_none()) amounts[{queue, charges.cards}] += charges.of_cards;
    if (!charges.cpus.is_none()) amounts[{queue, charges.cpus}] += charges.of_cpus;
  }

  const ClusterState& before_;
  std::set<QueueIndex> own_;  // of the taker
  Amounts gone_;
  Amounts given_;
};

class Mixed {
 public:
  explicit Mixed(std::uint64_t seed) : rng_(seed), fleet_(random_policy(rng_)) {
    fleet_.run({DeclareModel{t::plain_model(kOther, 80'000)}, {}, {}});
    fleet_.run({DeclareModel{t::grid_model(kGrid)}, {}, {}});
    TopologySpec topology;
    topology.levels = {"card", "island", "node", "leaf"};
    fleet_.run({DeclareTopology{topology}, {}, {}});
    join_nodes();
    declare_queues();
  }

  // One thing happens, and perhaps a cycle.
  void step() {
    switch (rng_.below(8)) {
      case 0:
        fleet_.pass(static_cast<DurationMs>(rng_.below(120)) * kSecondMs);
        fleet_.run({Tick{}, {}, {}});
        break;
      case 1:
        end_some_job();
        break;
      case 2:
        fleet_.let_go();
        break;
      default:
        submit();
    }
    if (rng_.below(2) == 0) cycle();
  }

  // Nobody's reclaim brings a queue below what it is guaranteed, of cards or CPUs.
  void cycle() {
    const auto before = ClusterState::load(fleet_.state().save());
    if (!before) RC_FAIL(before.error().to_text());
    const Taken taken(*before, fleet_.cycle());
    RC_ASSERT(taken.spares_guarantees());
    took_cpus_ = took_cpus_ || taken.has_cpus();
  }
  bool took_cpus() const { return took_cpus_; }

  ReclaimFleet& fleet() { return fleet_; }
  Rng& rng() { return rng_; }

 private:
  void join_nodes() {
    const char* models[] = {kModel, kOther, kGrid};
    const std::size_t nodes = 2 + rng_.below(4);
    for (std::size_t n = 0; n < nodes; ++n) {
      const char* model = models[rng_.below(3)];
      const std::string name = "n" + std::to_string(n);
      const auto cards = static_cast<std::size_t>(1 + rng_.below(4));
      const auto cpus = static_cast<CpuMilli>(8 + 8 * rng_.below(5)) * 1'000;
      NodeSpec node = t::node(name, model, cards, cpus, (32 + 64 * rng_.below(4)) * 1'024);
      if (n > 1 && rng_.below(4) == 0) {  // of CPUs only
        node.model.clear();
        node.cards.clear();
      }
      if (model == kGrid) {
        for (CardSpec& card : node.cards) card.mig = MigRegime::kDynamic;
      }
      node.domains = {{"leaf", "leaf" + std::to_string(n % 2)}};
      if (n % 2 == 0) node.labels = {{"rack", n == 0 ? "a" : "b"}};
      fleet_.run({JoinNode{node}, {}, {}});
    }
  }

  void declare_queues() {
    const std::size_t queues = 2 + rng_.below(3);
    for (std::size_t q = 0; q < queues; ++q) {
      QueueSpec queue = t::queue("q" + std::to_string(q));
      queue.weight = static_cast<std::uint32_t>(rng_.below(4));
      if (!names_.empty() && rng_.below(3) == 0) queue.parent = names_[rng_.below(names_.size())];
      for (const char* model : {kModel, kOther, kGrid, "cpu"}) {
        if (rng_.below(3) == 0) queue.quotas.push_back(random_quota(model));
      }
      const auto events = fleet_.engine().decide({DeclareQueue{queue}, {}, {}}, fleet_.now());
      if (!events) continue;  // more than its parent has
      fleet_.run({DeclareQueue{queue}, {}, {}});
      names_.push_back(queue.name);
    }
    if (names_.empty()) {
      fleet_.declare("q", 0);
      names_.push_back("q");
    }
  }

  FlavourQuota random_quota(const char* model) {
    FlavourQuota quota;
    quota.model = model;
    const bool of_cpus = quota.model == "cpu";
    const auto unit = of_cpus ? 8 * kCard : kCard;
    quota.guarantee = static_cast<CardUnits>(rng_.below(3)) * unit;
    if (rng_.below(2) == 0) {
      quota.limit = std::max(quota.guarantee, static_cast<CardUnits>(1 + rng_.below(5)) * unit);
    }
    return quota;
  }

  DeviceRequest random_devices() {
    DeviceRequest devices;
    switch (rng_.below(7)) {
      case 6:
        return t::whole(0);
      case 0:
        devices = t::mig(rng_.below(2) == 0 ? "1g.10gb" : "3g.40gb");
        return devices;
      case 1:
        devices = t::share(kCard / static_cast<CardUnits>(2 + rng_.below(3)));
        break;
      default:
        devices = t::whole(static_cast<std::uint32_t>(1 + rng_.below(3)));
    }
    if (rng_.below(2) == 0) devices.models = {kModel};
    if (rng_.below(4) == 0) devices.models = {kOther, kModel};
    if (devices.kind == ShareKind::kWhole && rng_.below(6) == 0) {
      devices.selector = testing::kSomeSelectors[rng_.below(testing::kSomeSelectors.size())];
    }
    return devices;
  }

  void submit() {
    const auto tasks = static_cast<std::uint32_t>(rng_.below(3) == 0 ? 1 + rng_.below(4) : 1);
    JobSpec spec = t::job(names_[rng_.below(names_.size())], random_devices(), tasks);
    Role& role = spec.roles.front();
    role.containers.front().cpu_milli = static_cast<CpuMilli>(rng_.below(12)) * 1'000;
    role.containers.front().memory_mib = static_cast<Mib>(rng_.below(32)) * 1'024;
    if (tasks > 1 && rng_.below(2) == 0) {
      role.elastic = true;
      role.min = 1;
    }
    if (rng_.below(4) == 0) {
      const RuleUnit unit = rng_.below(2) == 0 ? RuleUnit::kJob : RuleUnit::kRole;
      role.topology = {{unit, rng_.below(2) == 0 ? "leaf" : "node", RuleStrength::kRequired}};
    }
    spec.job_class = static_cast<JobClass>(rng_.below(3));
    spec.priority = static_cast<std::int32_t>(rng_.below(4));
    spec.max_unavailable = static_cast<std::uint32_t>(rng_.below(3));
    spec.checkpoint.method = static_cast<CheckpointMethod>(rng_.below(4));
    spec.checkpoint.acknowledges = rng_.below(2) == 0;
    spec.checkpoint.duration_ms = static_cast<DurationMs>(1 + rng_.below(60)) * kSecondMs;
    spec.checkpoint.restart_ms = static_cast<DurationMs>(rng_.below(60)) * kSecondMs;
    if (rng_.below(3) == 0)
      spec.run_time_ms = static_cast<DurationMs>(1 + rng_.below(60)) * kMinuteMs;
    const std::string name = "j" + std::to_string(fleet_.state().next_job().value());
    const Command command = t::submit(name, std::move(spec));
    if (fleet_.engine().decide(command, fleet_.now())) fleet_.run(command);
  }

  void end_some_job() {
    const std::vector<JobId> jobs = fleet_.state().jobs().sorted_ids();
    if (jobs.empty()) return;
    const JobRecord& job = *fleet_.state().find_job(jobs[rng_.below(jobs.size())]);
    if (job.phase == JobPhase::kReleasing) return;
    const Command command{CancelJob{job.name}, {}, {}};
    if (fleet_.engine().decide(command, fleet_.now())) fleet_.run(command);
  }

  Rng rng_;
  ReclaimFleet fleet_;
  std::vector<std::string> names_;
  bool took_cpus_ = false;  // that count, from another queue
};

void assert_sound(const ReclaimFleet& fleet) {
  RC_ASSERT(fleet.lost() == 0U);
  RC_ASSERT(broken_invariants(fleet.state()).empty());
}

std::set<ReclaimRight> rights_of(const ReclaimFleet& fleet) {
  std::set<ReclaimRight> rights;
  for (const Reclaim& reclaim : fleet.reclaims()) {
    if (!reclaim.victims.empty()) rights.insert(reclaim.right);
  }
  return rights;
}

// Nothing happens between a plan and its commit, so all of it is carried out.
RC_GTEST_PROP(ReclaimMixed, WhatIsPlannedHolds, (std::uint64_t seed)) {
  Mixed mixed(seed);
  if (mixed.rng().below(2) == 0) mixed.fleet().hold_back();
  for (int i = 0; i < 40; ++i) {
    mixed.step();
    assert_sound(mixed.fleet());
  }
  if (mixed.took_cpus()) RC_TAG(std::string("CPUs"));
  for (const ReclaimRight right : rights_of(mixed.fleet())) RC_TAG(std::string(word(right)));
}

// Without a change from outside it comes to rest: nobody takes back and gives by turns for ever.
RC_GTEST_PROP(ReclaimMixed, ComesToRest, (std::uint64_t seed)) {
  Mixed mixed(seed);
  for (int i = 0; i < 30; ++i) mixed.step();
  mixed.fleet().let_go();
  RC_ASSERT(mixed.fleet().settle(60));
  assert_sound(mixed.fleet());
}

}  // namespace
}  // namespace berth::engine
