// A change of layout that is offered lets the job start once the node has made it, and stops
// nobody; whenever one card with another layout would let the job start, such a change is offered.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "base/rng.h"
#include "engine/cycle/fixes.h"
#include "engine/engine_testing.h"
#include "engine/sharing/mig_geometry.h"
#include "model/testing.h"

namespace berth::engine {
namespace {

namespace t = berth::testing;

const MigGeometry& grid() {
  static const MigGeometry geometry = *MigGeometry::create(t::grid_model("grid"));
  return geometry;
}

std::vector<MigInstanceSpec> instances_of(MigOccupancy layout) {
  static const GpuModel model = t::grid_model("grid");
  std::vector<MigInstanceSpec> instances;
  for (; layout != 0; layout &= layout - 1) {
    const auto& placement =
        grid().placement(MigPlacementIndex(static_cast<std::uint8_t>(std::countr_zero(layout))));
    instances.push_back({model.mig_profiles[placement.profile.value()].name,
                         static_cast<std::uint32_t>(placement.start)});
  }
  return instances;
}

// Cards with random static layouts, partly in use, and a job for which no card may be cut.
class Cut : public testing::StillEngine {
 public:
  explicit Cut(std::uint64_t seed) : rng_(seed) {
    run(DeclareModel{t::grid_model("grid")});
    TopologySpec topology;
    topology.levels = {"card", "island", "node"};
    run(DeclareTopology{topology});
    run(DeclareQueue{t::queue("q")});
    const std::uint64_t nodes = 1 + rng_.below(2);
    for (std::uint64_t n = 0; n < nodes; ++n) {
      NodeSpec node = t::mig_node("n" + std::to_string(n), "grid", 1 + rng_.below(2));
      for (CardSpec& card : node.cards) {
        card.mig = MigRegime::kStatic;
        card.layout = instances_of(any(grid().maximal_sets()));
      }
      run(JoinNode{node});
    }
    for (std::uint64_t i = rng_.below(5); i > 0; --i) {
      run(t::submit("f" + std::to_string(i), t::job("q", any_profile())).body);
    }
    cycle();
    const auto tasks = static_cast<std::uint32_t>(1 + rng_.below(2));
    run(t::submit("asked", t::job("q", any_profile(), tasks)).body);
    cycle();
  }

  const Engine& engine() const { return engine_; }
  JobId asked() const { return state().find_job("asked")->id; }
  bool waits() const { return waits(engine_); }

  // Once the nodes have answered. No lease may be lost on the way.
  bool starts_after(const std::vector<Command>& changes) const {
    Engine copy{ClusterState(state())};
    for (const Command& command : changes) {
      if (!carry_out(copy, command)) return false;
      const auto& change = std::get<ChangeLayout>(command.body);
      const auto* stands =
          copy.state().regeometry_of(copy.state().find_node(change.node), change.card);
      if (stands == nullptr || !stands->is_asked()) return false;
      const ReportLayout report{change.node, change.card, stands->ask, change.layout, {}};
      if (!carry_out(copy, {report, {}, {}})) return false;
    }
    for (const Event& event : copy.commit(copy.plan(1), 1).events) copy.apply(event);
    for (const LeaseId id : state().leases().sorted_ids()) {
      const Lease* lease = copy.state().find_lease(id);
      RC_ASSERT(lease != nullptr);
      RC_ASSERT(lease->state == state().find_lease(id)->state);
    }
    return !waits(copy);
  }

  // Whether some layout of one card does.
  bool one_card_helps() const {
    for (const NodeRecord& node : state().nodes()) {
      for (std::uint16_t c = 0; c < node.cards.size(); ++c) {
        for (const MigOccupancy layout : grid().maximal_sets()) {
          if ((node.cards[c].mig & ~layout) != 0) continue;
          const ChangeLayout change{node.spec->name, c, instances_of(layout)};
          if (starts_after({{change, {}, {}}})) return true;
        }
      }
    }
    return false;
  }

 private:
  static bool waits(const Engine& engine) {
    return engine.state().find_job("asked")->phase == JobPhase::kPending;
  }

  static bool carry_out(Engine& engine, const Command& command) {
    const auto events = engine.decide(command, 1);
    if (!events) return false;
    for (const Event& event : *events) engine.apply(event);
    return true;
  }

  MigOccupancy any(std::span<const MigOccupancy> sets) { return sets[rng_.below(sets.size())]; }
  DeviceRequest any_profile() {
    static constexpr const char* kProfiles[] = {"1g.10gb", "2g.20gb", "3g.40gb", "4g.40gb",
                                                "7g.80gb"};
    return t::mig(kProfiles[rng_.below(5)]);
  }

  Rng rng_;
};

bool changes_layouts(const Fix& fix) {
  return !fix.commands.empty() && std::holds_alternative<ChangeLayout>(fix.commands.front().body);
}

RC_GTEST_PROP(LayoutFixes, EachThatIsOfferedStartsTheJobAndStopsNobody, (std::uint64_t seed)) {
  const Cut cut(seed);
  if (!cut.waits()) RC_DISCARD("it fits");
  const std::uint64_t before = cut.state().hash();
  for (const Fix& fix : find_fixes(cut.engine(), cut.asked(), 1)) {
    if (!changes_layouts(fix)) continue;
    RC_CLASSIFY(fix.commands.size() == 1, "one card");
    RC_CLASSIFY(fix.commands.size() > 1, "several cards");
    RC_ASSERT(fix.by == FixBy::kOperator);
    RC_ASSERT(cut.starts_after(fix.commands));
  }
  RC_ASSERT(cut.state().hash() == before);
}

RC_GTEST_PROP(LayoutFixes, OneIsOfferedWheneverOneCardHelps, (std::uint64_t seed)) {
  const Cut cut(seed);
  if (!cut.waits()) RC_DISCARD("it fits");
  const bool helps = cut.one_card_helps();
  RC_CLASSIFY(helps, "one card helps");
  const std::vector<Fix> fixes = find_fixes(cut.engine(), cut.asked(), 1);
  const bool offered = std::any_of(fixes.begin(), fixes.end(), &changes_layouts);
  if (helps) RC_ASSERT(offered);
}

}  // namespace
}  // namespace berth::engine
