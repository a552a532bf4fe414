// What a MIG occupancy is worth: the default on every product, the learned table, static layouts,
// and where the search puts instances.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "base/rng.h"
#include "codec/gpu_model_codec.h"
#include "engine/cycle/engine.h"
#include "engine/placement/mig_search.h"
#include "model/testing.h"

namespace berth::engine {
namespace {

namespace t = berth::testing;

// Memory slots that each profile alone could still use, over all profiles.
int options(const GpuModel& gpu, const MigGeometry& grid, MigOccupancy occupied) {
  const MigCounts fits = grid.can_make_now(occupied);
  int sum = 0;
  for (std::size_t k = 0; k < gpu.mig_profiles.size(); ++k) {
    sum += gpu.mig_profiles[k].memory_slots * fits[k];
  }
  return sum;
}

class Fleet {
 public:
  explicit Fleet(const GpuModel& model) : model_(model.name) {
    run({DeclareModel{model}, {}, {}});
    run({DeclareQueue{t::queue("all")}, {}, {}});
  }
  void join(NodeSpec node) { run({JoinNode{std::move(node)}, {}, {}}); }
  void join_dynamic(const std::string& name, std::size_t cards) {
    join(t::mig_node(name, model_, cards));
  }
  // "n0 card 0 start 4", or "" when it waits.
  std::string place(const std::string& profile) {
    const JobId job = state().next_job();
    run(t::submit("j" + std::to_string(job.value()), t::job("all", t::mig(profile))));
    apply(engine_.place_at_once(job, 0));
    const auto& leases = state().find_job(job)->leases;
    if (leases.empty()) return "";
    const TaskPlacement& place = state().find_lease(leases.front())->placement;
    const MigGeometry& grid = *state().model(state().find_model(model_)).mig;
    const CardGrant& grant = place.grants.front();
    return state().node(place.node).spec->name + " card " + std::to_string(grant.card) + " start " +
           std::to_string(grid.placement(MigPlacementIndex(grant.placement)).start);
  }
  void run(const Command& command) {
    auto events = engine_.decide(command, 0);
    ASSERT_TRUE(events.has_value()) << events.error().to_text();
    apply(*events);
  }
  const ClusterState& state() const { return engine_.state(); }

