// What a cycle promises to queues: nobody takes more than its guarantee while a job that stays
// within its own is refused room, and an elastic job is never planned larger than its queue may
// have.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "engine/cycle/engine.h"
#include "model/testing.h"

namespace berth::engine {
namespace {

namespace t = berth::testing;

constexpr int kNodes = 3;
constexpr std::uint32_t kCardsPerNode = 4;  // as many as there are queues

// Four queues whose guarantees never exceed the fleet. Tasks take one card, so that whoever may
// have cards finds them.
class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) {
    run(DeclareModel{t::plain_model("plain", 40'000)});
    for (int n = 0; n < kNodes; ++n) {
      run(JoinNode{t::node("n" + std::to_string(n), "plain", kCardsPerNode)});
    }
    for (int q = 0; q < 4; ++q) declare(q);
  }

  void submit() {
    const auto tasks = static_cast<std::uint32_t>(1 + random_.below(6));
    JobSpec spec = t::job("q" + std::to_string(random_.below(4)), t::whole(1), tasks);
    if (random_.below(3) == 0) {
      spec.roles[0].elastic = true;
      spec.roles[0].min = static_cast<std::uint32_t>(1 + random_.below(tasks));
    }
    if (random_.below(5) == 0) spec.is_protected = true;
    run(SubmitJob{"j" + std::to_string(++submitted_), std::make_shared<const JobSpec>(spec)});
  }

  void end_one() {
    std::vector<JobId> running;
    for (const JobId id : engine_.state().jobs().sorted_ids()) {
      if (engine_.state().find_job(id)->phase != JobPhase::kPending) running.push_back(id);
    }
    if (running.empty()) return;
    const JobRecord& job = *engine_.state().find_job(running[random_.below(running.size())]);
    const auto leases = job.leases;
    for (const LeaseId id : leases) run(ReportEnded{id, job.attempts + 1, EndReason::kSucceeded});
  }

  void cycle() {
    const Plan plan = engine_.plan(now_);
    const Commitment commitment = engine_.commit(plan, now_);
    RC_ASSERT(commitment.lost == 0U);
    const bool borrowed = takes_borrowed(plan);
    for (const Event& event : commitment.events) engine_.apply(event);
    for (const LeaseId id : engine_.state().leases().sorted_ids()) {
      run(ReportPrepared{id, engine_.state().leases().at(id).epoch});
    }
    if (borrowed) check_nobody_is_owed(plan);
  }

 private:
  void run(CommandBody body) {
    const auto events = engine_.decide({std::move(body), {}, {}}, now_);
    if (!events) return;  // what is refused does not happen
    for (const Event& event : *events) engine_.apply(event);
  }

  void declare(int q) {
    QueueSpec spec = t::queue("q" + std::to_string(q));
    FlavourQuota quota;
    quota.guarantee = static_cast<CardUnits>(random_.below(kNodes + 1)) * kCard;
    if (random_.below(2) == 0) {
      quota.limit = quota.guarantee + static_cast<CardUnits>(random_.below(6)) * kCard;
    }
    spec.quotas.push_back(quota);
    run(DeclareQueue{spec});
  }

  static bool takes_borrowed(const Plan& plan) {
    for (const Decision& decision : plan.decisions) {
      const auto* place = std::get_if<Place>(&decision);
      if (place != nullptr && place->ownership == LeaseOwnership::kBorrowed) return true;
    }
    return false;
  }

  // Had nothing been borrowed in this cycle, would a job within its guarantee that still waits have
  // found room? Every queue's first job by submission is asked: those behind it wait their turn.
  void check_nobody_is_owed(const Plan& plan) {
    const Engine without = engine_without_borrowed(plan);
    std::map<QueueIndex, JobId> first;
    for (const JobId id : without.state().pending().sorted_ids()) {
      const JobRecord& job = *without.state().find_job(id);
      first.emplace(without.state().spec_of(job).home.queue, id);
    }
    for (const auto& [queue, id] : first) {
      const JobRecord* still = engine_.state().find_job(id);
      if (still == nullptr || still->phase != JobPhase::kPending) continue;
      RC_ASSERT(!starts_owned(engine_without_borrowed(plan), id));
    }
  }

  // Whether the job would start within its queue's guarantee if it were the only one that waits.
  bool starts_owned(Engine engine, JobId id) const {
    for (const JobId other : engine.state().pending().sorted_ids()) {
      if (other == id) continue;
      const std::string name = engine.state().find_job(other)->name;
      const auto events = engine.decide({CancelJob{name}, {}, {}}, now_);
      RC_ASSERT(events.has_value());
      for (const Event& event : *events) engine.apply(event);
    }
    for (const Decision& decision : engine.plan(now_).decisions) {
      const auto* place = std::get_if<Place>(&decision);
      if (place == nullptr || place->job != id) continue;
      return place->ownership == LeaseOwnership::kOwned;
    }
    return false;
  }

  // The state as the cycle found it, with all that it placed within guarantees.
  Engine engine_without_borrowed(const Plan& plan) {
    Plan owned = plan;
    std::erase_if(owned.decisions, [](const Decision& decision) {
      const auto* place = std::get_if<Place>(&decision);
      return place != nullptr && place->ownership == LeaseOwnership::kBorrowed;
    });
    auto loaded = ClusterState::load(before_);
    RC_ASSERT(loaded.has_value());
    Engine engine(std::move(*loaded));
    for (const Event& event : engine.commit(owned, now_).events) engine.apply(event);
    return engine;
  }

 public:
  void remember() { before_ = engine_.state().save(); }

 private:
  Rng random_;
  Engine engine_;
  std::string before_;
  TimeMs now_ = 1;
  int submitted_ = 0;
};

RC_GTEST_PROP(CycleGuaranteeProperty, NothingIsBorrowedWhileAnOwnerIsRefusedRoom,
              (std::uint64_t seed)) {
  World world(seed);
  for (int i = 0; i < 20; ++i) {
    for (int n = 0; n < 3; ++n) world.submit();
    if (i % 2 == 1) world.end_one();
    world.remember();
    world.cycle();
  }
}

}  // namespace
}  // namespace berth::engine
