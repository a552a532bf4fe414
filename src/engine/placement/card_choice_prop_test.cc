// Tiny nodes in random states: a task of devices of several sorts is placed exactly when trying
// every card and every start finds a way, and what is found keeps every rule.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "base/rng.h"
#include "engine/cycle/explain.h"
#include "engine/engine_testing.h"
#include "engine/placement/card_choice.h"
#include "engine/placement/filters.h"
#include "engine/placement/placer.h"
#include "model/testing.h"

namespace berth::engine {
namespace {

namespace t = berth::testing;

// Every way to put the devices of a shape on the cards of the one node.
class BruteForce {
 public:
  BruteForce(const ClusterState& state, const Shape& shape) : state_(state), shape_(shape) {}

  bool finds_a_way() { return extend(0, 0); }
  // Different cards where they are asked, and one island for each request that names it.
  bool keeps_rules(const CardGrants& grants) const {
    std::size_t first = 0;
    for (const DeviceRequest& request : shape_.request.devices) {
      for (std::size_t a = first; a < first + request.count; ++a) {
        for (std::size_t b = first; b < a; ++b) {
          if (!may_stand_together(request, grants[a], grants[b])) return false;
        }
      }
      first += request.count;
    }
    return true;
  }

 private:
  const NodeRecord& node() const { return state_.node(NodeIndex(0)); }

  bool may_stand_together(const DeviceRequest& request, const CardGrant& a,
                          const CardGrant& b) const {
    if (request.distinct == Distinct::kDistinctCards && a.card == b.card) return false;
    return request.within != "island" ||
           node().spec->cards[a.card].island == node().spec->cards[b.card].island;
  }

  bool extend(std::size_t request, std::uint32_t done) {
    const auto& devices = shape_.request.devices;
    if (request == devices.size()) {
      return keeps_rules(grants_) && state_.fits(NodeIndex(0), shape_, grants_);
    }
    if (done == devices[request].count) return extend(request + 1, 0);
    for (std::size_t c = 0; c < node().cards.size(); ++c) {
      const CardKindIndex kind = node().cards[c].kind;
      const CardAsk ask = state_.ask(shape_, request, kind);
      MigOccupancy starts = 1;
      if (ask.mode == CardMode::kMig) {
        starts = ask.profile ? state_.card_kind(kind).mig->placements_of(*ask.profile) : 0;
      }
      for (; starts != 0; starts &= starts - 1) {
        const auto start = static_cast<std::uint8_t>(__builtin_ctzll(starts));
        grants_.push_back(sharing_mode(ask.mode).grant(
            state_.card_kind(kind), ask,
            ask.mode == CardMode::kMig ? start : CardGrant::kNoPlacement));
        grants_.back().card = static_cast<std::uint16_t>(c);
        const bool found = extend(request, done + 1);
        grants_.pop_back();
        if (found) return true;
      }
    }
    return false;
  }