 private:
  void apply(const EventBatch& events) {
    for (const Event& event : events) engine_.apply(event);
  }
  std::string model_;
  Engine engine_;
};

// Every state of every product, every profile that fits there: the start that the default worth
// chooses keeps as many options as the best legal start.
TEST(MigWorth, DefaultDestroysNoMoreOptionsThanTheBestStartOnAnyProduct) {
  const auto catalog = codec::load_gpu_catalog(std::string(BERTH_SOURCE_DIR) + "/data/gpus");
  ASSERT_TRUE(catalog.has_value());
  std::size_t products = 0;
  std::size_t choices = 0;
  for (const GpuModel& gpu : *catalog) {
    if (!gpu.has_mig()) continue;
    ++products;
    const MigGeometry grid = *MigGeometry::create(gpu);
    const std::vector<std::int32_t> worth = default_mig_worth(gpu, grid);
    ASSERT_EQ(worth.size(), mig_state_count(grid));
    EXPECT_EQ(*std::max_element(worth.begin(), worth.end()), kMigWorthFull) << gpu.name;
    const auto sets = grid.valid_sets();
    const auto worth_of = [&](MigOccupancy o) {
      return worth[static_cast<std::size_t>(std::lower_bound(sets.begin(), sets.end(), o) -
                                            sets.begin()) +
                   1];
    };
    for (std::size_t s = 0; s < worth.size(); ++s) {
      const MigOccupancy occupied = s == 0 ? 0 : sets[s - 1];
      for (int k = 0; k < grid.profile_count(); ++k) {
        const MigProfileIndex profile(static_cast<std::uint8_t>(k));
        MigOccupancy open = grid.creatable(occupied) & grid.placements_of(profile);
        if (open == 0) continue;
        ++choices;
        int most = -1;
        MigOccupancy chosen = 0;
        for (; open != 0; open &= open - 1) {
          const MigOccupancy next = occupied | (open & (~open + 1));
          most = std::max(most, options(gpu, grid, next));
          if (chosen == 0 || worth_of(next) > worth_of(chosen)) chosen = next;
        }
        ASSERT_EQ(options(gpu, grid, chosen), most)
            << gpu.name << " state " << s << " profile " << k;
      }
    }
  }
  EXPECT_GE(products, 15U);
  EXPECT_GT(choices, 50'000U);
}

TEST(MigWorth, ThreeSmallInstancesKeepTheLargeHalfFree) {
  Fleet fleet(t::grid_model("grid"));
  fleet.join_dynamic("n0", 1);
  std::vector<std::string> places;
  for (int i = 0; i < 3; ++i) places.push_back(fleet.place("1g.10gb"));
  std::sort(places.begin(), places.end());
  EXPECT_EQ(places, (std::vector<std::string>{"n0 card 0 start 4", "n0 card 0 start 5",
                                              "n0 card 0 start 6"}));
  EXPECT_EQ(fleet.place("4g.40gb"), "n0 card 0 start 0");
}

TEST(MigWorth, ThreeSevenths) {
  Fleet fleet(t::grid_model("grid"));
  fleet.join_dynamic("n0", 1);
  EXPECT_EQ(fleet.place("3g.40gb"), "n0 card 0 start 4");  // a 4g needs the other half
  EXPECT_EQ(fleet.place("4g.40gb"), "n0 card 0 start 0");
  EXPECT_EQ(fleet.place("1g.10gb"), "");
}

TEST(MigWorth, UsesALearnedTableOfItsGridAndNoOther) {
  Fleet fleet(t::grid_model("grid"));
  fleet.join_dynamic("n0", 1);
  const MigGeometry& grid = *fleet.state().model(fleet.state().find_model("grid")).mig;
  const CardKind& kind = fleet.state().card_kind(CardKindIndex(0));
  const std::int64_t by_default = MigWorths(fleet.state()).worth(kind, 0);

  Fit fit;
  fit.mig.push_back({"grid", std::vector<std::int32_t>(7, 1), {}, {}});  // of another grid
  fleet.run({ObserveFit{std::make_shared<const Fit>(fit)}, {}, {}});
  EXPECT_EQ(MigWorths(fleet.state()).worth(kind, 0), by_default);

  // A table that wants the first 1g at slot 2 and nowhere else.
  const auto profile = grid.find_profile("1g.10gb");
  const MigOccupancy wanted = MigGeometry::bit(*grid.find_placement(*profile, 2));
  fit.mig[0].worth.assign(mig_state_count(grid), 0);
  const auto sets = grid.valid_sets();
  const auto at = std::lower_bound(sets.begin(), sets.end(), wanted) - sets.begin();
  fit.mig[0].worth[static_cast<std::size_t>(at) + 1] = 1000;
  fleet.run({ObserveFit{std::make_shared<const Fit>(fit)}, {}, {}});
  EXPECT_EQ(MigWorths(fleet.state()).worth(kind, wanted), 1000);
  EXPECT_EQ(fleet.place("1g.10gb"), "n0 card 0 start 2");
}

TEST(MigWorth, StaticLayoutsFillTheFullestCardFirst) {
  Fleet fleet(t::grid_model("grid"));
  NodeSpec node = t::node("n0", "grid", 2);
  for (CardSpec& card : node.cards) {
    card.mig = MigRegime::kStatic;
    card.layout = {{"3g.40gb", 0}, {"3g.40gb", 4}};
  }
  fleet.join(std::move(node));
  EXPECT_EQ(fleet.place("3g.40gb"), "n0 card 0 start 0");
  EXPECT_EQ(fleet.place("3g.40gb"), "n0 card 0 start 4");
  EXPECT_EQ(fleet.place("3g.40gb"), "n0 card 1 start 0");
  EXPECT_EQ(fleet.place("4g.40gb"), "");
}

// The table look-up says what trying every node, card and start says.
TEST(MigSearch, AgreesWithALookAtEveryPlace) {
  const std::vector<std::string> kProfiles = {"1g.10gb", "1g.20gb", "2g.20gb",
                                              "3g.40gb", "4g.40gb", "7g.80gb"};
  Rng rng(7);
  for (int round = 0; round < 20; ++round) {
    Fleet fleet(t::grid_model("grid"));
    for (int n = 0; n < 4; ++n) fleet.join_dynamic("n" + std::to_string(n), 2);
    for (int i = 0; i < 25; ++i) {
      const std::string profile = kProfiles[rng.below(kProfiles.size())];
      const MigWorths worths(fleet.state());
      const MigGeometry& grid = *fleet.state().model(fleet.state().find_model("grid")).mig;
      std::int64_t least = 0;
      bool fits = false;
      for (const NodeRecord& node : fleet.state().nodes()) {
        for (const CardState& card : node.cards) {
          const CardKind& kind = fleet.state().card_kind(card.kind);
          MigOccupancy open =
              grid.creatable(card.mig) & grid.placements_of(*grid.find_profile(profile));
          for (; open != 0; open &= open - 1) {
            const std::int64_t loss =
                worths.worth(kind, card.mig) - worths.worth(kind, card.mig | (open & (~open + 1)));
            if (!fits || loss < least) least = loss;
            fits = true;
          }
        }
      }
      const JobId job = fleet.state().next_job();
      fleet.run(t::submit("probe" + std::to_string(i), t::job("all", t::mig(profile))));
      MigSearch search;
      const auto& spec = fleet.state().spec_of(*fleet.state().find_job(job));
      const auto found = search.find(fleet.state(), spec.shapes.front());
      ASSERT_EQ(found.has_value(), fits);
      if (found) {
        ASSERT_EQ(found->cost, least);
      }
      const auto cheapest = search.cheapest(fleet.state(), spec.shapes.front(), 3);
      ASSERT_EQ(cheapest.empty(), !fits);
      if (fits) {
        ASSERT_EQ(cheapest.front().node, found->node);
      }
      ASSERT_TRUE(std::is_sorted(cheapest.begin(), cheapest.end()));
      fleet.place(profile);
    }
  }
}

}  // namespace
}  // namespace berth::engine
