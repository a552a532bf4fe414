// Moves that make room for an instance: who moves, what it costs, and what stays untouched.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/rng.h"
#include "engine/cycle/engine.h"
#include "engine/state/invariants.h"
#include "model/testing.h"

namespace berth::engine {
namespace {

namespace t = berth::testing;

constexpr const char* kProfiles[] = {"1g.10gb", "1g.20gb", "2g.20gb",
                                     "3g.40gb", "4g.40gb", "7g.80gb"};

// Jobs of one instance on single-card nodes, under a policy that may move them.
class Fleet {
 public:
  Fleet(std::size_t nodes, Ppm migration_ppm) {
    run({DeclareModel{t::grid_model("grid")}, {}, {}});
    run({DeclareQueue{t::queue("all")}, {}, {}});
    PolicySpec policy;
    policy.migration_ppm = migration_ppm;
    run({SetPolicy{policy, {}}, {}, {}});
    for (std::size_t n = 0; n < nodes; ++n) {
      run({JoinNode{t::mig_node("n" + std::to_string(n), "grid", 1)}, {}, {}});
    }
  }

  JobId submit(const std::string& profile) {
    JobSpec spec = t::job("all", t::mig(profile));
    spec.checkpoint.method = movable_ ? CheckpointMethod::kSignal : CheckpointMethod::kNone;
    spec.job_class = JobClass::kTraining;
    const JobId job = state().next_job();
    run(t::submit("j" + std::to_string(job.value()), std::move(spec)));
    return job;
  }
  // Submitted, placed at once and started.
  JobId start(const std::string& profile) {
    const JobId job = submit(profile);
    last_ = engine_.place_at_once(job, now_);
    apply(last_);
    prepare(job);
    return job;
  }
  void prepare(JobId job) {
    const auto leases = state().find_job(job)->leases;
    if (!leases.empty()) run({ReportPrepared{leases.front(), 1}, {}, {}});
  }
  void end(JobId job) {
    run({ReportEnded{state().find_job(job)->leases.front(), 1, EndReason::kSucceeded}, {}, {}});
  }
  void cycle() { apply(last_ = engine_.commit(engine_.plan(now_), now_).events); }

  // The start of the job's instance, or -1 while it waits.
  int start_of(JobId job) const {
    const auto& leases = state().find_job(job)->leases;
    if (leases.empty()) return -1;
    const MigGeometry& grid = *state().model(state().find_model("grid")).mig;
    const CardGrant& grant = state().find_lease(leases.front())->placement.grants.front();
    return grid.placement(MigPlacementIndex(grant.placement)).start;
  }
  std::size_t moves_in_last_batch() const {
    return static_cast<std::size_t>(std::count_if(last_.begin(), last_.end(), [](const Event& e) {
      return std::holds_alternative<LeaseMoved>(e.body);
    }));
  }
  void make_unmovable() { movable_ = false; }
  const ClusterState& state() const { return engine_.state(); }
  Engine& engine() { return engine_; }

 private:
  void run(const Command& command) {
    ++now_;
    auto events = engine_.decide(command, now_);
    ASSERT_TRUE(events.has_value()) << events.error().to_text();
    apply(*events);
  }
  void apply(const EventBatch& events) {
    for (const Event& event : events) engine_.apply(event);
  }

