// A move reaches the executor after it is in the journal, under the lease and epoch that it had.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "control/testing.h"
#include "model/testing.h"

namespace berth::control {
namespace {

namespace t = berth::testing;

class MovingExecutor final : public Executor {
 public:
  void prepare(const Lease& lease, const JobSpec& /*spec*/) override { granted.push_back(lease); }
  void start(const Lease& /*lease*/, const JobSpec& /*spec*/) override {}
  void revoke(const Lease& /*lease*/, ReclaimGrade /*grade*/) override {}
  void change_layout(const LayoutAsk& /*ask*/) override {}
  void move(const Lease& lease, const JobSpec& /*spec*/) override { moved.push_back(lease); }

  std::vector<Lease> granted;
  std::vector<Lease> moved;
};

TEST(ControllerMoves, TheExecutorCarriesTheTaskOver) {
  testing::ManualClock clock;
  testing::CountingMetrics metrics;
  testing::EventJournal journal;
  testing::NoLearner learner;
  MovingExecutor executor;
  ControllerOptions options;
  options.fast_path = FastPath::kEveryClass;
  Controller controller({journal, executor, clock, metrics, learner}, options);
  const auto run = [&](const Command& command) {
    const auto reply = controller.execute(command);
    ASSERT_TRUE(reply.has_value()) << reply.error().to_text();
  };
  run({DeclareModel{t::grid_model("grid")}, {}, {}});
  run({DeclareQueue{t::queue("all")}, {}, {}});
  PolicySpec policy;
  policy.migration_ppm = kPpmOne;
  run({SetPolicy{policy, {}}, {}, {}});
  run({JoinNode{t::mig_node("n0", "grid", 1)}, {}, {}});
  const auto submit = [&](const std::string& name, const std::string& profile) {
    JobSpec spec = t::job("all", t::mig(profile));
    spec.checkpoint.method = CheckpointMethod::kSignal;
    run(t::submit(name, std::move(spec)));
  };
  // Seven small ones; all but those at slots 0, 1 and 5 end.
  for (int i = 0; i < 7; ++i) {
    submit("small" + std::to_string(i), "1g.10gb");
    run({ReportPrepared{executor.granted.back().id, 1}, {}, {}});
  }
  for (const Lease& lease : std::vector<Lease>(executor.granted)) {
    const int start = lease.placement.grants.front().placement;  // 1g is the first profile
    if (start == 0 || start == 1 || start == 5) continue;
    run({ReportEnded{lease.id, lease.epoch, EndReason::kSucceeded}, {}, {}});
  }
  submit("large", "3g.40gb");
  ASSERT_EQ(executor.moved.size(), 1U);
  EXPECT_EQ(executor.granted.size(), 8U);
  EXPECT_EQ(metrics.counts["lease-moved"], 1U);
  const Lease& moved = executor.moved.front();
  EXPECT_EQ(moved, *controller.state().find_lease(moved.id));
  EXPECT_EQ(moved.epoch, 1U);
  EXPECT_EQ(moved.state, LeaseState::kRunning);
  EXPECT_LT(moved.placement.grants.front().placement, 4);

  Controller successor({journal, executor, clock, metrics, learner}, options);
  ASSERT_TRUE(successor.recover().has_value());
  EXPECT_EQ(successor.state().hash(), controller.state().hash());
}

}  // namespace
}  // namespace berth::control
