// Training of MIG worths: the grid it runs on, the virtual runs, when it is due, and that it
// learns.
#include "learn/mig_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "learn/mig_run.h"
#include "learn/mig_worths.h"
#include "model/testing.h"

namespace berth::learn {
namespace {

using Demand = std::vector<std::int64_t>;

const std::vector<int> kAll = {0, 1, 2, 3, 4, 5};

Demand sightings(std::vector<std::int64_t> counts) {
  for (std::int64_t& count : counts) count *= kMigSighting;
  return counts;
}

MigWorthTable trained_on(Demand demand) {
  MigWorthTable table;
  table.demand = std::move(demand);
  return table;
}

TEST(MigGrid, CountsOfTheSevenSliceCard) {
  const GpuModel model = berth::testing::grid_model("grid");
  EXPECT_EQ(MigGrid(model, kAll).count(), 723U);
  EXPECT_EQ(MigGrid(model, {0, 2, 3, 4, 5}).count(), 298U);  // without the double-memory profile
}

TEST(MigGrid, PuttingAndTakingAreInverse) {
  const MigGrid grid(berth::testing::grid_model("grid"), kAll);
  for (std::size_t p = 0; p < grid.pairs(); ++p) {
    for (std::size_t s = 0; s < grid.count(); ++s) {
      const std::uint16_t next = grid.put(p, s);
      if (next == kNoState) continue;
      ASSERT_EQ(grid.take(p, next), s);
      ASSERT_EQ(grid.jobs(next), grid.jobs(s) + 1);
      ASSERT_EQ(grid.free_slots(next), grid.free_slots(s) - grid.slots_of(grid.kind_of(p)));
    }
  }
}

TEST(MigRun, TracesFollowTheMixAndTheLoad) {
  const MigGrid grid(berth::testing::grid_model("grid"), kAll);
  const std::vector<double> mix = {.3, .1, .1, .1, .1, .3};
  const MigFleet fleet{1.0, 20'000, 2'000};
  Rng rng(1);
  const MigTrace trace = make_mig_trace(grid, mix, fleet, rng);
  std::vector<double> seen(mix.size(), 0);
  for (const std::uint8_t kind : trace.kind) seen[kind] += 1.0 / fleet.arrivals;
  for (std::size_t k = 0; k < mix.size(); ++k) EXPECT_NEAR(seen[k], mix[k], 0.02);
  // Each arrival once, and no end before its arrival.
  std::vector<bool> arrived(trace.kind.size(), false);
  std::size_t arrivals = 0;
  for (const std::int32_t event : trace.events) {
    if (event < 0) {
      EXPECT_TRUE(arrived[static_cast<std::size_t>(~event)]);
    } else {
      arrived[static_cast<std::size_t>(event)] = true;
      EXPECT_EQ(static_cast<std::size_t>(event), arrivals++);
    }
  }
  EXPECT_EQ(arrivals, trace.kind.size());
}

TEST(MigRun, AnIdleFleetTakesEverythingAndAFullOneDoesNot) {
  const MigGrid grid(berth::testing::grid_model("grid"), kAll);
  const std::vector<double> mix(6, 1.0 / 6);
  const std::vector<MigChoices> policy = {{grid, worth_by_best_fit(grid)}};
  Rng rng(2);
  for (const double load : {0.2, 2.0}) {
    const MigFleet fleet{load, 8'000, 1'000};
    const MigScore score =
        run_mig(grid, policy, make_mig_trace(grid, mix, fleet, rng), fleet).front();
    EXPECT_LE(score.jobs, 1.0);
    const double most = load < 1 ? 1.0 : 0.7;
    const double least = load < 1 ? 1.0 : 0.4;
    EXPECT_LE(score.slots, most);
    EXPECT_GE(score.slots, least);
  }
}

TEST(MigWorths, WeightsSurviveTheWayToAPointAndBack) {
  const MigGrid grid(berth::testing::grid_model("grid"), kAll);
  const MigWeights weights = weights_by_mix(grid, std::vector<double>(6, 1.0 / 6), 0.5, 0.1, 0.1);
  const MigWeights back = from_point(grid, to_point(grid, weights));
  EXPECT_EQ(worth_by_weights(grid, back), worth_by_weights(grid, weights));  // scale is free
  const auto worth = worth_by_weights(grid, weights);
  EXPECT_EQ(*std::max_element(worth.begin(), worth.end()), 1 << 22);
}

TEST(MigFit, IsDueAtTheFirstWhenDemandHasGrownAndWhenItHasShifted) {
  EXPECT_FALSE(mig_fit_due(sightings({10, 10, 10, 10, 10, 10}), nullptr));
  const Demand few = sightings({60, 60, 60, 60, 60, 60});
  EXPECT_TRUE(mig_fit_due(few, nullptr));
  const MigWorthTable first = trained_on(few);
  EXPECT_FALSE(mig_fit_due(sightings({90, 90, 90, 90, 90, 90}), &first));
  EXPECT_TRUE(mig_fit_due(sightings({300, 300, 300, 300, 300, 300}), &first));
  const MigWorthTable settled = trained_on(sightings({1000, 1000, 1000, 1000, 1000, 1000}));
  EXPECT_FALSE(mig_fit_due(sightings({9010, 8990, 9000, 9000, 9000, 9000}), &settled));
  EXPECT_TRUE(mig_fit_due(sightings({20'000, 9000, 9000, 9000, 9000, 9000}), &settled));
  // Fewer than the last stage needs, and for good: another demand is followed all the same.
  EXPECT_FALSE(mig_fit_due(sightings({120, 110, 95, 90, 95, 90}), &settled));
  EXPECT_TRUE(mig_fit_due(sightings({600, 0, 0, 0, 0, 0}), &settled));
}

TEST(MigFit, IsAFunctionOfItsArguments) {
  const GpuModel model = berth::testing::grid_model("grid");
  const Demand demand = sightings({300, 150, 250, 150, 100, 50});
  const auto a = fit_mig(model, demand, nullptr, MigEffort::kQuick);
  const auto b = fit_mig(model, demand, nullptr, MigEffort::kQuick);
  ASSERT_TRUE(a.has_value());
  EXPECT_EQ(*a, *b);
  EXPECT_EQ(a->model, "grid");
  EXPECT_EQ(a->worth.size(), 723U);
  EXPECT_EQ(a->demand, demand);
}

// On other runs, what was learned for a mix takes more than best-fit takes.
TEST(MigFit, LearnsWhatBestFitDoesNotKnow) {
  const GpuModel model = berth::testing::grid_model("grid");
  const MigGrid grid(model, kAll);
  struct Case {
    Demand counts;
    double least_lead;  // share of the slots
  };
  for (const auto& [counts, least_lead] : {Case{{900, 450, 750, 450, 300, 150}, 0.008},
                                           Case{{150, 300, 300, 600, 750, 900}, 0.0005}}) {
    const auto table = fit_mig(model, sightings(counts), nullptr, MigEffort::kLight);
    ASSERT_TRUE(table.has_value());
    std::vector<double> mix;
    const auto sum =
        static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
    for (const std::int64_t c : counts) mix.push_back(static_cast<double>(c) / sum);
    const MigFleet fleet{1.0, 30'000, 2'000};
    const std::vector<MigChoices> policies = {{grid, table->worth},
                                              {grid, worth_by_best_fit(grid)}};
    double lead = 0;
    Rng rng(99);
    for (int run = 0; run < 6; ++run) {
      const MigTrace trace = make_mig_trace(grid, mix, fleet, rng);
      const auto scores = run_mig(grid, policies, trace, fleet);
      lead += scores[0].slots - scores[1].slots;
    }
    EXPECT_GT(lead / 6, least_lead);
  }
}

TEST(MigFit, ProfilesNobodyAsksForWeighNothing) {
  GpuModel model = berth::testing::grid_model("grid");
  MigProfile media = model.mig_profiles[0];
  media.name = "1g.10gb+me";
  media.id = 20;
  media.max = 1;
  model.mig_profiles.push_back(media);
  const auto table =
      fit_mig(model, sightings({100, 100, 100, 100, 100, 100, 0}), nullptr, MigEffort::kQuick);
  ASSERT_TRUE(table.has_value());
  if (!table->weights.empty()) {
    EXPECT_EQ(table->weights[6], 0);
  }
  EXPECT_GT(table->worth.size(), 723U);
}

}  // namespace
}  // namespace berth::learn