  Engine engine_;
  EventBatch last_;
  TimeMs now_ = 0;
  bool movable_ = true;
};

// Seven 1g on a card; those at 2, 3, 4 and 6 end: a 3g has room enough and no place.
JobId scattered(Fleet& fleet) {
  std::vector<JobId> jobs;
  for (int i = 0; i < 7; ++i) jobs.push_back(fleet.start("1g.10gb"));
  JobId at_five;
  for (const JobId job : jobs) {
    const int start = fleet.start_of(job);
    if (start == 5) at_five = job;
    if (start == 2 || start == 3 || start == 4 || start == 6) fleet.end(job);
  }
  return at_five;
}

TEST(Repack, OneMoveMakesRoomForTheLargeInstance) {
  Fleet fleet(1, kPpmOne);
  const JobId in_the_way = scattered(fleet);
  const Ppm saved = fleet.state().totals().move_credit;
  const JobId job = fleet.start("3g.40gb");
  EXPECT_EQ(fleet.start_of(job), 4);
  EXPECT_EQ(fleet.moves_in_last_batch(), 1U);
  const int moved_to = fleet.start_of(in_the_way);
  EXPECT_TRUE(moved_to == 2 || moved_to == 3);
  EXPECT_EQ(fleet.state().totals().moved, 1U);
  EXPECT_EQ(fleet.state().totals().move_credit, saved);  // one spent, one earned
  EXPECT_TRUE(broken_invariants(fleet.state()).empty());
}

TEST(Repack, TheCycleMovesToo) {
  Fleet fleet(1, kPpmOne);
  scattered(fleet);
  const JobId job = fleet.submit("3g.40gb");
  fleet.cycle();
  EXPECT_EQ(fleet.start_of(job), 4);
  EXPECT_EQ(fleet.moves_in_last_batch(), 1U);
  EXPECT_TRUE(broken_invariants(fleet.state()).empty());
}

TEST(Repack, NothingMovesWithoutLeaveOrMeans) {
  Fleet forbidden(1, 0);
  scattered(forbidden);
  EXPECT_EQ(forbidden.start_of(forbidden.start("3g.40gb")), -1);

  Fleet poor(1, 10'000);  // seven jobs have not earned one move
  scattered(poor);
  EXPECT_EQ(poor.start_of(poor.start("3g.40gb")), -1);

  Fleet fixed(1, kPpmOne);  // nobody says how to move
  fixed.make_unmovable();
  scattered(fixed);
  EXPECT_EQ(fixed.start_of(fixed.start("3g.40gb")), -1);
  EXPECT_EQ(fixed.state().totals().moved, 0U);
}

TEST(Repack, NeverMovesForAJobThatFits) {
  Fleet fleet(2, kPpmOne);
  scattered(fleet);
  EXPECT_EQ(fleet.start_of(fleet.start("3g.40gb")), 4);
  EXPECT_EQ(fleet.moves_in_last_batch(), 0U);
}

TEST(Repack, PriceOfAMoveFollowsTheBank) {
  EXPECT_FALSE(moves_allowed(kPpmOne - 1, 1, 8, 8));  // not one whole move
  EXPECT_FALSE(moves_allowed(2 * kPpmOne, 1, 1, 8));  // nearly empty: small asks wait
  EXPECT_TRUE(moves_allowed(2 * kPpmOne, 1, 4, 8));
  EXPECT_FALSE(moves_allowed(2 * kPpmOne, 2, 4, 8));     // two moves must bring twice as much
  EXPECT_TRUE(moves_allowed(kMostMoveCredit, 2, 1, 8));  // full: anything
}

// Random work on a few cards, moves at every chance.
RC_GTEST_PROP(RepackProperty, MovesKeepTheRules, (std::uint64_t seed)) {
  Rng rng(seed);
  Fleet fleet(3, 400'000);
  std::vector<JobId> running;
  for (int i = 0; i < 150; ++i) {
    if (!running.empty() && rng.below(5) < 2) {
      const std::size_t at = rng.below(running.size());
      fleet.end(running[at]);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(at));
      continue;
    }
    const JobId job = fleet.submit(kProfiles[rng.below(std::size(kProfiles))]);
    if (rng.below(2) == 0) {
      const std::string submitted = fleet.state().save();
      const EventBatch events = fleet.engine().place_at_once(job, 1'000'000);
      RC_ASSERT(fleet.state().save() == submitted);  // deciding changes nothing
      // A batch replayed on a copy ends in the same state.
      ClusterState copy = std::move(*ClusterState::load(submitted));
      for (const Event& event : events) copy.apply(event);
      RC_ASSERT(broken_invariants(copy).empty());
    }
    fleet.cycle();
    RC_ASSERT(fleet.state().totals().move_credit >= 0);
    RC_ASSERT(fleet.state().totals().move_credit <= kMostMoveCredit);
    RC_ASSERT(broken_invariants(fleet.state()).empty());
    for (const LeaseId id : fleet.state().leases().sorted_ids()) {
      const Lease& lease = fleet.state().leases().at(id);
      if (lease.state == LeaseState::kGranted) {
        fleet.prepare(lease.job);
        running.push_back(lease.job);
      }
    }
  }
  RC_ASSERT(fleet.state().totals().moved * kPpmOne <= 400'000 * fleet.state().totals().granted);
}

RC_GTEST_PROP(RepackProperty, FewMovesAndOnlyForWhoFitsNowhere, (std::uint64_t seed)) {
  Rng rng(seed);
  Fleet fleet(4, kPpmOne);
  std::vector<JobId> running;
  for (int i = 0; i < 120; ++i) {
    if (!running.empty() && rng.below(5) < 2) {
      const std::size_t at = rng.below(running.size());
      fleet.end(running[at]);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(at));
      continue;
    }
    const std::string profile = kProfiles[rng.below(std::size(kProfiles))];
    const JobId probe = fleet.submit(profile);
    const ShapeIndex shape = fleet.state().spec_of(*fleet.state().find_job(probe)).shapes.front();
    const bool fits = Placer().find(fleet.state(), shape).has_value();
    const JobId job = fleet.start(profile);
    const std::size_t moves = fleet.moves_in_last_batch();
    RC_ASSERT(moves <= static_cast<std::size_t>(kMostMoves));
    RC_ASSERT(!fits || moves == 0U);
    RC_ASSERT(broken_invariants(fleet.state()).empty());
    if (fleet.start_of(job) >= 0) running.push_back(job);
  }
}

}  // namespace
}  // namespace berth::engine
