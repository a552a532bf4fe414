// What queues are promised adds up, or the declaration is refused and changes nothing.
#include "engine/decide_quotas.h"

#include <gtest/gtest.h>

#include "engine/cycle/engine.h"
#include "model/testing.h"

namespace berth::engine {
namespace {

namespace t = berth::testing;

class DecideQuotas : public ::testing::Test {
 protected:
  DecideQuotas() {
    EXPECT_EQ(declare(DeclareModel{t::plain_model("plain", 40'000)}), "");
    EXPECT_EQ(declare(DeclareQueue{queue("org", "", {quota("plain", "", 8 * kCard)})}), "");
    EXPECT_EQ(declare(DeclareQueue{queue("a", "org", {quota("plain", "", 6 * kCard)})}), "");
  }

  static FlavourQuota quota(const std::string& model, const std::string& partition,
                            CardUnits guarantee) {
    FlavourQuota quota;
    quota.model = model;
    quota.partition = partition;
    quota.guarantee = guarantee;
    return quota;
  }
  static QueueSpec queue(const std::string& name, const std::string& parent,
                         std::vector<FlavourQuota> quotas) {
    QueueSpec spec = t::queue(name);
    spec.parent = parent;
    spec.quotas = std::move(quotas);
    return spec;
  }
  // What is said; empty when it is accepted.
  std::string declare(CommandBody body) {
    const auto events = engine_.decide({std::move(body), {}, {}}, 0);
    if (!events) return events.error().to_text();
    for (const Event& event : *events) engine_.apply(event);
    return "";
  }

  Engine engine_;
};

TEST_F(DecideQuotas, ChildrenAreNotPromisedMoreThanTheirParentHas) {
  EXPECT_EQ(declare(DeclareQueue{queue("b", "org", {quota("plain", "", 5 * kCard / 2)})}),
            "quotas[0].guarantee: the queues below 'org' would be guaranteed 8.5 plain, and 'org' "
            "itself has 8");
  EXPECT_TRUE(engine_.state().find_queue("b").is_none());
  EXPECT_EQ(declare(DeclareQueue{queue("b", "org", {quota("plain", "", 2 * kCard)})}), "");
  // declared again, it stands for what it was
  EXPECT_EQ(declare(DeclareQueue{queue("b", "org", {quota("plain", "", kCard)})}), "");
  EXPECT_EQ(declare(DeclareQueue{queue("a", "org", {quota("plain", "", 7 * kCard)})}), "");
}

TEST_F(DecideQuotas, AParentKeepsWhatItsChildrenArePromised) {
  EXPECT_EQ(declare(DeclareQueue{queue("org", "", {quota("plain", "", 5 * kCard)})}),
            "quotas[0].guarantee: the queues below 'org' would be guaranteed 6 plain, and 'org' "
            "itself has 5");
  EXPECT_EQ(declare(DeclareQueue{queue("org", "", {quota("plain", "", 6 * kCard)})}), "");
}

TEST_F(DecideQuotas, WhatAParentDoesNotSayFollowsFromItsChildren) {
  EXPECT_EQ(declare(DeclareQueue{queue("c", "org", {quota("", "", 4 * kCard)})}), "");
}

TEST_F(DecideQuotas, APromiseAtAnyDepthCounts) {
  EXPECT_EQ(declare(DeclareQueue{queue("b", "org", {})}), "");
  EXPECT_EQ(declare(DeclareQueue{queue("c", "b", {quota("plain", "", 3 * kCard)})}),
            "quotas[0].guarantee: the queues below 'org' would be guaranteed 9 plain, and 'org' "
            "itself has 8");
  EXPECT_EQ(declare(DeclareQueue{queue("c", "b", {quota("plain", "", 2 * kCard)})}), "");
}

TEST_F(DecideQuotas, APromiseOfOneModelCountsUnderThatOfAll) {
  EXPECT_EQ(declare(DeclareModel{t::plain_model("other", 40'000)}), "");
  EXPECT_EQ(declare(DeclareQueue{queue("lab", "", {quota("", "", 8 * kCard)})}), "");
  EXPECT_EQ(declare(DeclareQueue{queue("d", "lab", {quota("plain", "", 5 * kCard)})}), "");
  EXPECT_EQ(declare(DeclareQueue{queue("e", "lab", {quota("other", "", 4 * kCard)})}),
            "quotas[0].guarantee: the queues below 'lab' would be guaranteed 9 cards of any model, "
            "and 'lab' itself has 8");
  EXPECT_EQ(declare(DeclareQueue{queue("e", "lab", {quota("other", "", 3 * kCard)})}), "");
  // a model of which the parent says something itself does not count under that of all
  EXPECT_EQ(declare(DeclareQueue{
                queue("lab", "", {quota("", "", 3 * kCard), quota("plain", "", 5 * kCard)})}),
            "");
}

TEST_F(DecideQuotas, NamesAreKnownAndPairsAreSaidOnce) {
  EXPECT_EQ(declare(DeclareQueue{queue("d", "", {quota("plane", "", kCard)})}),
            "quotas[0].model: 'plane' is not a GPU model; did you mean 'plain'?");
  EXPECT_EQ(declare(DeclareQueue{queue("d", "", {quota(kCpuQuota, "", kCard)})}), "");
  EXPECT_EQ(declare(DeclareQueue{queue("d", "", {quota("plain", "fast", kCard)})}),
            "quotas[0].partition: 'fast' is not a partition; none is known");
  EXPECT_EQ(
      declare(DeclareQueue{queue("d", "", {quota("plain", "", 0), quota("plain", "", kCard)})}),
      "quotas[1]: is there twice");
}

}  // namespace
}  // namespace berth::engine
