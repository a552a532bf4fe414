// A node is asked for a layout once that is in the journal, and again by a controller that
// recovers.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "control/testing.h"
#include "model/testing.h"

namespace berth::control {
namespace {

namespace t = berth::testing;

TEST(ControllerLayouts, AreAskedForAndAskedForAgain) {
  testing::Fixture fixture;
  const auto run = [&](CommandBody body) {
    const auto reply = fixture.controller.execute({std::move(body), {}, {}});
    ASSERT_TRUE(reply.has_value()) << reply.error().to_text();
  };
  run(DeclareModel{t::grid_model("grid")});
  NodeSpec node = t::node("n", "grid", 1);
  node.cards[0].mig = MigRegime::kStatic;
  node.cards[0].layout = {{"3g.40gb", 0}, {"3g.40gb", 4}};
  run(JoinNode{node});
  const std::vector<MigInstanceSpec> wanted = {{"1g.10gb", 0}, {"3g.40gb", 4}};
  run(ChangeLayout{"n", 0, wanted});
  const std::string ask = "layout 1: 1g.10gb@0 3g.40gb@4";
  EXPECT_EQ(fixture.executor.calls, std::vector<std::string>{ask});

  testing::RecordingExecutor after;
  Controller successor({fixture.journal, after, fixture.clock, fixture.metrics, fixture.learner},
                       {});
  ASSERT_TRUE(successor.recover().has_value());
  EXPECT_EQ(after.calls, std::vector<std::string>{ask});

  // half of it fails: the layout before is asked for
  run(ReportLayout{"n", 0, 1, {{"3g.40gb", 4}}, "no room"});
  EXPECT_EQ(fixture.executor.calls.back(), "layout 2: 3g.40gb@0 3g.40gb@4");
  run(ReportLayout{"n", 0, 2, {{"3g.40gb", 0}, {"3g.40gb", 4}}, {}});
  testing::RecordingExecutor last;
  Controller third({fixture.journal, last, fixture.clock, fixture.metrics, fixture.learner}, {});
  ASSERT_TRUE(third.recover().has_value());
  EXPECT_TRUE(last.calls.empty());
}

}  // namespace
}  // namespace berth::control
