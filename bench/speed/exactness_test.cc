// On the openb default trace, filled and then churned, the indexed search chooses what a look at
// every node state chooses.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "base/rng.h"
#include "bench/common/arguments.h"
#include "bench/speed/driver.h"
#include "engine/placement/worth_method.h"
#include "engine/placement/worth_scan.h"

namespace berth::bench::speed {
namespace {

// Asks both ways about one shape at a time, as often as it is told.
class Comparison {
 public:
  explicit Comparison(const engine::ClusterState& state) : state_(state) {}

  void step(ShapeIndex shape) {
    if (revision_ != state_.fit_revision()) {
      revision_ = state_.fit_revision();
      method_ = std::make_unique<engine::WorthMethod>(state_);
      scan_ = std::make_unique<engine::WorthScan>(state_);
    }
    const auto found = method_->find(state_, shape);
    const auto expected = scan_->find(state_, shape);
    ASSERT_EQ(found.has_value(), expected.has_value());
    if (!found) return;
    ASSERT_EQ(found->cost, expected->cost);
    ASSERT_EQ(found->node, expected->node);
    ASSERT_EQ(found->grants, expected->grants);
  }

 private:
  const engine::ClusterState& state_;
  std::uint64_t revision_ = 0;
  std::unique_ptr<engine::WorthMethod> method_;
  std::unique_ptr<engine::WorthScan> scan_;
};

TEST(Exactness, IndexedSearchChoosesAsTheScanOnOpenb) {
  const std::string folder = (std::filesystem::path(traces_folder()) / "openb").string();
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "the traces are absent";
  const auto workload = openb_workload(folder);
  ASSERT_TRUE(workload.has_value());
  Driver driver(*workload);
  ASSERT_TRUE(driver.declare({"berth", ""}));
  Comparison comparison(driver.state());
  Rng random(5);
  const auto compare = [&] {
    const std::uint64_t shape = random.below(driver.state().shapes().size());
    comparison.step(ShapeIndex(static_cast<std::uint32_t>(shape)));
  };
  for (const std::uint32_t pod : workload->order) {
    driver.arrive(pod);
    if (random.below(8) == 0) compare();
    if (HasFatalFailure()) return;
  }
  for (int i = 0; i < 4000 && !HasFatalFailure(); ++i) {
    driver.depart(random.below(driver.running()));
    driver.arrive(static_cast<std::uint32_t>(random.below(workload->pods.size())));
    if (random.below(4) == 0) compare();
  }
}

TEST(Exactness, ExactPlacementFillsAsTheEngineWhereShapesAreFew) {
  const std::string folder = (std::filesystem::path(traces_folder()) / "openb").string();
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "the traces are absent";
  const auto workload = openb_workload(folder);
  ASSERT_TRUE(workload.has_value());
  Driver engine(*workload);
  Driver exact(*workload);
  ASSERT_TRUE(engine.declare({"berth", ""}));
  ASSERT_TRUE(exact.declare({"berth", "", Search::kExact}));
  for (const std::uint32_t pod : workload->order) {
    ASSERT_EQ(engine.arrive(pod), exact.arrive(pod));
  }
  EXPECT_EQ(engine.state().hash(), exact.state().hash());
}

}  // namespace
}  // namespace berth::bench::speed
