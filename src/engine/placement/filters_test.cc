// The table of filters: each row refuses by itself, and the searches, `explain` and the gauge all
// say what the table says.
#include "engine/placement/filters.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

#include "engine/cycle/explain.h"
#include "engine/engine_testing.h"
#include "engine/placement/fragmentation.h"
#include "engine/placement/placer.h"
#include "engine/placement/scan.h"
#include "engine/placement/worth_scan.h"
#include "model/testing.h"

namespace berth::engine {
namespace {

namespace t = berth::testing;

// One node, and a job of two cards that it would serve but for what a case changes.
struct Case {
  Rule rule;
  std::function<void(NodeSpec&)> node = [](NodeSpec&) {};
  std::function<void(JobSpec&)> job = [](JobSpec&) {};
  NodeCondition condition = NodeCondition::kReady;
  std::optional<StrandedBy> cause = std::nullopt;  // of the gauge; none: the node is not counted
};

std::vector<Case> cases() {
  const auto nothing = [](auto&) {};
  const auto main = [](JobSpec& job) -> Container& { return job.roles[0].containers[0]; };
  return {
      {Rule::kPartition, [](NodeSpec& n) { n.partition = "other"; }, nothing, {}, std::nullopt},
      {Rule::kModel,
       nothing,
       [=](JobSpec& j) { main(j).devices.models = {"second"}; },
       {},
       StrandedBy::kModel},
      {Rule::kSelector,
       nothing,
       [=](JobSpec& j) {
         main(j).devices.selector = "device.attributes['berth'].model == 'second'";
       },
       {},
       StrandedBy::kModel},
      {Rule::kNodeState, nothing, nothing, NodeCondition::kCordoned, StrandedBy::kNodeState},
      {Rule::kReserved, nothing, nothing, {}, StrandedBy::kNodeState},
      {Rule::kCpu,
       nothing,
       [=](JobSpec& j) { main(j).cpu_milli = 65'000; },
       {},
       StrandedBy::kNodeCpu},
      {Rule::kHostMemory,
       nothing,
       [=](JobSpec& j) { main(j).memory_mib = 600 * 1024; },
       {},
       StrandedBy::kNodeMemory},
      {Rule::kCountable,
       nothing,
       [=](JobSpec& j) {
         main(j).resources = {{"disk", 11}};
       },
       {},
       StrandedBy::kNodeResource},
      {Rule::kCards,
       nothing,
       [=](JobSpec& j) { main(j).devices.count = 3; },
       {},
       StrandedBy::kTooFewCards},
  };
}

class World : public testing::StillEngine {
 public:
  explicit World(const Case& c) {
    run(DeclareModel{t::plain_model("first", 40'000)});
    run(DeclareModel{t::plain_model("second", 40'000)});
    for (const char* name : {"own", "other"}) {
      PartitionSpec partition;
      partition.name = name;
      run(DeclarePartition{partition});
    }
    run(DeclareQueue{t::queue("q")});
    NodeSpec node = t::node("n1", "first", 2);
    node.partition = "own";
    node.resources = {{"disk", 10}};
    c.node(node);
    run(JoinNode{node});
    if (c.condition != NodeCondition::kReady) run(SetNodeCondition{"n1", c.condition});
    JobSpec job = t::job("q", t::whole(2));
    job.partition = "own";
    c.job(job);
    run(t::submit("j", job).body);
    if (c.rule != Rule::kReserved) return;
    const Reserve kept{state().find_job("j")->id, {NodeIndex(0)}, 0, kNever};
    engine_.apply({0, JobReserved{std::make_shared<const Reserve>(kept)}});
  }

  ShapeIndex shape() const { return state().spec_of(*state().find_job("j")).shapes.front(); }
};

bool found_by_every_search(const ClusterState& state, ShapeIndex shape) {
  PolicySpec scored;
  scored.scores = {{"bestfit", 1}};
  const bool scan = ScanMethod(scored).find(state, shape).has_value();
  const bool worth = WorthScan(state).find(state, shape).has_value();
  const bool indexed = Placer().find(state, shape).has_value();
  EXPECT_EQ(scan, worth);
  EXPECT_EQ(scan, indexed);
  return scan;
}

TEST(Filters, ANodeThatPassesAllIsPlacedOn) {
  const World world(Case{Rule::kNoNode});
  const ClusterState& state = world.state();
  EXPECT_TRUE(serves(state, state.node(NodeIndex(0)), state.shapes().at(world.shape())));
  EXPECT_TRUE(found_by_every_search(state, world.shape()));
  EXPECT_TRUE(explain(state, world.shape()).empty());
  EXPECT_EQ(gauge_of(state, world.shape()).stranded.compute, 0);
}

TEST(Filters, EachRowRefusesAloneAndAllTellTheSame) {
  std::set<Rule> covered;
  for (const Case& c : cases()) {
    SCOPED_TRACE(std::string(word(c.rule)));
    covered.insert(c.rule);
    const World world(c);
    const ClusterState& state = world.state();
    const Shape& shape = state.shapes().at(world.shape());
    const NodeFilter* refusal = first_refusal(state, state.node(NodeIndex(0)), shape);
    ASSERT_NE(refusal, nullptr);
    EXPECT_EQ(refusal->rule, c.rule);
    EXPECT_FALSE(found_by_every_search(state, world.shape()));
    const Rejections reasons = explain(state, world.shape());
    ASSERT_FALSE(reasons.empty());
    EXPECT_EQ(reasons.back().rule, c.rule);
    const FragmentationGauge gauge = gauge_of(state, world.shape());
    const CardUnits expected = c.cause ? 2 * kCard : 0;
    EXPECT_EQ(gauge.free.compute, expected);
    EXPECT_EQ(gauge.stranded.compute, expected);
    if (c.cause) {
      EXPECT_EQ(gauge.of(*c.cause).compute, expected);
    }
  }
  for (const NodeFilter& filter : kNodeFilters) EXPECT_TRUE(covered.contains(filter.rule));
}

TEST(Filters, NamesAreTheWordsOfTheirRules) {
  for (const NodeFilter& filter : kNodeFilters) EXPECT_EQ(filter.name, word(filter.rule));
}

}  // namespace
}  // namespace berth::engine
