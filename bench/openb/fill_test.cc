#include "bench/openb/fill.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace berth::bench::openb {
namespace {

const Contestant& contestant(std::string_view name) {
  for (const Contestant& c : contestants()) {
    if (c.name == name) return c;
  }
  ADD_FAILURE() << "no policy " << name;
  return contestants().front();
}

// Thirteen pods of a fifth of a card, so that 10 % of a fleet of two cards arrive at a time.
std::vector<Pod> thirteen(const PodShape& shape) {
  std::vector<Pod> pods;
  for (int i = 0; i < 13; ++i) pods.push_back({"p" + std::to_string(i), shape, 0, {}});
  return pods;
}

std::vector<std::uint32_t> all_in_order(const std::vector<Pod>& pods) {
  std::vector<std::uint32_t> order(pods.size());
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

const std::vector<Node> kTwoCards = {{"n0", 64'000, 1024, 2, "T4"}};

TEST(Fill, EveryPolicyPlacesWhateverFits) {
  // 64 cores serve six pods of ten; two fifths of the cards stay idle, and with 4 cores left no
  // typical pod can use them
  const FillInput input = prepare(kTwoCards, thirteen({10'000, 1, 200, {}}));
  for (const Contestant& c : contestants()) {
    const auto run = fill(input, c, all_in_order(input.pods));
    ASSERT_TRUE(run.has_value()) << c.name << ": " << run.error();
    EXPECT_EQ(run->placed, 6U) << c.name;
    EXPECT_EQ(run->refused, 7U) << c.name;
    EXPECT_DOUBLE_EQ(run->alloc_pct_at_100, 60) << c.name;
    EXPECT_DOUBLE_EQ(run->alloc_pct_at_130, 60) << c.name;
    EXPECT_DOUBLE_EQ(run->frag_pct_at_100, 40) << c.name;
  }
}

TEST(Fill, ModelsAndMemoryAreObeyed) {
  std::vector<Pod> pods = thirteen({0, 1, 200, {"V100M16"}});
  pods[3].shape.gpu_models = {"T4", "V100M16"};
  pods[4].shape.gpu_models = {};
  pods[5].shape.gpu_models = {};
  pods[5].memory_mib = 1025;
  const FillInput input = prepare(kTwoCards, pods);
  for (const Contestant& c : contestants()) {
    const auto run = fill(input, c, all_in_order(input.pods));
    ASSERT_TRUE(run.has_value()) << c.name << ": " << run.error();
    EXPECT_EQ(run->placed, 2U) << c.name;
    EXPECT_DOUBLE_EQ(run->alloc_pct_at_130, 20) << c.name;
  }
}

TEST(Fill, TheSameArrivalsGiveTheSameRun) {
  const std::vector<Node> nodes = {{"a", 64'000, 1024, 1, "T4"}, {"b", 64'000, 1024, 1, "T4"}};
  const FillInput input = prepare(nodes, thirteen({1000, 1, 200, {}}));
  const auto first = fill(input, contestant("random"), all_in_order(input.pods));
  const auto second = fill(input, contestant("random"), all_in_order(input.pods));
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_EQ(first->alloc_pct_at_100, second->alloc_pct_at_100);
  EXPECT_EQ(first->frag_pct_at_100, second->frag_pct_at_100);
}

}  // namespace
}  // namespace berth::bench::openb
