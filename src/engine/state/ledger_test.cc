// What the ledger keeps ends with what it is about, and not before.
#include "engine/state/ledger.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "engine/decide.h"
#include "model/testing.h"

namespace berth::engine {
namespace {

namespace t = berth::testing;

class LedgerOfNodes : public ::testing::Test {
 protected:
  LedgerOfNodes() {
    run(DeclareModel{t::grid_model("grid")});
    run(DeclareTopology{{{"card", "node", "leaf"}, {}}});
    for (const char* name : {"a", "b"}) {
      NodeSpec node = t::node(name, "grid", 1);
      node.cards[0].mig = MigRegime::kStatic;
      node.cards[0].layout = {{"1g.10gb", 0}};
      node.domains = {{"leaf", "l1"}};
      run(JoinNode{node});
    }
  }

  void run(CommandBody body) {
    const auto events = decide(state, {std::move(body), {}, {}}, 0);
    ASSERT_TRUE(events.has_value()) << events.error().to_text();
    for (const Event& event : *events) state.apply(event);
  }

  ClusterState state;
};

TEST_F(LedgerOfNodes, AReadyNodeKeepsItsRegeometryAndIsNotInterrupted) {
  run(NoticeInterruption{"a", 50});
  const Regeometry change{NodeIndex(0), 0, {1}, {0}};
  state.apply({0, RegeometryAdvanced{RegeometryStage::kPlanned,
                                     90,
                                     std::make_shared<const Regeometry>(change),
                                     0,
                                     false,
                                     {},
                                     {}}});
  EXPECT_EQ(state.node(NodeIndex(0)).condition, NodeCondition::kCordoned);
  run(SetNodeCondition{"a", NodeCondition::kReady});
  EXPECT_TRUE(state.ledger().interruptions.empty());
  EXPECT_EQ(state.ledger().regeometries.size(), 1U);
  run(SetNodeCondition{"a", NodeCondition::kRemoved});
  EXPECT_TRUE(state.ledger().regeometries.empty());
}

// An operator's wish for a lost node waits until it is back; that it is back only its agent says.
TEST_F(LedgerOfNodes, ALostNodeComesBackAsItWasOrAsWantedMeanwhile) {
  const auto is = [&] { return state.node(NodeIndex(0)).condition; };
  run(SetNodeCondition{"a", NodeCondition::kCordoned});
  run(SetNodeCondition{"a", NodeCondition::kLost});
  state = *ClusterState::load(state.save());
  run(ReportNodeBack{"a"});
  EXPECT_EQ(is(), NodeCondition::kCordoned);
  run(SetNodeCondition{"a", NodeCondition::kLost});
  run(SetNodeCondition{"a", NodeCondition::kReady});
  run(SetNodeCondition{"a", NodeCondition::kDraining});
  EXPECT_EQ(is(), NodeCondition::kLost);
  EXPECT_EQ(state.node(NodeIndex(0)).otherwise, NodeCondition::kDraining);
  run(ReportNodeBack{"a"});
  EXPECT_EQ(is(), NodeCondition::kDraining);
  run(ReportNodeBack{"a"});
  EXPECT_EQ(is(), NodeCondition::kDraining) << "it was not lost";
}

TEST_F(LedgerOfNodes, WhatItsProviderTookAwayComesBackReady) {
  run(NoticeInterruption{"a", 50});
  run(SetNodeCondition{"a", NodeCondition::kLost});
  run(ReportNodeBack{"a"});
  EXPECT_EQ(state.node(NodeIndex(0)).condition, NodeCondition::kReady);
  EXPECT_TRUE(state.ledger().interruptions.empty());
}

TEST_F(LedgerOfNodes, ARemovedNodeIsGoneFromTheTreeLoadedOrNot) {
  run(SetNodeCondition{"a", NodeCondition::kRemoved});
  const auto loaded = ClusterState::load(state.save());
  ASSERT_TRUE(loaded.has_value());
  for (const ClusterState* each : {&std::as_const(state), &*loaded}) {
    const TopologyTree& tree = each->topology_tree();
    EXPECT_EQ(tree.domain(tree.find("leaf", "l1")).nodes, std::vector<NodeIndex>{NodeIndex(1)});
  }
  run(JoinNode{t::mig_node("a", "grid", 1)});
  EXPECT_EQ(state.find_node("a"), NodeIndex(2));
}

// Bytes of a state whose ledger speaks of a node that it has not.
TEST_F(LedgerOfNodes, ALedgerAboutWhatIsNotThereIsRefused) {
  state.apply({0, InterruptionNoticed{NodeIndex(7), 5}});
  const auto loaded = ClusterState::load(state.save());
  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(loaded.error().message, "the state contradicts itself: the ledger");
}

}  // namespace
}  // namespace berth::engine
