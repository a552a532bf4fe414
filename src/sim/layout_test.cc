// Cards of the static MIG regime follow the work that waits, in a simulation: with and without
// failures of the change itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "sim/testing.h"

namespace berth::sim {
namespace {

namespace t = berth::testing;

SimJob instance(const std::string& name, const std::string& profile, TimeMs at, DurationMs run_ms) {
  JobSpec spec = t::job("q", t::mig(profile));
  return {at, name, std::make_shared<const JobSpec>(std::move(spec)), run_ms};
}

// Small work for an hour, then large work that the fleet has no instance for.
SimInput shift(std::uint32_t max_cards) {
  std::vector<SimJob> jobs;
  for (int i = 0; i < 28; ++i) {
    jobs.push_back(instance("small" + std::to_string(i), "1g.10gb", 0, 30 * kMinuteMs));
  }
  for (int i = 0; i < 8; ++i) {
    jobs.push_back(instance("large" + std::to_string(i), "3g.40gb", kHourMs, kHourMs));
  }
  SimInput input = testing::quiet_input(0, std::move(jobs));
  input.models = {t::grid_model("grid")};
  for (int n = 0; n < 2; ++n) {
    NodeSpec node = t::node("n" + std::to_string(n), "grid", 2);
    for (CardSpec& card : node.cards) {
      card.mig = MigRegime::kStatic;
      for (std::uint32_t slot = 0; slot < 7; ++slot) card.layout.push_back({"1g.10gb", slot});
    }
    node.domains = {{"leaf", "l"}};
    input.nodes.push_back(std::move(node));
  }
  input.policy.regeometry.max_cards = max_cards;
  input.policy.regeometry.dwell_ms = 2 * kHourMs;
  input.settings.executor.layout = between(20 * kSecondMs, 40 * kSecondMs);
  return input;
}

std::int64_t count(const testing::Played& played, RegeometryStage stage) {
  return std::count_if(played.events.begin(), played.events.end(), [&](const Event& event) {
    const auto* step = std::get_if<RegeometryAdvanced>(&event.body);
    return step != nullptr && step->stage == stage;
  });
}

TEST(SimulatedLayouts, FollowTheWorkThatWaits) {
  const testing::Played played = testing::play(shift(4));
  EXPECT_EQ(played.result.jobs.finished, 36);
  EXPECT_EQ(played.result.layouts_changed, 4);
  std::int64_t before = 0;
  std::int64_t after = 0;
  for (const LayoutUse& use : played.result.layouts) {
    before += use.cards_before;
    after += use.cards_after;
    const bool is_old = use.pieces.size() == 7;
    EXPECT_EQ(use.cards_before, is_old ? 4 : 0);
    EXPECT_EQ(use.cards_after == 0, is_old);
  }
  EXPECT_EQ(before, 4);
  EXPECT_EQ(after, 4);
  ASSERT_EQ(played.result.layout_changes.size(), 4U);
  EXPECT_EQ(played.result.layout_changes[0].before, "1g.10gb@[0-6]");
  EXPECT_NE(played.result.layout_changes[0].after, "1g.10gb@[0-6]");
  EXPECT_GE(played.result.layout_changes[0].took_ms, 20 * kSecondMs);
  EXPECT_EQ(played.result.layouts_rolled_back, 0);
}

TEST(SimulatedLayouts, StayAsTheyAreByDefault) {
  const testing::Played played = testing::play(shift(0));
  EXPECT_EQ(played.result.jobs.finished, 28);
  EXPECT_EQ(played.result.layouts_changed, 0);
}

// A step that fails half-way is undone, and no card is left without instances.
TEST(SimulatedLayouts, ComeThroughFailures) {
  SimInput input = shift(4);
  input.settings.executor.layout_failure_ppm = 400'000;
  input.policy.regeometry.dwell_ms = 2 * kHourMs;
  const testing::Played played = testing::play(std::move(input));
  EXPECT_GT(count(played, RegeometryStage::kRestoring), 0);
  EXPECT_GT(played.result.layouts_rolled_back, 0);
  EXPECT_EQ(count(played, RegeometryStage::kPlanned),
            played.result.layouts_changed + played.result.layouts_rolled_back);
  EXPECT_EQ(played.result.jobs.finished, 36);
}

}  // namespace
}  // namespace berth::sim
