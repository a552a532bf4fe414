#include "engine/state/topology_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/testing.h"

namespace berth::engine {
namespace {

namespace t = berth::testing;
using ::testing::ElementsAre;

TopologySpec three_levels() {
  TopologySpec spec;
  spec.levels = {"card", "node", "leaf", "pod"};
  spec.domains = {{"leaf", "l1", "p1", {{"fabric-channels", 64}}}};
  return spec;
}

NodeSpec node_in(const std::string& name, const std::string& leaf, const std::string& pod) {
  NodeSpec node = t::node(name, "m", 8);
  node.domains = {{"pod", pod}, {"leaf", leaf}};
  return node;
}

TEST(TopologyTree, FindsTheDomainsOfANodeAtEveryLevel) {
  TopologyTree tree(three_levels());
  tree.add(NodeIndex(0), node_in("a", "l1", "p1"));
  tree.add(NodeIndex(1), node_in("b", "l2", "p1"));
  tree.add(NodeIndex(2), node_in("c", "l2", "p1"));
  const DomainIndex pod = tree.find("pod", "p1");
  const DomainIndex second = tree.find("leaf", "l2");
  EXPECT_EQ(tree.of_node(NodeIndex(2), "leaf"), second);
  EXPECT_EQ(tree.of_node(NodeIndex(2), "pod"), pod);
  EXPECT_THAT(tree.domain(pod).children, ElementsAre(tree.find("leaf", "l1"), second));
  EXPECT_THAT(tree.domain(second).nodes, ElementsAre(NodeIndex(1), NodeIndex(2)));
  EXPECT_EQ(tree.domain(tree.find("leaf", "l1")).free.front().amount, 64);
}

TEST(TopologyTree, LevelsAreDataAndAnIslandMaySitAboveTheNode) {
  TopologySpec spec;
  spec.levels = {"card", "node", "island", "row"};
  TopologyTree tree(spec);
  NodeSpec node = t::node("a", "m", 4);
  node.domains = {{"island", "nvl72-1"}};
  tree.add(NodeIndex(0), node);
  EXPECT_EQ(tree.of_node(NodeIndex(0), "island"), tree.find("island", "nvl72-1"));
  EXPECT_TRUE(tree.of_node(NodeIndex(0), "row").is_none());
}

TEST(TopologyTree, RefusesASecondParent) {
  TopologyTree tree(three_levels());
  tree.add(NodeIndex(0), node_in("a", "l2", "p1"));
  EXPECT_TRUE(tree.check(node_in("b", "l2", "p1")).has_value());
  const Status other = tree.check(node_in("b", "l2", "p2"));
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().message, "leaf 'l2' lies in pod 'p1', not in 'p2'");
}

}  // namespace
}  // namespace berth::engine
