// The rules of lending by account, on a fleet of two nodes and two tenants.
#include "engine/quota/lending.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/rng.h"
#include "engine/cycle/engine.h"
#include "model/testing.h"

namespace berth::engine {
namespace {

namespace t = berth::testing;

QueueSpec tenant(const std::string& name, std::int64_t cards) {
  QueueSpec spec = t::queue(name);
  FlavourQuota quota;
  quota.model = "card";
  quota.guarantee = cards * kCard;
  spec.quotas.push_back(quota);
  return spec;
}

// Names are given when it is made, so that the same story can be told of others.
class Shared {
 public:
  explicit Shared(std::vector<std::string> names, int nodes = 2) : names_(std::move(names)) {
    run({DeclareModel{t::plain_model("card", 40'000)}, {}, {}});
    PolicySpec policy;
    policy.order = berth::QueueOrder::kPredictedGpuTime;
    policy.lending_reserve_ppm = kPpmOne;
    policy.lending_small = 0;
    run({SetPolicy{policy, {}}, {}, {}});
    for (int n = 0; n < nodes; ++n) {
      run({JoinNode{t::node("n" + std::to_string(n), "card", 8)}, {}, {}});
    }
    for (const std::string& name : names_) run({DeclareQueue{tenant(name, 8)}, {}, {}});
  }

  void submit(std::size_t queue, const std::string& job, std::uint32_t cards) {
    run(t::submit(job, t::job(names_[queue], t::whole(cards))));
  }
  void tell(Standings standings) {
    engine_.apply(
        {now_, StandingsObserved{std::make_shared<const Standings>(std::move(standings))}});
  }
  void end(const std::string& job) {
    for (const LeaseId lease : state().find_job(job)->leases) {
      run({ReportEnded{lease, 1, EndReason::kSucceeded}, {}, {}});
    }
  }
  void advance(DurationMs by) { now_ += by; }

  // Jobs that a cycle starts, in its order.
  std::vector<std::string> cycle() {
    std::vector<std::string> started;
    const Commitment commitment = engine_.commit(engine_.plan(now_), now_);
    for (const Event& event : commitment.events) engine_.apply(event);
    for (const Event& event : commitment.events) {
      const auto* granted = std::get_if<LeaseGranted>(&event.body);
      if (granted == nullptr) continue;
      started.push_back(state().find_job(granted->job)->name);
      run({ReportPrepared{granted->lease, 1}, {}, {}});
    }
    return started;
  }
  Rejections why(const std::string& job) { return engine_.why(state().find_job(job)->id, now_); }
  JobId id(const std::string& job) const { return state().find_job(job)->id; }
  const ClusterState& state() const { return engine_.state(); }

 private:
  void run(const Command& command) {
    const auto events = engine_.decide(command, now_);
    ASSERT_TRUE(events) << events.error().to_text();
    for (const Event& event : *events) engine_.apply(event);
  }

  std::vector<std::string> names_;
  Engine engine_;
  TimeMs now_ = 0;
};

using Names = std::vector<std::string>;

TEST(Lending, WhatATenantWouldHaveFreeAloneIsLeftToIt) {
  Shared fleet({"a", "b"});
  fleet.tell({{{QueueIndex(1), false, 1, 8}}, {}});
  fleet.submit(0, "first", 8);
  fleet.submit(0, "second", 8);
  EXPECT_EQ(fleet.cycle(), (Names{"first"}));
  const Rejections why = fleet.why("second");
  ASSERT_FALSE(why.empty());
  EXPECT_EQ(why.front().rule, Rule::kLendingReserve);
  EXPECT_EQ(why.front().to_text(),
            "8 cards asked, 8 free; 8 cards and 1 whole node are left to tenants that would else "
            "wait longer than alone");
  fleet.submit(1, "own", 8);
  EXPECT_EQ(fleet.cycle(), (Names{"own"})) << "what is left to it is its own";
}

TEST(Lending, ATenantThatLendsLeavesNothing) {
  Shared fleet({"a", "b"});
  fleet.tell({{}, {}});
  fleet.submit(0, "first", 8);
  fleet.submit(0, "second", 8);
  EXPECT_EQ(fleet.cycle(), (Names{"first", "second"}));
}

TEST(Lending, WhoIsBehindGoesFirstWithinItsGuarantee) {
  Shared fleet({"a", "b"}, 1);
  fleet.submit(0, "small", 1);
  fleet.submit(1, "large", 8);
  fleet.tell({{{QueueIndex(1), true, 0, 0}}, {}});
  EXPECT_EQ(fleet.cycle(), (Names{"large"}));
  fleet.submit(1, "beyond", 1);
  AskFlavours flavours;
  const auto tier = [&](const std::string& job) {
    return lending_tier(fleet.state(), flavours,
                        fleet.state().spec_of(*fleet.state().find_job(job)), fleet.id(job));
  };
  EXPECT_EQ(tier("beyond"), LendingTier::kBeyond);
  EXPECT_EQ(tier("small"), LendingTier::kOther);
}

TEST(Lending, NodesThatAreFreeSoonestAreClaimedForWhoIsBehind) {
  Shared fleet({"a", "b"});
  fleet.tell({{}, {}});
  fleet.submit(0, "half", 4);
  fleet.submit(0, "whole", 8);
  EXPECT_EQ(fleet.cycle(), (Names{"half", "whole"}));
  fleet.submit(1, "large", 8);
  fleet.submit(0, "small", 4);
  fleet.tell({{{QueueIndex(1), true, 0, 0}}, {}});
  // all leases are expected to last as long: the first node by number is claimed, where `half` is
  EXPECT_EQ(fleet.cycle(), Names{});
  EXPECT_FALSE(fleet.why("large").empty());
  fleet.end("half");
  EXPECT_EQ(fleet.cycle(), (Names{"large"}));
}

TEST(Lending, AnOverdueJobGoesBeforeTheOrder) {
  Shared fleet({"a", "b"}, 1);
  fleet.submit(0, "small", 1);
  fleet.submit(1, "large", 8);
  fleet.tell({{}, {fleet.id("large")}});
  EXPECT_EQ(fleet.cycle(), (Names{"large"}));
}

TEST(Lending, NothingIsKeptWhereThePolicyDoesNotAsk) {
  Shared fleet({"a", "b"});
  PolicySpec policy;
  EXPECT_EQ(policy.lending_reserve_ppm, 0);
  EXPECT_TRUE(lends_by_account(fleet.state()) == (fleet.state().standings() != nullptr));
  EXPECT_FALSE(anyone_first(fleet.state()));
}

TEST(Lending, StandingsAreSavedAndLoaded) {
  Shared fleet({"a", "b"});
  fleet.submit(0, "small", 1);
  fleet.tell({{{QueueIndex(1), true, 1, 8}}, {fleet.id("small")}});
  const auto loaded = ClusterState::load(fleet.state().save());
  ASSERT_TRUE(loaded) << loaded.error().to_text();
  EXPECT_EQ(*loaded->standings(), *fleet.state().standings());
  EXPECT_EQ(loaded->hash(), fleet.state().hash());
}

// One story with random jobs, ends and standings; what starts must not depend on the names.
std::vector<std::string> story(const std::vector<std::string>& names, std::uint64_t seed) {
  Rng random(seed);
  Shared fleet(names, 3);
  std::vector<std::string> told;
  std::vector<std::string> running;
  for (int step = 0; step < 60; ++step) {
    const std::string job = "j" + std::to_string(step);
    fleet.submit(random.below(names.size()), job, 1U << random.below(4));
    if (random.below(2) == 0) {
      Standings standings;
      for (std::uint32_t q = 0; q < names.size(); ++q) {
        const auto nodes = static_cast<std::uint32_t>(random.below(2));
        standings.queues.push_back({QueueIndex(q), random.below(3) == 0, nodes, 8 * nodes});
      }
      fleet.tell(std::move(standings));
    }
    if (!running.empty() && random.below(2) == 0) {
      const std::size_t which = random.below(running.size());
      fleet.end(running[which]);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(which));
    }
    fleet.advance(static_cast<DurationMs>(random.below(10'000'000)));
    for (const std::string& started : fleet.cycle()) {
      running.push_back(started);
      told.push_back(std::to_string(step) + " " + started);
    }
  }
  return told;
}

RC_GTEST_PROP(LendingProperty, NamesOfTenantsDecideNothing, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto told = story({"a", "b", "c"}, seed);
  RC_ASSERT(!told.empty());
  RC_ASSERT(told == story({"z", "b", "m"}, seed));
  RC_ASSERT(told == story({"c", "a", "b"}, seed));
}

}  // namespace
}  // namespace berth::engine