  const ClusterState& state_;
  const Shape& shape_;
  CardGrants grants_;
};

class TinyNode : public testing::StillEngine {
 public:
  explicit TinyNode(std::uint64_t seed) : rng_(seed), cut_(rng_.below(2) == 0) {
    run(DeclareModel{t::plain_model("plain", 40'000)});
    run(DeclareModel{t::grid_model("grid")});
    run(DeclareQueue{t::queue("red")});
    run(DeclareQueue{t::queue("blue")});
    NodeSpec node = t::node("n1", cut_ ? "grid" : "plain", 1 + rng_.below(cut_ ? 2 : 4));
    for (std::size_t c = 0; c < node.cards.size(); ++c) {
      node.cards[c].island = static_cast<std::uint32_t>(c / 2);
      if (cut_) node.cards[c].mig = MigRegime::kDynamic;
    }
    run(JoinNode{node});
    for (std::uint64_t i = rng_.below(5); i > 0; --i) occupy();
  }

  // A task of up to four devices in up to three containers; its shape.
  ShapeIndex ask() {
    JobSpec spec = t::job("red", devices(2));
    const std::uint64_t more = rng_.below(3);
    for (std::uint64_t i = 0; i < more; ++i) {
      Container beside = spec.roles[0].containers[0];
      beside.devices = devices(1);
      spec.roles[0].containers.push_back(beside);
    }
    run(t::submit("asked", spec).body);
    return state().spec_of(*state().find_job("asked")).shapes.front();
  }

 private:
  void occupy() {
    const JobId job = state().next_job();
    const std::string name = "j" + std::to_string(job.value());
    run(t::submit(name, t::job(rng_.below(8) == 0 ? "blue" : "red", devices(1))).body);
    const EventBatch placed = engine_.place_at_once(job, 0);
    for (const Event& event : placed) engine_.apply(event);
    if (placed.empty()) run(CancelJob{name});
  }

  DeviceRequest devices(std::uint32_t most) {
    static const std::vector<std::string> kProfiles = {"1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb",
                                                       "4g.40gb"};
    DeviceRequest request;
    const std::uint64_t kind = rng_.below(cut_ ? 6 : 4);
    if (kind == 0) {
      request = t::whole(1);
    } else if (kind == 1) {
      request = t::memory_share(static_cast<Mib>(2'000 * (1 + rng_.below(19))));
    } else if (kind < 4 && !cut_) {
      request = t::share(static_cast<CardUnits>(1 + rng_.below(10)) * kCard / 10);
    } else {
      request = t::mig(kProfiles[rng_.below(kProfiles.size())]);
    }
    request.count = static_cast<std::uint32_t>(1 + rng_.below(most));
    if (rng_.below(3) == 0) request.distinct = Distinct::kSameCardAllowed;
    if (request.kind != ShareKind::kMig && rng_.below(4) == 0) request.within = "island";
    return request;
  }

  Rng rng_;
  bool cut_;
};

RC_GTEST_PROP(CardChoiceProperty, PlacedExactlyWhenThereIsAWay, (std::uint64_t seed)) {
  for (std::uint64_t i = 0; i < 8; ++i) {
    TinyNode tiny(seed * 8 + i);
    const ShapeIndex index = tiny.ask();
    const ClusterState& state = tiny.state();
    const Shape& shape = state.shapes().at(index);
    BruteForce brute(state, shape);
    const bool possible = brute.finds_a_way();
    RC_CLASSIFY(possible, "possible");
    const auto found = Placer().find(state, index);
    RC_ASSERT(found.has_value() == possible);
    RC_ASSERT(serves(state, state.node(NodeIndex(0)), shape) == possible);
    RC_ASSERT(explain(state, index).empty() == possible);
    if (!found) continue;
    RC_ASSERT(state.fits(found->node, shape, found->grants));
    RC_ASSERT(brute.keeps_rules(found->grants));
  }
}

// Sixteen cards in different states, every second one with memory. Five shares that are considered
// first fit on each of them and must leave all eight with memory to the sixth request.
TEST(CardSearch, SixteenCardsAndSixRequestsAreWithinTheBudget) {
  Engine engine;
  const auto run = [&](CommandBody body) {
    auto events = engine.decide({std::move(body), {}, {}}, 0);
    ASSERT_TRUE(events.has_value()) << events.error().to_text();
    for (const Event& event : *events) engine.apply(event);
  };
  const auto share = [](int per_mille, Mib memory_mib) {
    DeviceRequest request = t::share(kCard * per_mille / 1000);
    request.memory_mib = memory_mib;
    return request;
  };
  run(DeclareModel{t::plain_model("plain", 40'000)});
  run(DeclareQueue{t::queue("q")});
  run(JoinNode{t::node("n1", "plain", 16)});
  for (int c = 0; c < 16; ++c) {  // leaves 200 to 215 thousandths of the compute
    const JobId job = engine.state().next_job();
    const DeviceRequest taken = share(800 - c, c % 2 == 0 ? 10'000 : 39'000);
    run(t::submit("t" + std::to_string(c), t::job("q", taken)).body);
    for (const Event& event : engine.place_at_once(job, 0)) engine.apply(event);
  }
  JobSpec spec = t::job("q", share(100, 20'000));
  spec.roles[0].containers[0].devices.count = 8;
  for (const int per_mille : {180, 181, 182, 183, 184}) {
    Container container;
    container.devices = share(per_mille, 500);
    spec.roles[0].containers.push_back(container);
  }
  const auto serves_job = [&](const std::string& name) {
    run(t::submit(name, spec).body);
    const ClusterState& state = engine.state();
    const ShapeIndex shape = state.spec_of(*state.find_job(name)).shapes.front();
    EXPECT_EQ(Placer().find(state, shape).has_value(), explain(state, shape).empty());
    return serves(state, state.node(NodeIndex(0)), state.shapes().at(shape));
  };
  EXPECT_TRUE(serves_job("fits"));
  spec.roles[0].containers[0].devices.count = 9;
  EXPECT_FALSE(serves_job("never"));
}

}  // namespace
}  // namespace berth::engine
