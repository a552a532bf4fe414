// Gangs on tiny fleets against brute force: all assignments of tasks to nodes, tried one by one.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "base/rng.h"
#include "engine/decide.h"
#include "engine/placement/gang_search.h"
#include "model/testing.h"

namespace berth::engine {
namespace {

namespace t = berth::testing;

// Up to six nodes in up to three leaves in up to two pods; some cards do not work.
class TinyFleet {
 public:
  explicit TinyFleet(std::uint64_t seed) : rng_(seed) {
    run({DeclareModel{t::plain_model("card", 40'000)}, {}, {}});
    run({DeclareQueue{t::queue("q")}, {}, {}});
    TopologySpec topology;
    topology.levels = {"card", "node", "leaf", "pod"};
    run({DeclareTopology{topology}, {}, {}});
    const std::uint64_t leaves = 1 + rng_.below(3);
    const std::uint64_t count = 1 + rng_.below(6);
    for (std::uint64_t n = 0; n < count; ++n) join("n" + std::to_string(n), rng_.below(leaves));
  }

  Rng& rng() { return rng_; }
  ClusterState& state() { return state_; }

  JobId submit(JobSpec spec) {
    const JobId id = state_.next_job();
    run(t::submit("j" + std::to_string(id.value()), std::move(spec)));
    return id;
  }
  void run(const Command& command) {
    auto events = decide(state_, command, ++now_);
    ASSERT_TRUE(events.has_value()) << events.error().to_text();
    for (const Event& event : *events) state_.apply(event);
  }
  std::int64_t free_cards(NodeIndex node) const {
    const auto& cards = state_.node(node).cards;
    return std::count_if(cards.begin(), cards.end(), [](const CardState& card) {
      return card.is_empty() && card.health == CardHealth::kHealthy;
    });
  }
  std::size_t nodes() const { return state_.nodes().size(); }
  DomainIndex domain(NodeIndex node, const std::string& level) const {
    return state_.topology_tree().of_node(node, level);
  }

 private:
  void join(const std::string& name, std::uint64_t leaf) {
    NodeSpec node = t::node(name, "card", 1 + rng_.below(4));
    node.domains = {{"leaf", "l" + std::to_string(leaf)}, {"pod", "p" + std::to_string(leaf % 2)}};
    run({JoinNode{node}, {}, {}});
    if (rng_.below(3) == 0) run({SetCardHealth{name, 0, CardHealth::kFailed}, {}, {}});
  }

  Rng rng_;
  ClusterState state_;
  TimeMs now_ = 0;
};

JobSpec plain_gang(std::uint32_t tasks, std::uint32_t cards) {
  return t::job("q", t::whole(cards), tasks);
}

std::string some_level(Rng& rng) { return rng.below(2) == 0 ? "leaf" : "pod"; }

void add_rules(Rng& rng, Role& role) {
  if (rng.below(3) == 0) role.topology.push_back({RuleUnit::kRole, some_level(rng), {}});
  if (rng.below(5) == 0) role.topology.push_back({RuleUnit::kJob, some_level(rng), {}});
  if (rng.below(3) == 0) {
    role.segment_tasks = static_cast<std::uint32_t>(1 + rng.below(3));
    role.topology.push_back({RuleUnit::kSegment, some_level(rng), {}});
  }
}

JobSpec random_gang(Rng& rng, std::size_t roles) {
  JobSpec spec = plain_gang(1, 1);
  for (std::size_t r = 0; r < roles; ++r) {
    Role role = spec.roles.front();
    role.name = "r" + std::to_string(r);
    role.count = static_cast<std::uint32_t>(1 + rng.below(5));
    role.containers.front().devices = t::whole(static_cast<std::uint32_t>(1 + rng.below(3)));
    role.topology.clear();
    add_rules(rng, role);
    if (rng.below(4) == 0 && role.segment_tasks == 0) {
      role.elastic = true;
      role.min = static_cast<std::uint32_t>(1 + rng.below(role.count));
    }
    spec.roles.push_back(std::move(role));
  }
  spec.roles.erase(spec.roles.begin());
  return spec;
}

struct Task {
  std::size_t role = 0;
  std::uint32_t number = 0;
  NodeIndex node;
};

// Whether two tasks may lie where they do as far as rules go.
bool agree(const TinyFleet& fleet, const JobSpec& spec, const Task& a, const Task& b) {
  const auto same = [&](const std::string& level) {
    return fleet.domain(a.node, level) == fleet.domain(b.node, level);
  };
  for (std::size_t r = 0; r < spec.roles.size(); ++r) {
    const Role& role = spec.roles[r];
    for (const TopologyRule& rule : role.topology) {
      const bool both = a.role == r && b.role == r;
      const bool segment = both && role.segment_tasks > 0 &&
                           a.number / role.segment_tasks == b.number / role.segment_tasks;
      const bool bound = rule.unit == RuleUnit::kJob || (rule.unit == RuleUnit::kRole && both) ||
                         (rule.unit == RuleUnit::kSegment && segment);
      if (bound && !same(rule.within)) return false;
    }
  }
  return true;
}

class BruteForce {
 public:
  BruteForce(const TinyFleet& fleet, const JobSpec& spec) : fleet_(fleet), spec_(spec) {
    for (std::size_t r = 0; r < spec.roles.size(); ++r) {
      const Role& role = spec.roles[r];
      const std::uint32_t least = role.elastic ? role.min_tasks() : role.count;
      for (std::uint32_t i = 0; i < least; ++i) tasks_.push_back({r, i, {}});
    }
    for (std::uint32_t n = 0; n < fleet.nodes(); ++n) {
      free_.push_back(fleet.free_cards(NodeIndex(n)));
    }
  }
  bool fits() { return fits_from(0); }

 private:
  bool fits_from(std::size_t i) {
    if (i == tasks_.size()) return true;
    Task& task = tasks_[i];
    const std::int64_t cards = spec_.roles[task.role].containers.front().devices.count;
    for (std::uint32_t n = 0; n < fleet_.nodes(); ++n) {
      if (free_[n] < cards) continue;
      task.node = NodeIndex(n);
      const auto agrees = [&](const Task& other) { return agree(fleet_, spec_, task, other); };
      if (!std::all_of(tasks_.begin(), tasks_.begin() + static_cast<std::ptrdiff_t>(i), agrees)) {
        continue;
      }
      free_[n] -= cards;
      const bool found = fits_from(i + 1);
      free_[n] += cards;
      if (found) return true;
    }
    return false;
  }

  const TinyFleet& fleet_;
  const JobSpec& spec_;
  std::vector<Task> tasks_;
  std::vector<std::int64_t> free_;
};

// What a cycle asks for a job that starts.
std::vector<RoleNeed> needs_of(const JobSpec& spec) {
  std::vector<RoleNeed> needs;
  for (const Role& role : spec.roles) {
    RoleNeed need;
    need.tasks.resize(role.count);
    std::iota(need.tasks.begin(), need.tasks.end(), 0);
    need.least = role.elastic ? role.min_tasks() : role.count;
    needs.push_back(std::move(need));
  }
  return needs;
}

struct Searched {
  std::optional<GangPlace> place;
  std::size_t steps = 0;  // that the trial kept
};

Searched search(TinyFleet& fleet, Trial& trial, RoomTable& rooms, const JobSpec& spec, JobId job) {
  Placer placer;
  const JobRecord& record = *fleet.state().find_job(job);
  const std::size_t before = trial.checkpoint();
  GangSearch gang(trial, placer, rooms,
                  {fleet.state().ask_of(record), record.spec, needs_of(spec), {}, {}, 0});
  Searched searched;
  searched.place = gang.run();
  searched.steps = trial.checkpoint() - before;
  return searched;
}

// Counts, rules, and room on every node.
void check_place(const TinyFleet& fleet, const JobSpec& spec, const GangPlace& place,
                 const std::vector<std::int64_t>& free_before) {
  std::vector<std::int64_t> taken(fleet.nodes(), 0);
  std::vector<std::uint32_t> counts(spec.roles.size(), 0);
  std::vector<Task> tasks;
  for (const TaskPlacement& one : place.tasks) {
    RC_ASSERT(one.task == counts[one.role]);
    ++counts[one.role];
    taken[one.node.value()] += spec.roles[one.role].containers.front().devices.count;
    tasks.push_back({one.role, one.task, one.node});
    for (const Task& other : tasks) RC_ASSERT(agree(fleet, spec, tasks.back(), other));
  }
  for (std::size_t r = 0; r < spec.roles.size(); ++r) {
    RC_ASSERT(counts[r] <= spec.roles[r].count);
    RC_ASSERT(counts[r] >= needs_of(spec)[r].least);
  }
  for (std::size_t n = 0; n < taken.size(); ++n) RC_ASSERT(taken[n] <= free_before[n]);
}

std::vector<std::int64_t> free_of(const TinyFleet& fleet) {
  std::vector<std::int64_t> free;
  for (std::uint32_t n = 0; n < fleet.nodes(); ++n) free.push_back(fleet.free_cards(NodeIndex(n)));
  return free;
}

// `exact`: not only is what is found right, but something is found whenever there is something.
void compare_with_brute_force(std::uint64_t seed, std::size_t roles, bool exact) {
  TinyFleet fleet(seed);
  const JobSpec spec = random_gang(fleet.rng(), roles);
  const JobId job = fleet.submit(spec);
  const std::vector<std::int64_t> free = free_of(fleet);
  const bool possible = BruteForce(fleet, spec).fits();
  const std::uint64_t hash = fleet.state().hash();
  {
    Trial trial(fleet.state());
    RoomTable rooms;
    const Searched searched = search(fleet, trial, rooms, spec, job);
    if (searched.place) {
      RC_ASSERT(possible);
      check_place(fleet, spec, *searched.place, free);
    } else {
      if (exact) RC_ASSERT(!possible);
      RC_ASSERT(searched.steps == 0U);
      RC_ASSERT(free_of(fleet) == free);
      RC_ASSERT(fleet.state().hash() == hash);
    }
  }
  RC_ASSERT(fleet.state().hash() == hash);
}

RC_GTEST_PROP(GangSearchProperty, AGangOfOneRoleIsPlacedExactlyWhenItFits, (std::uint64_t seed)) {
  for (std::uint64_t i = 0; i < 20; ++i) compare_with_brute_force(seed * 20 + i, 1, true);
}

RC_GTEST_PROP(GangSearchProperty, AGangOfTwoRolesIsPlacedExactlyWhenItFits, (std::uint64_t seed)) {
  for (std::uint64_t i = 0; i < 20; ++i) compare_with_brute_force(seed * 20 + i, 2, true);
}

// The fewest domains of the level, of those that `counts` accepts, whose free cards hold the tasks.
template <typename Counts>
std::size_t fewest(const TinyFleet& fleet, const std::string& level, std::uint32_t cards,
                   std::int64_t tasks, const Counts& counts) {
  std::map<DomainIndex, std::int64_t> room;
  for (std::uint32_t n = 0; n < fleet.nodes(); ++n) {
    if (!counts(NodeIndex(n))) continue;
    room[fleet.domain(NodeIndex(n), level)] += fleet.free_cards(NodeIndex(n)) / cards;
  }
  std::vector<std::int64_t> rooms;
  for (const auto& [domain, fit] : room) rooms.push_back(fit);
  std::sort(rooms.rbegin(), rooms.rend());
  std::size_t used = 0;
  for (; tasks > 0 && used < rooms.size(); ++used) tasks -= rooms[used];
  return used;
}

// No leaf has two tasks more than another that has room for one more.
void check_equal_parts(const std::map<DomainIndex, std::int64_t>& tasks,
                       const std::map<DomainIndex, std::int64_t>& room) {
  for (const auto& [leaf, count] : tasks) {
    for (const auto& [other, fewer] : tasks) {
      RC_ASSERT(count <= fewer + 1 || fewer == room.at(other));
    }
  }
}

// As few leaves as can be, in parts as equal as their room allows; of the ways to do with so few,
// one inside a single pod where there is one.
void check_few_domains(std::uint64_t seed) {
  TinyFleet fleet(seed);
  const auto tasks = static_cast<std::uint32_t>(1 + fleet.rng().below(8));
  const auto cards = static_cast<std::uint32_t>(1 + fleet.rng().below(2));
  const JobSpec spec = plain_gang(tasks, cards);
  const JobId job = fleet.submit(spec);
  const std::size_t least = fewest(fleet, "leaf", cards, tasks, [](NodeIndex) { return true; });
  bool in_one_pod = false;
  for (const char* name : {"p0", "p1"}) {
    const DomainIndex pod = fleet.state().topology_tree().find("pod", name);
    const auto inside = [&](NodeIndex n) { return fleet.domain(n, "pod") == pod; };
    std::int64_t room = 0;
    for (std::uint32_t n = 0; n < fleet.nodes(); ++n) {
      if (inside(NodeIndex(n))) room += fleet.free_cards(NodeIndex(n)) / cards;
    }
    in_one_pod |= room >= tasks && fewest(fleet, "leaf", cards, tasks, inside) == least;
  }
  std::set<DomainIndex> pods;
  std::map<DomainIndex, std::int64_t> leaves;  // tasks in each
  std::map<DomainIndex, std::int64_t> room;
  for (std::uint32_t n = 0; n < fleet.nodes(); ++n) {
    room[fleet.domain(NodeIndex(n), "leaf")] += fleet.free_cards(NodeIndex(n)) / cards;
  }
  RoomTable rooms;
  {
    Trial trial(fleet.state());
    const Searched searched = search(fleet, trial, rooms, spec, job);
    if (!searched.place) return;
    for (const TaskPlacement& one : searched.place->tasks) {
      pods.insert(fleet.domain(one.node, "pod"));
      ++leaves[fleet.domain(one.node, "leaf")];
    }
  }
  RC_ASSERT(leaves.size() == least);
  check_equal_parts(leaves, room);
  if (in_one_pod) RC_ASSERT(pods.size() == 1U);
}

RC_GTEST_PROP(GangSearchProperty, WithoutRulesAGangTakesFewLeavesAndOfThoseInOnePod,
              (std::uint64_t seed)) {
  for (std::uint64_t i = 0; i < 20; ++i) check_few_domains(seed * 20 + i);
}

void check_room(TinyFleet& fleet, const DomainRoom& room, std::uint32_t cards) {
  const ClusterState& state = fleet.state();
  std::uint64_t in_fleet = 0;
  std::map<DomainIndex, std::uint64_t> in_domain;
  for (std::uint32_t n = 0; n < fleet.nodes(); ++n) {
    const NodeIndex node(n);
    std::uint64_t fit = static_cast<std::uint64_t>(fleet.free_cards(node)) / cards;
    if (state.node(node).condition != NodeCondition::kReady) fit = 0;
    RC_ASSERT(room.on_node(node) == fit);
    in_fleet += fit;
    for (const char* level : {"leaf", "pod"}) in_domain[fleet.domain(node, level)] += fit;
  }
  RC_ASSERT(room.in_fleet() == in_fleet);
  for (const auto& [domain, fit] : in_domain) RC_ASSERT(room.in_domain(domain) == fit);
}

RC_GTEST_PROP(DomainRoomProperty, EqualsARecountAfterAnyTakesAndGives, (std::uint64_t seed)) {
  TinyFleet fleet(seed);
  Rng& rng = fleet.rng();
  RoomTable rooms;
  std::vector<std::pair<JobId, JobSpec>> jobs;
  for (std::uint32_t cards = 1; cards <= 3; ++cards) {
    const JobSpec spec = plain_gang(1, cards);
    jobs.emplace_back(fleet.submit(spec), spec);
  }
  for (int round = 0; round < 3; ++round) {
    Trial trial(fleet.state());
    std::vector<Trial::Checkpoint> steps = {0};
    for (int i = 0; i < 12; ++i) {
      if (rng.below(3) == 0) {
        const std::size_t back = rng.below(steps.size());
        trial.rollback(steps[back]);
        steps.resize(back + 1);
      } else {
        const auto& [job, spec] = jobs[rng.below(jobs.size())];
        search(fleet, trial, rooms, spec, job);
        steps.push_back(trial.checkpoint());
      }
      if (rng.below(2) == 0) continue;
      for (std::uint32_t cards = 1; cards <= 3; ++cards) {
        const JobRecord& job = *fleet.state().find_job(jobs[cards - 1].first);
        check_room(fleet, rooms.of(fleet.state(), fleet.state().ask_of(job).roles.front().shape),
                   cards);
      }
    }
    trial.rollback(0);
    const auto conditions = static_cast<std::uint64_t>(NodeCondition::kLost);
    fleet.run({SetNodeCondition{"n0", static_cast<NodeCondition>(rng.below(conditions))}, {}, {}});
  }
}

}  // namespace
}  // namespace berth::engine
