// FitLearner: MIG demand from the mix, tables that are trained when due and kept otherwise, and one
// numbering of states for the rooms that train and that decide.
#include "control/learner.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "codec/gpu_model_codec.h"
#include "engine/cycle/engine.h"
#include "engine/decide.h"
#include "learn/mig_grid.h"
#include "model/testing.h"

namespace berth::control {
namespace {

namespace t = berth::testing;

class Fleet {
 public:
  explicit Fleet(MigRegime regime) {
    run({DeclareModel{t::grid_model("grid")}, {}, {}});
    run({DeclareModel{t::plain_model("plain", 40'000)}, {}, {}});
    run({DeclareQueue{t::queue("all")}, {}, {}});
    NodeSpec node = t::node("n0", "grid", 1);
    node.cards[0].mig = regime;
    run({JoinNode{std::move(node)}, {}, {}});
  }
  void submit(const std::string& profile, std::uint32_t tasks) {
    run(t::submit("j" + std::to_string(state().next_job().value()),
                  t::job("all", t::mig(profile), tasks)));
  }
  void learn(FitLearner& learner) { run({ObserveFit{learner.learn(state())}, {}, {}}); }
  void run(const Command& command) {
    auto events = engine_.decide(command, 0);
    ASSERT_TRUE(events.has_value()) << events.error().to_text();
    for (const Event& event : *events) engine_.apply(event);
  }
  const engine::ClusterState& state() const { return engine_.state(); }

 private:
  engine::Engine engine_;
};

// The state numbers of src/learn are those of the engine, on every product.
TEST(FitLearner, TrainsOnTheEnginesStates) {
  const auto catalog = codec::load_gpu_catalog(std::string(BERTH_SOURCE_DIR) + "/data/gpus");
  ASSERT_TRUE(catalog.has_value());
  for (const GpuModel& gpu : *catalog) {
    if (!gpu.has_mig()) continue;
    const engine::MigGeometry geometry = *engine::MigGeometry::create(gpu);
    std::vector<int> all(gpu.mig_profiles.size());
    std::iota(all.begin(), all.end(), 0);
    const learn::MigGrid grid(gpu, all);
    ASSERT_EQ(grid.count(), geometry.valid_sets().size() + 1) << gpu.name;
    for (std::size_t s = 0; s < grid.count(); ++s) {
      const engine::MigOccupancy occupied = s == 0 ? 0 : geometry.valid_sets()[s - 1];
      engine::MigOccupancy open = 0;
      for (std::size_t p = 0; p < grid.pairs(); ++p) {
        const std::uint16_t next = grid.put(p, s);
        if (next == learn::kNoState) continue;
        open |= engine::MigOccupancy{1} << p;
        ASSERT_EQ(geometry.valid_sets()[next - 1U], occupied | engine::MigOccupancy{1} << p);
      }
      ASSERT_EQ(open, geometry.creatable(occupied)) << gpu.name << " state " << s;
      const engine::MigCounts fits = geometry.can_make_now(occupied);
      for (std::size_t k = 0; k < grid.kinds(); ++k) {
        ASSERT_EQ(grid.fits(s, k), fits[k]) << gpu.name << " state " << s << " profile " << k;
      }
    }
  }
}

TEST(FitLearner, CountsTheInstancesThatEachModelCouldServe) {
  Fleet fleet(MigRegime::kDynamic);
  fleet.submit("1g.10gb", 3);
  fleet.submit("3g.40gb", 2);
  DeviceRequest elsewhere = t::mig("1g.10gb");
  elsewhere.models = {"grid"};
  fleet.run(t::submit("named", t::job("all", elsewhere)));
  fleet.run(t::submit("whole", t::job("all", t::whole(1))));
  FitLearner learner;
  const FitPtr fit = learner.learn(fleet.state());
  EXPECT_EQ(mig_demand(fleet.state(), fleet.state().find_model("grid"), fit->mix),
            (std::vector<std::int64_t>{4 * 1024, 0, 0, 2 * 1024, 0, 0}));
  EXPECT_TRUE(mig_demand(fleet.state(), fleet.state().find_model("plain"), fit->mix).empty());
  EXPECT_TRUE(fit->mig.empty());  // too few to learn from
}

TEST(FitLearner, TrainsWhenDueAndKeepsTheTableOtherwise) {
  Fleet fleet(MigRegime::kDynamic);
  FitLearner learner(learn::MigEffort::kQuick);
  for (const char* profile : {"1g.10gb", "2g.20gb", "7g.80gb"}) fleet.submit(profile, 150);
  fleet.learn(learner);
  ASSERT_EQ(fleet.state().fit()->mig.size(), 1U);
  const MigWorthTable first = fleet.state().fit()->mig[0];
  EXPECT_EQ(first.worth.size(), 723U);
  fleet.submit("1g.10gb", 50);
  fleet.learn(learner);
  EXPECT_EQ(fleet.state().fit()->mig[0], first);
  fleet.submit("1g.10gb", 2'000);
  fleet.learn(learner);
  EXPECT_NE(fleet.state().fit()->mig[0], first);
  // Nothing is remembered outside the state.
  FitLearner successor(learn::MigEffort::kQuick);
  EXPECT_EQ(*successor.learn(fleet.state()), *learner.learn(fleet.state()));
}

// A demand of one shape, and then only of another: tasks of shares that come and go.
class ChangingDemand {
 public:
  explicit ChangingDemand(std::uint32_t half_life) : fleet_(MigRegime::kOff) {
    PolicySpec policy;
    policy.mix_half_life = half_life;
    fleet_.run({SetPolicy{policy, {}}, {}, {}});
  }
  void arrive(int percent, int jobs) {
    FitLearner learner;
    for (int i = 0; i < jobs; ++i) {
      const std::string name = "j" + std::to_string(fleet_.state().next_job().value());
      fleet_.run(t::submit(name, t::job("all", t::share(kCard / 100 * percent))));
      fleet_.run({CancelJob{name}, {}, {}});
      if (!fleet_.state().fit_due()) continue;
      fleet_.learn(learner);
      ++fits_;
    }
  }
  // Of the fit in force: the part of its mix that asks for such shares.
  double part_of(int percent) const {
    double part = 0;
    double all = 0;
    for (const MixEntry& entry : fleet_.state().fit()->mix) {
      const auto weight = static_cast<double>(entry.weight);
      all += weight;
      if (entry.shape.devices.at(0).compute == kCard / 100 * percent) part += weight;
    }
    return part / all;
  }
  const Fit& fit() const { return *fleet_.state().fit(); }
  int fits() const { return fits_; }

 private:
  Fleet fleet_;
  int fits_ = 0;
};

TEST(FitLearner, LearnsADemandThatChangesCompletelyWithinFourHalfLives) {
  constexpr int kHalfLife = 200;
  ChangingDemand demand(kHalfLife);
  demand.arrive(30, 20 * kHalfLife);
  EXPECT_EQ(demand.part_of(30), 1.0);
  const int fits = demand.fits();
  EXPECT_GE(fits, 2 * 19);  // at least every half of a half-life
  EXPECT_LE(fits, 2 * 20 + 8);
  demand.arrive(70, 4 * kHalfLife);
  EXPECT_GT(demand.part_of(70), 0.9);
  EXPECT_EQ(demand.fits() - fits, 2 * 4);
  // What has long gone is not carried along for ever.
  demand.arrive(70, 20 * kHalfLife);
  EXPECT_EQ(demand.fit().mix.size(), 1U);
  ChangingDemand fresh(kHalfLife);
  fresh.arrive(70, 4 * kHalfLife);
  EXPECT_EQ(demand.fit().hole_worth, fresh.fit().hole_worth);
}

TEST(FitLearner, WithoutAHalfLifeAllOfThePastCounts) {
  ChangingDemand demand(0);
  demand.arrive(30, 4'000);
  demand.arrive(70, 800);
  EXPECT_LT(demand.part_of(70), 0.2);
}

// The default forgets, and slowly: nothing is halved in the time that a fleet of thousands fills.
TEST(FitLearner, TheDefaultForgets) {
  EXPECT_GE(PolicySpec{}.mix_half_life, 50'000U);
  EXPECT_LE(PolicySpec{}.mix_half_life, 1'000'000U);
}

// Its weights are proportions: small numbers train as well as large ones.
TEST(GivenFit, TrainsFromTheProportionsOfTheMix) {
  Fleet fleet(MigRegime::kDynamic);
  const auto mix = [](std::int64_t scale) {
    std::vector<MixEntry> entries(2);
    entries[0].shape.devices = {t::mig("1g.10gb")};
    entries[0].weight = 3 * scale;
    entries[1].shape.devices = {t::mig("7g.80gb")};
    entries[1].weight = scale;
    return entries;
  };
  const FitPtr small = given_fit(fleet.state(), mix(1), learn::MigEffort::kQuick);
  const FitPtr large = given_fit(fleet.state(), mix(1'000'000), learn::MigEffort::kQuick);
  EXPECT_EQ(small->mix, mix(1));
  ASSERT_EQ(small->mig.size(), 1U);
  EXPECT_EQ(small->mig, large->mig);
  fleet.run({ObserveFit{small}, {}, {}});
  EXPECT_EQ(*fleet.state().fit(), *small);
}

TEST(GivenFit, OfModelsAndProfilesThatNobodyDeclaredIsRefused) {
  Fleet fleet(MigRegime::kDynamic);
  std::vector<MixEntry> mix(2);
  mix[1].weight = 1;
  mix[1].shape.devices = {t::mig("9g.80gb")};
  const auto refused = [&] {
    const auto events =
        engine::decide(fleet.state(), {ObserveFit{given_fit(fleet.state(), mix)}, {}, {}}, 0);
    return events ? std::string("accepted") : events.error().to_text();
  };
  EXPECT_EQ(refused().find("mix[1].shape.devices[0].mig_profile: '9g.80gb'"), 0U) << refused();
  mix[1].shape.devices = {t::whole(1)};
  mix[1].shape.devices[0].models = {"gird"};
  EXPECT_EQ(refused().find("mix[1].shape.devices[0].models: 'gird'"), 0U) << refused();
}

TEST(FitLearner, TrainsForNoFleetThatCutsNoCards) {
  Fleet fleet(MigRegime::kOff);
  fleet.submit("1g.10gb", 1'000);
  FitLearner learner;
  EXPECT_TRUE(learner.learn(fleet.state())->mig.empty());
}

}  // namespace
}  // namespace berth::control
