#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/rng.h"
#include "engine/cycle/engine.h"
#include "engine/placement/scan.h"
#include "engine/placement/score.h"
#include "engine/placement/scores_fgd.h"
#include "model/testing.h"

namespace berth::engine {
namespace {

using testing::node;
using testing::share;
using testing::whole;

constexpr CardUnits milli(std::int64_t amount) { return amount * kCardMilli; }

// A small fleet of cards that can be shared, and one queue.
class Scores : public ::testing::Test {
 protected:
  Scores() {
    run({DeclareModel{testing::plain_model("T4", 16'384)}, {}, {}});
    run({DeclareModel{testing::plain_model("V100", 16'384)}, {}, {}});
    run({DeclareQueue{testing::queue("q")}, {}, {}});
  }

  void run(const Command& command) {
    const auto events = engine_.decide(command, 0);
    ASSERT_TRUE(events.has_value()) << events.error().to_text();
    for (const Event& event : *events) engine_.apply(event);
  }
  void join(NodeSpec spec) { run({JoinNode{std::move(spec)}, {}, {}}); }
  void observe(std::vector<MixEntry> mix) {
    auto fit = std::make_shared<Fit>();
    fit->mix = std::move(mix);
    run({ObserveFit{std::move(fit)}, {}, {}});
  }

  ShapeIndex submit(const std::string& name, DeviceRequest devices, CpuMilli cpu) {
    JobSpec spec = testing::job("q", std::move(devices));
    spec.roles[0].containers[0].cpu_milli = cpu;
    run(testing::submit(name, std::move(spec)));
    return state().spec_of(*state().find_job(name)).shapes.front();
  }
  // Runs a task on exactly this card of the node, or on its first whole cards.
  void occupy(const std::string& name, NodeIndex index, DeviceRequest devices, CpuMilli cpu,
              std::uint16_t first_card) {
    const Shape& shape = state().shapes().at(submit(name, devices, cpu));
    LeaseGranted grant;
    grant.lease = state().next_lease();
    grant.job = state().find_job(name)->id;
    grant.placement.node = index;
    for (std::uint32_t i = 0; i < devices.count; ++i) {
      const CardKindIndex kind = state().node(index).cards[0].kind;
      const CardAsk ask = state().ask(shape, 0, kind);
      CardGrant card =
          sharing_mode(ask.mode).grant(state().card_kind(kind), ask, CardGrant::kNoPlacement);
      card.card = static_cast<std::uint16_t>(first_card + i);
      grant.placement.grants.push_back(card);
    }
    ASSERT_TRUE(state().fits(index, shape, grant.placement.grants));
    engine_.apply({0, std::move(grant)});
  }
  void end(const std::string& name) {
    const LeaseId lease = state().find_job(name)->leases.front();
    run({ReportEnded{lease, state().find_lease(lease)->epoch, EndReason::kFailed}, {}, {}});
  }

  // What one score says about one node, turned so that more is better.
  std::int64_t score(const char* name, NodeIndex index, ShapeIndex shape_index) {
    const auto score = make_score(name);
    score->refresh(state());
    const Shape& shape = state().shapes().at(shape_index);
    const Slot& slot = state().slots().slot(state().node(index).slot);
    const auto choice = score->choose(state(), slot, shape);
    EXPECT_TRUE(choice.has_value());
    if (!choice) return -1;
    const std::int64_t cost = score->of(state(), slot, shape, *choice);
    return -(cost + score->of_node(state(), index, shape));
  }
  std::vector<std::uint16_t> cards(const char* name, NodeIndex index, ShapeIndex shape) {
    const auto score = make_score(name);
    score->refresh(state());
    std::vector<std::uint16_t> found;
    for (const CardGrant& g : score->grants_on(state(), index, state().shapes().at(shape))) {
      found.push_back(g.card);
    }
    return found;
  }

  const ClusterState& state() const { return engine_.state(); }

  static constexpr NodeIndex kFirst = NodeIndex(0);
  Engine engine_;
};

MixEntry entry(CpuMilli cpu, std::int64_t weight, std::vector<DeviceRequest> devices) {
  MixEntry made;
  made.shape.cpu_milli = cpu;
  made.shape.devices = std::move(devices);
  made.weight = weight;
  return made;
}

TEST_F(Scores, DotProductOfFreeAndAsked) {
  join(node("n", "T4", 4, 64'000));
  // 100 (1 - (64/128 32/128 + 4/8 1/8) / 2) = 90.625
  EXPECT_EQ(score("dotprod", kFirst, submit("a", whole(1), 32'000)), 90);
  // a CPU pod: 100 (1 - (64/128 64/128) / 2) = 87.5
  EXPECT_EQ(score("dotprod", kFirst, submit("b", {}, 64'000)), 87);
}

TEST_F(Scores, BestFitCountsWhatIsLeft) {
  join(node("n", "T4", 4, 64'000));
  // 100 (1 - 32/128 / 2 - 3/8 / 2) = 68.75
  EXPECT_EQ(score("bestfit_fgd", kFirst, submit("a", whole(1), 32'000)), 68);
  // 100 (1 - 64/128 / 2 - 3.6/8 / 2) = 52.5
  EXPECT_EQ(score("bestfit_fgd", kFirst, submit("b", share(milli(400)), 0)), 52);
}

TEST_F(Scores, PackingPrefersUsedCardsThenUsedNodes) {
  join(node("n", "T4", 4));
  join(node("o", "T4", 8));
  EXPECT_EQ(score("packing", kFirst, submit("a", whole(1), 0)), 29);        // 33 - 4 free cards
  EXPECT_EQ(score("packing", NodeIndex(1), submit("b", whole(8), 0)), 25);  // 33 - 8
  occupy("used", kFirst, share(milli(400)), 0, 2);
  EXPECT_EQ(score("packing", kFirst, submit("c", share(milli(500)), 0)), 94);  // 100 - 60 % / 10
  EXPECT_EQ(score("packing", kFirst, submit("d", share(milli(700)), 0)), 49);  // opens one
  EXPECT_EQ(score("packing", kFirst, submit("e", whole(2), 0)), 48);           // opens two
  EXPECT_EQ(score("packing", kFirst, submit("f", {}, 1000)), 0);
}

TEST_F(Scores, ClusteringKeepsClassesTogether) {
  join(node("n", "T4", 4));
  const ShapeIndex shared = submit("a", share(milli(500)), 0);
  const ShapeIndex single = submit("b", whole(1), 0);
  EXPECT_EQ(score("clustering", kFirst, shared), 12 + 25);  // 25 (8 - 4) / 8, nothing there
  occupy("share", kFirst, share(milli(400)), 0, 0);
  EXPECT_EQ(score("clustering", kFirst, shared), 13 + 75);  // 25 (8 - 3.6) / 8, its class alone
  EXPECT_EQ(score("clustering", kFirst, single), 13);       // others only
  occupy("single", kFirst, whole(1), 0, 1);
  EXPECT_EQ(score("clustering", kFirst, shared), 16 + 50);  // 25 (8 - 2.6) / 8, among others
  occupy("pair", kFirst, whole(2), 0, 2);
  EXPECT_EQ(score("clustering", kFirst, submit("c", {}, 1000)), 0);
}

TEST_F(Scores, ClusteringForgetsWhatHasEnded) {
  join(node("n", "T4", 4));
  const auto clustering = make_score("clustering");
  const ShapeIndex shared = submit("a", share(milli(500)), 0);
  const auto bonus = [&] {
    clustering->refresh(state());
    return -clustering->of_node(state(), kFirst, state().shapes().at(shared));
  };
  occupy("share", kFirst, share(milli(400)), 0, 0);
  EXPECT_EQ(bonus(), 75);
  end("share");
  occupy("single", kFirst, whole(1), 0, 1);
  EXPECT_EQ(bonus(), 0);
}

TEST(GradientScore, StepsWhereTheRoundedSigmoidDoes) {
  // 1000 ln(51/49) = 40.005, 1000 ln(99) = 4595.1
  EXPECT_EQ(gradient_score(0, 1), 50);
  EXPECT_EQ(gradient_score(milli(40), 1), 50);
  EXPECT_EQ(gradient_score(milli(41), 1), 51);
  EXPECT_EQ(gradient_score(-1, 1), 49);
  EXPECT_EQ(gradient_score(milli(-40), 1), 49);
  EXPECT_EQ(gradient_score(milli(-41), 1), 48);
  EXPECT_EQ(gradient_score(milli(4595), 1), 98);
  EXPECT_EQ(gradient_score(milli(4596), 1), 99);
  EXPECT_EQ(gradient_score(milli(-64'000), 1), 0);
  EXPECT_EQ(gradient_score(milli(41) * 7, 7), 51);  // a mean
}

TEST_F(Scores, FragmentsOfAMix) {
  Fit fit;
  fit.mix = {entry(8'000, 3, {whole(1)}), entry(4'000, 1, {share(milli(500))}),
             entry(2'000, 1, {})};
  const FragmentMeasure measure(state(), fit);
  const ModelIndex t4 = state().find_model("T4");
  const std::vector<CardUnits> free = {milli(1000), milli(300)};
  // 6 cores: whole cards cannot run (3 x 1300), shares leave 300, CPU tasks use nothing (1300)
  EXPECT_EQ(measure.of(t4, 6'000, free), milli(3 * 1300 + 300 + 1300));
  EXPECT_EQ(measure.of(t4, 8'000, free), milli(3 * 300 + 300 + 1300));
  EXPECT_EQ(measure.of(t4, 8'000, std::vector<CardUnits>{0, 0}), 0);
  EXPECT_EQ(measure.total_weight(), 5);

  DeviceRequest elsewhere = whole(1);
  elsewhere.models = {"V100"};
  fit.mix = {entry(0, 2, {elsewhere}), entry(0, 1, {whole(2)})};
  EXPECT_EQ(FragmentMeasure(state(), fit).of(t4, 8'000, free), milli(2 * 1300 + 1300));
  const ModelIndex v100 = state().find_model("V100");
  EXPECT_EQ(FragmentMeasure(state(), fit).of(v100, 8'000, free), milli(2 * 300 + 1300));
}

TEST_F(Scores, FgdTakesTheCardOfBestGradient) {
  join(node("n", "T4", 2));
  occupy("used", kFirst, share(milli(600)), 0, 1);  // free: 1000 and 400
  observe({entry(0, 1, {whole(1)})});
  // fragments 400 before; on the free card 1000 after, on the used one none: 100 sigmoid(0.4)
  const ShapeIndex shape = submit("a", share(milli(400)), 0);
  EXPECT_EQ(score("fgd", kFirst, shape), 59);
  EXPECT_EQ(cards("fgd", kFirst, shape), std::vector<std::uint16_t>{1});
  // a whole card: 400 before and after
  EXPECT_EQ(score("fgd", kFirst, submit("b", whole(1), 0)), 50);
}

TEST_F(Scores, FgdTakesTheLowestIndexOfEqualGradients) {
  join(node("n", "T4", 2));
  occupy("used", kFirst, share(milli(600)), 0, 1);
  observe({entry(0, 1, {})});  // all idle share is lost on CPU tasks: 400 less on either card
  const ShapeIndex shape = submit("a", share(milli(400)), 0);
  EXPECT_EQ(score("fgd", kFirst, shape), 59);
  EXPECT_EQ(cards("fgd", kFirst, shape), std::vector<std::uint16_t>{0});
}

TEST_F(Scores, FgdSeesStrandingByCpu) {
  join(node("n", "T4", 1, 10'000));
  observe({entry(8'000, 1, {whole(1)})});
  // the CPU task leaves 4 cores, so that the free card is lost: sigmoid(-1) = 0.2689
  EXPECT_EQ(score("fgd", kFirst, submit("a", {}, 6'000)), 26);
  EXPECT_EQ(score("fgd", kFirst, submit("b", {}, 2'000)), 50);
}

TEST_F(Scores, TiesGoToTheLowestName) {
  join(node("b", "T4", 2));
  join(node("a", "T4", 2));
  const ShapeIndex shape = submit("x", whole(1), 0);
  for (const char* name : {"bestfit_fgd", "clustering", "dotprod", "fgd", "packing"}) {
    PolicySpec policy;
    policy.scores = {{name, 1}};
    EXPECT_EQ(ScanMethod(policy).find(state(), shape)->node, NodeIndex(1)) << name;
  }
}

TEST_F(Scores, RandomIsUniformOverNodesAndCards) {
  join(node("a", "T4", 1));
  join(node("b", "T4", 3));
  PolicySpec policy;
  policy.scores = {{"random", 1}};
  ScanMethod method(policy);
  constexpr int kDraws = 3000;
  std::vector<int> drawn(4);  // a's card, then b's
  for (int i = 0; i < kDraws; ++i) {
    const std::string name = "j" + std::to_string(i);
    const ShapeIndex shape = submit(name, share(milli(100)), 0);
    const auto place = method.find(state(), shape);
    ASSERT_TRUE(place.has_value());
    EXPECT_EQ(method.find(state(), shape)->grants, place->grants);  // same state, same draw
    ++drawn[place->node.value() + place->grants.front().card];
    run({CancelJob{name}, {}, {}});
  }
  EXPECT_NEAR(drawn[0], kDraws / 2, 150);
  for (int card = 1; card < 4; ++card) EXPECT_NEAR(drawn[card], kDraws / 6, 100);
}

// What is remembered must never differ from what would be computed afresh.
TEST_F(Scores, RememberedCostsEqualFreshOnes) {
  for (int n = 0; n < 6; ++n) {
    join(node("n" + std::to_string(n), n % 2 == 0 ? "T4" : "V100", 1 + n % 4, 16'000));
  }
  observe({entry(4'000, 2, {whole(1)}), entry(2'000, 3, {share(milli(300))})});
  for (const std::string& name : score_names()) {
    PolicySpec policy;
    policy.scores = {{name, 1}};
    ScanMethod method(policy);
    Rng rng(7);
    std::vector<std::string> running;
    for (int i = 0; i < 120; ++i) {
      const std::string job = name + std::to_string(i);
      const std::int64_t part = 100 * (1 + static_cast<std::int64_t>(rng.below(9)));
      const bool is_share = rng.below(2) == 0;
      const ShapeIndex shape = submit(job, is_share ? share(milli(part)) : whole(1), 1000);
      const auto remembered = method.find(state(), shape);
      const auto fresh = ScanMethod(policy).find(state(), shape);
      ASSERT_EQ(remembered.has_value(), fresh.has_value()) << name;
      if (fresh) {
        ASSERT_EQ(remembered->node, fresh->node) << name;
        ASSERT_EQ(remembered->grants, fresh->grants) << name;
        ASSERT_EQ(remembered->cost, fresh->cost) << name;
        LeaseGranted grant;
        grant.lease = state().next_lease();
        grant.job = state().find_job(job)->id;
        grant.placement.node = fresh->node;
        grant.placement.grants = fresh->grants;
        engine_.apply({0, std::move(grant)});
        running.push_back(job);
      } else {
        run({CancelJob{job}, {}, {}});
      }
      if (running.size() > 8 && rng.below(2) == 0) {
        const std::size_t victim = rng.below(running.size());
        end(running[victim]);
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(victim));
      }
    }
    for (const std::string& job : running) end(job);
  }
}

}  // namespace
}  // namespace berth::engine
