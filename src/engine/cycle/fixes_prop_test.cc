// Every fix that is offered works when it is carried out, whoever has to give way for it; whenever
// one change of a kind that Berth knows would start the job, one of its kind is offered.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "engine/cycle/fixes.h"
#include "engine/engine_testing.h"
#include "model/testing.h"

namespace berth::engine {
namespace {

namespace t = berth::testing;

constexpr const char* kLicence = "licence";

// A tiny fleet in two leaves and two partitions with a tree of queues, partly full, and one job
// that may not fit.
class Tiny : public testing::StillEngine {
 public:
  explicit Tiny(std::uint64_t seed, const PolicySpec& policy = {}, bool has_started = false)
      : rng_(seed) {
    run(SetPolicy{policy, {}});
    run(DeclareModel{t::plain_model("plain", 40'000)});
    run(DeclareModel{t::grid_model("grid")});
    TopologySpec topology;
    topology.levels = {"card", "island", "node", "leaf"};
    run(DeclareTopology{topology});
    PartitionSpec extra;
    extra.name = "extra";
    extra.kind = PartitionKind::kShared;
    if (one_in(3)) run(DeclarePartition{extra});
    run(DeclareQueue{limited(t::queue("org"), 6)});
    for (const char* name : {"red", "blue"}) {
      QueueSpec queue = t::queue(name);
      queue.parent = "org";
      run(DeclareQueue{limited(queue, static_cast<CardUnits>(rng_.below(4)))});
    }
    const std::uint64_t nodes = 2 + rng_.below(3);
    for (std::uint64_t n = 0; n < nodes; ++n) join(n);
    const bool takes = has_started || !policy.reclaim.empty();
    for (std::uint64_t i = (takes ? 8 : 0) + rng_.below(12); i > 0; --i) {
      run(t::submit("f" + std::to_string(i), random_job(1)).body);
    }
    cycle();
    if (takes) start_all();  // nothing is taken from what has not started
    JobSpec asked = random_job(1 + below(3));
    if (takes) asked.priority = below(3);
    run(t::submit("asked", asked).body);
    if (one_in(8)) run(HoldJob{"asked"});
    cycle();
  }

  const Engine& engine() const { return engine_; }
  bool waits() const { return waits(engine_); }
  const JobRecord& asked() const { return *state().find_job("asked"); }
  const JobSpec& spec() const { return *state().spec_of(asked()).spec; }

  // Whether the job starts in the next cycle after the commands, or in the one after all have given
  // way who are then asked to, on a copy.
  bool starts_after(const std::vector<Command>& commands, TimeMs at) const {
    Engine copy{ClusterState(state())};
    if (at > copy.state().now() && !let_go(copy, at, commands)) return false;
    for (const Command& command : commands) {
      const auto events = copy.decide(command, at);
      if (!events) return false;
      for (const Event& event : *events) copy.apply(event);
    }
    for (const Event& event : copy.commit(copy.plan(at), at).events) copy.apply(event);
    if (!waits(copy)) return true;
    return let_go(copy, last_deadline(copy), {}) && !waits(copy);
  }

  // Whether it starts until then if all go at their deadlines who have been asked to.
  bool starts_by(TimeMs at) const {
    Engine copy{ClusterState(state())};
    for (const Event& event : copy.commit(copy.plan(1), 1).events) copy.apply(event);
    return let_go(copy, at, {}) && !waits(copy);
  }
  TimeMs last_deadline() const { return last_deadline(engine_); }
  bool has_receipt() const { return !asked().receipt.is_none(); }

 private:
  static bool tells_of(const std::vector<Command>& commands, LeaseId lease) {
    return std::any_of(commands.begin(), commands.end(), [&](const Command& command) {
      const auto* released = std::get_if<ReportReleased>(&command.body);
      const auto* suspended = std::get_if<ReportSuspended>(&command.body);
      return (released != nullptr && released->lease == lease) ||
             (suspended != nullptr && suspended->lease == lease);
    });
  }

  // Victims are gone at their deadlines, as far as those come until then and the commands do not
  // say when; a cycle after each.
  static bool let_go(Engine& copy, TimeMs until, const std::vector<Command>& commands) {
    while (true) {
      std::map<TimeMs, std::vector<Command>> reports;
      for (const LeaseId id : copy.state().leases().sorted_ids()) {
        const Lease& lease = *copy.state().find_lease(id);
        const bool goes = lease.state == LeaseState::kRevoking && !lease.off_cards &&
                          !lease.receipt.is_none() && lease.deadline <= until;
        if (!goes || tells_of(commands, id)) continue;
        const bool out = lease.grade == ReclaimGrade::kSuspend;
        reports[lease.deadline].push_back(
            out ? Command{ReportSuspended{id, lease.epoch}, {}, {}}
                : Command{ReportReleased{id, lease.epoch, {}}, {}, {}});
      }
      if (reports.empty()) return true;
      const TimeMs at = std::max(reports.begin()->first, copy.state().now());
      for (const Command& report : reports.begin()->second) {
        const auto events = copy.decide(report, at);
        if (!events) return false;
        for (const Event& event : *events) copy.apply(event);
      }
      for (const Event& event : copy.commit(copy.plan(at), at).events) copy.apply(event);
    }
  }

  // When the last of those has gone who have been asked to.
  static TimeMs last_deadline(const Engine& engine) {
    TimeMs last = engine.state().now();
    for (const LeaseId id : engine.state().leases().sorted_ids()) {
      const Lease& lease = *engine.state().find_lease(id);
      if (lease.state == LeaseState::kRevoking) last = std::max(last, lease.deadline);
    }
    return last;
  }

  static bool waits(const Engine& engine) {
    const JobRecord* job = engine.state().find_job("asked");
    return job == nullptr || job->phase == JobPhase::kPending;
  }

  bool one_in(std::uint64_t many) { return rng_.below(many) == 0; }
  std::uint32_t below(std::uint64_t limit) { return static_cast<std::uint32_t>(rng_.below(limit)); }

  void join(std::uint64_t n) {
    NodeSpec node = one_in(3) ? t::mig_node("n" + std::to_string(n), "grid", 2)
                              : t::node("n" + std::to_string(n), "plain", 4);
    node.cpu_milli = 4'000;
    node.memory_mib = 4'000;
    node.resources = {{kLicence, 2}};
    node.domains = {{"leaf", n % 2 == 0 ? "even" : "odd"}};
    if (!state().find_partition("extra").is_none() && one_in(3)) node.partition = "extra";
    run(JoinNode{node});
    if (one_in(4)) run(SetNodeCondition{node.name, NodeCondition::kCordoned});
  }

  QueueSpec limited(QueueSpec queue, CardUnits guarantee) {
    FlavourQuota quota;
    quota.guarantee = guarantee * kCard;
    if (one_in(3)) quota.limit = kCard * static_cast<CardUnits>(guarantee + 1 + below(4));
    if (guarantee > 0 && one_in(2)) quota.lend = kCard * static_cast<CardUnits>(below(2));
    if (guarantee > 0 || quota.limit) queue.quotas.push_back(quota);
    if (one_in(5)) queue.class_limits = {{JobClass::kInteractive, kCard * below(3)}};
    return queue;
  }

  DeviceRequest random_devices() {
    if (one_in(4)) return t::share(kCard / 100 * (10 + below(90)));
    if (one_in(5)) return t::memory_share(1'000 * (1 + below(60)));
    if (one_in(5)) return t::mig(one_in(2) ? "7g.80gb" : "3g.40gb");
    DeviceRequest devices = t::whole(1 + below(4));
    if (one_in(5)) devices.models = {"grid"};
    return devices;
  }

  JobSpec random_job(std::uint32_t tasks) {
    JobSpec job = t::job(one_in(2) ? "red" : "blue", random_devices(), tasks);
    Container& container = job.roles[0].containers[0];
    container.cpu_milli = static_cast<CpuMilli>(below(one_in(4) ? 6 : 2) * 1'000);
    container.memory_mib = static_cast<Mib>(below(one_in(4) ? 6 : 2) * 900);
    if (one_in(6)) container.resources = {{kLicence, 1 + below(3)}};
    if (one_in(3)) job.job_class = JobClass::kInteractive;
    if (one_in(8)) job.is_protected = true;
    if (one_in(2)) job.run_time_ms = kMinuteMs * (1 + below(60));
    const bool near = container.devices.kind != ShareKind::kMig;
    if (tasks > 1 && near && one_in(2)) {
      job.roles[0].topology = {{RuleUnit::kRole, "leaf", RuleStrength::kRequired}};
    }
    if (tasks > 1 && one_in(3)) {
      job.roles[0].elastic = true;
      job.roles[0].min = 1 + below(tasks);
    }
    if (tasks > 1 && one_in(3)) {
      job.roles.push_back(job.roles[0]);
      job.roles[1].name = "second";
    }
    return job;
  }

  void start_all() {
    for (const LeaseId id : state().leases().sorted_ids()) {
      run(ReportPrepared{id, state().find_lease(id)->epoch});
    }
  }

  Rng rng_;
};

// All changes of one step, whoever would make them.
class Changes {
 public:
  explicit Changes(const Tiny& tiny) : tiny_(tiny) {}

  // Whether one of that kind starts the job.
  bool help(FixBy by) {
    helps_ = false;
    switch (by) {
      case FixBy::kOwner:
        attempt({UnholdJob{"asked"}});
        break;
      case FixBy::kTime:
        end_each_job();
        break;
      case FixBy::kRequest:
        ask_otherwise();
        break;
      case FixBy::kOperator:
        give_more();
        break;
    }
    return helps_;
  }

 private:
  using Spec = std::function<void(JobSpec&)>;

  void attempt(const std::vector<CommandBody>& bodies) {
    if (helps_) return;
    std::vector<Command> commands;
    for (const CommandBody& body : bodies) commands.push_back({body, {}, {}});
    helps_ = tiny_.starts_after(commands, 1);
  }

  void attempt_spec(const Spec& change) {
    auto changed = std::make_shared<JobSpec>(tiny_.spec());
    change(*changed);
    std::vector<CommandBody> bodies = {CancelJob{"asked"}, SubmitJob{"asked", changed}};
    if (tiny_.asked().user_held) bodies.emplace_back(HoldJob{"asked"});
    attempt(bodies);
  }

  void end_each_job() {
    for (const JobId id : tiny_.state().jobs().sorted_ids()) {
      std::vector<CommandBody> bodies;
      const JobRecord& job = *tiny_.state().find_job(id);
      if (!tiny_.state().spec_of(job).spec->run_time_ms) continue;  // nobody knows when it ends
      for (const LeaseId lease : job.leases) {
        bodies.emplace_back(ReportPrepared{lease, tiny_.state().find_lease(lease)->epoch});
      }
      for (const LeaseId lease : job.leases) {
        bodies.emplace_back(ReportEnded{lease, tiny_.state().find_lease(lease)->epoch, {}});
      }
      if (!bodies.empty()) attempt(bodies);
    }
  }

  void ask_otherwise() {
    attempt_spec([](JobSpec& s) { s.is_protected = false; });
    attempt_spec([](JobSpec& s) { s.job_class = JobClass::kTraining; });
    attempt_spec([](JobSpec& s) { s.partition = "extra"; });
    for (std::size_t r = 0; r < tiny_.spec().roles.size(); ++r) ask_otherwise(r);
  }

  void ask_otherwise(std::size_t r) {
    const Role& role = tiny_.spec().roles[r];
    attempt_spec([r](JobSpec& s) { s.roles[r].topology.clear(); });
    for (std::uint32_t tasks = 1; tasks < role.count; ++tasks) {
      if (!role.elastic) attempt({ResizeJob{"asked", role.name, tasks}});
    }
    for (std::uint32_t least = 1; role.elastic && least < role.min; ++least) {
      attempt_spec([r, least](JobSpec& s) { s.roles[r].min = least; });
    }
    const auto attempt_container = [&](const std::function<void(Container&)>& change) {
      attempt_spec([&](JobSpec& s) { change(s.roles[r].containers[0]); });
    };
    const Container& container = role.containers[0];
    attempt_container([](Container& c) { c.devices.models.clear(); });
    for (CpuMilli cpus = 0; cpus < container.cpu_milli; cpus += 500) {
      attempt_container([cpus](Container& c) { c.cpu_milli = cpus; });
    }
    for (Mib mib = 0; mib < container.memory_mib; mib += 450) {
      attempt_container([mib](Container& c) { c.memory_mib = mib; });
    }
    for (std::int64_t i = 0; !container.resources.empty() && i < 3; ++i) {
      attempt_container(
          [i](Container& c) { c.resources[0].amount = std::min(c.resources[0].amount, i); });
    }
    ask_for_less(container.devices, attempt_container);
  }

  template <typename Attempt>
  static void ask_for_less(const DeviceRequest& devices, const Attempt& attempt_container) {
    for (std::uint32_t count = 1; count < devices.count; ++count) {
      attempt_container([count](Container& c) { c.devices.count = count; });
    }
    for (CardUnits part = kCard / 50; devices.kind == ShareKind::kShare && part < devices.compute;
         part += kCard / 50) {
      attempt_container([part](Container& c) { c.devices.compute = part; });
    }
    for (Mib mib = 500; mib < devices.memory_mib.value_or(0); mib += 500) {
      attempt_container([mib](Container& c) { c.devices.memory_mib = mib; });
    }
    if (devices.kind != ShareKind::kMig) return;
    for (const char* profile : {"1g.10gb", "2g.20gb", "3g.40gb", "4g.40gb"}) {
      if (devices.mig_profile == "7g.80gb" || profile < devices.mig_profile) {
        attempt_container([profile](Container& c) { c.devices.mig_profile = profile; });
      }
    }
  }

  void give_more() {
    std::vector<CommandBody> unlimited;
    for (const QueueRecord& record : tiny_.state().queues()) {
      if (is_above(record.spec->name)) {
        QueueSpec queue = *record.spec;
        for (FlavourQuota& quota : queue.quotas) quota.limit.reset();
        queue.class_limits.clear();
        unlimited.emplace_back(DeclareQueue{queue});
        attempt({DeclareQueue{queue}});
      }
      QueueSpec lends = *record.spec;
      for (FlavourQuota& quota : lends.quotas) quota.lend.reset();
      attempt({DeclareQueue{lends}});
    }
    attempt(unlimited);
    for (const NodeRecord& node : tiny_.state().nodes()) {
      attempt({SetNodeCondition{node.spec->name, NodeCondition::kReady}});
      attempt({ReportNodeBack{node.spec->name}});
    }
  }

  // Another queue's limits are not in the job's way.
  bool is_above(const std::string& queue) const {
    return queue == "org" || queue == tiny_.spec().queue;
  }

  const Tiny& tiny_;
  bool helps_ = false;
};

RC_GTEST_PROP(Fixes, EachThatIsOfferedStartsTheJob, (std::uint64_t seed)) {
  const Tiny tiny(seed);
  if (!tiny.waits()) RC_DISCARD("it fits");
  const std::uint64_t before = tiny.state().hash();
  const std::vector<Fix> fixes = find_fixes(tiny.engine(), tiny.asked().id, 1);
  for (const Fix& fix : fixes) {
    RC_ASSERT(tiny.starts_after(fix.commands, fix.at));
    RC_ASSERT(!fix.text.empty());
    RC_ASSERT(fix.at == 1 || fix.by == FixBy::kTime);
  }
  const auto by_whom = [](const Fix& a, const Fix& b) { return a.by < b.by; };
  RC_ASSERT(std::is_sorted(fixes.begin(), fixes.end(), by_whom));
  RC_ASSERT(tiny.state().hash() == before);
}

// Rights in any number and order, and limits that are often in the way.
PolicySpec random_reclaim(std::uint64_t seed) {
  Rng rng(seed);
  PolicySpec policy;
  for (std::size_t r = 0; r < words_of<ReclaimRight>().size(); ++r) {
    if (rng.below(3) > 0) policy.reclaim.push_back(static_cast<ReclaimRight>(r));
  }
  if (rng.below(2) == 0) policy.reluctance_ppm = 0;
  if (rng.below(2) == 0) policy.blast_radius = kCard * static_cast<CardUnits>(1 + rng.below(3));
  if (rng.below(2) == 0) policy.evictions_per_hour = 1 + static_cast<std::uint32_t>(rng.below(2));
  if (rng.below(4) == 0) policy.evictions_per_job = 1;
  if (rng.below(3) == 0) policy.min_run_ms = kMinuteMs;
  return policy;
}

// What is taken, and whether room is on its way already, is said.
RC_GTEST_PROP(Fixes, EachThatIsOfferedStartsTheJobWhereRoomIsTakenBack, (std::uint64_t seed)) {
  const Tiny tiny(seed, random_reclaim(seed));
  if (!tiny.waits()) RC_DISCARD("it fits");
  const std::uint64_t before = tiny.state().hash();
  const std::vector<Fix> fixes = find_fixes(tiny.engine(), tiny.asked().id, 1);
  for (const Fix& fix : fixes) {
    const bool waits = fix.text.starts_with("wait for receipt");  // each goes in his own time
    RC_ASSERT((waits ? tiny.starts_by(fix.at) : tiny.starts_after(fix.commands, fix.at)));
    RC_ASSERT(fix.at == 1 || fix.by == FixBy::kTime);
    RC_CLASSIFY(fix.taken != nullptr, "takes from others");
    if (fix.taken != nullptr) RC_ASSERT(!fix.taken->victims.empty());
    if (!fix.commands.empty() && std::holds_alternative<SetPolicy>(fix.commands.front().body)) {
      RC_CLASSIFY(true, "lifts a limit");
    }
  }
  RC_CLASSIFY(tiny.has_receipt(), "has a receipt");
  // Nothing else is offered to whom room is coming. Of a receipt that its quota will not admit, as
  // others of its queue have been promised room meanwhile, nobody may say that it only has to wait.
  const bool room_comes = tiny.has_receipt() && tiny.starts_by(tiny.last_deadline());
  RC_CLASSIFY(tiny.has_receipt() && !room_comes, "has a receipt in vain");
  if (room_comes) {
    RC_ASSERT(fixes.size() == 1U);
    RC_ASSERT(fixes.front().by == FixBy::kTime);
    const std::string receipt = std::to_string(tiny.asked().receipt.value());
    RC_ASSERT(fixes.front().text == "wait for receipt " + receipt);
  }
  RC_ASSERT(tiny.state().hash() == before);
}

// Those of an operator that take least are offered, so that others may be in the place of it.
RC_GTEST_PROP(Fixes, ARightIsNamedWheneverOneMoreTakesRoomBack, (std::uint64_t seed)) {
  PolicySpec policy = random_reclaim(seed);
  const Tiny tiny(seed, policy, true);
  const bool room_comes = tiny.has_receipt() || tiny.starts_after({}, 1);
  if (!tiny.waits() || room_comes) RC_DISCARD("room comes");
  std::vector<Command> helpful;
  for (std::size_t r = 0; r < words_of<ReclaimRight>().size(); ++r) {
    const auto right = static_cast<ReclaimRight>(r);
    const auto& named = policy.reclaim;
    if (std::find(named.begin(), named.end(), right) != named.end()) continue;
    PolicySpec more = policy;
    more.reclaim.push_back(right);
    const Command command{SetPolicy{more, {}}, {}, {}};
    if (tiny.starts_after({command}, 1)) helpful.push_back(command);
  }
  RC_CLASSIFY(!helpful.empty(), "one more right helps");
  const std::vector<Fix> fixes = find_fixes(tiny.engine(), tiny.asked().id, 1);
  if (!helpful.empty()) {
    const auto by_operator = std::count_if(
        fixes.begin(), fixes.end(), [](const Fix& fix) { return fix.by == FixBy::kOperator; });
    const bool names = std::any_of(fixes.begin(), fixes.end(), [](const Fix& fix) {
      return fix.text.find("policy reclaim: [") != std::string::npos;
    });
    RC_ASSERT(names || by_operator == static_cast<std::int64_t>(kMostOperatorFixes));
    RC_CLASSIFY(names, "a right is named");
  }
}

RC_GTEST_PROP(Fixes, OneOfEachKindIsOfferedWheneverOneChangeHelps, (std::uint64_t seed)) {
  const Tiny tiny(seed);
  if (!tiny.waits()) RC_DISCARD("it fits");
  const std::vector<Fix> fixes = find_fixes(tiny.engine(), tiny.asked().id, 1);
  Changes changes(tiny);
  const auto check = [&](FixBy by, const char* name) {
    const auto same = [&](const Fix& fix) { return fix.by == by; };
    const bool helps = changes.help(by);
    RC_CLASSIFY(helps, name);
    if (helps && std::none_of(fixes.begin(), fixes.end(), same)) {
      RC_FAIL(std::string("no fix by ") + name);
    }
  };
  check(FixBy::kOwner, "its owner's word");
  check(FixBy::kTime, "time");
  check(FixBy::kRequest, "its request");
  check(FixBy::kOperator, "an operator");
}

}  // namespace
}  // namespace berth::engine
