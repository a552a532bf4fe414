#include "bench/drive/engine_drive.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "control/learner.h"
#include "model/gpu_model.h"

namespace berth::bench {
namespace {

JobSpecPtr job_of(std::uint32_t tasks) {
  auto spec = std::make_shared<JobSpec>();
  spec->queue = "all";
  Container container;
  container.name = "main";
  container.devices.count = 4;
  Role role;
  role.count = tasks;
  role.containers.push_back(std::move(container));
  spec->roles.push_back(std::move(role));
  return spec;
}

class EngineDriveTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(drive.declare(DeclareModel{nominal_model("card", "x", "y", 1024)}));
    QueueSpec queue;
    queue.name = "all";
    ASSERT_TRUE(drive.declare(DeclareQueue{queue}));
    for (const char* name : {"n1", "n2"}) {
      NodeSpec node;
      node.name = name;
      node.model = "card";
      node.cards.resize(4);
      ASSERT_TRUE(drive.declare(JoinNode{node}));
    }
  }

  control::FitLearner learner;
  EngineDrive drive{learner};
};

TEST_F(EngineDriveTest, StartsWhatFitsAndTheRestWhenRoomIsGivenBack) {
  ASSERT_TRUE(drive.submit(0, std::vector{job_of(2), job_of(1)}));
  auto grants = drive.cycle(0);
  ASSERT_TRUE(grants.has_value());
  ASSERT_EQ(grants->size(), 1U);
  EXPECT_EQ(grants->front().job, 0U);
  EXPECT_EQ(grants->front().nodes.size(), 2U);
  grants = drive.cycle(5);
  ASSERT_TRUE(grants.has_value());
  EXPECT_TRUE(grants->empty());
  ASSERT_TRUE(drive.end(10, std::vector<std::size_t>{0}));
  grants = drive.cycle(10);
  ASSERT_TRUE(grants.has_value());
  ASSERT_EQ(grants->size(), 1U);
  EXPECT_EQ(grants->front().job, 1U);
  EXPECT_EQ(drive.cost().cycles, 3U);
  EXPECT_GT(drive.cost().plan_s, 0);
}

TEST_F(EngineDriveTest, PassesTheEnginesErrorsOn) {
  auto nobodys = std::make_shared<JobSpec>(*job_of(1));
  nobodys->queue = "absent";
  EXPECT_FALSE(drive.submit(0, std::vector<JobSpecPtr>{nobodys}).has_value());
}

}  // namespace
}  // namespace berth::bench
