// The table of scores, and the plain ones. Adding a score = a class and a line in kTable.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/check.h"
#include "engine/placement/placer.h"
#include "engine/placement/score.h"
#include "engine/placement/scores_fgd.h"
#include "engine/placement/scores_packing.h"
#include "engine/placement/scores_random.h"

namespace berth::engine {
namespace {

// Free cards of the node after the placement, CPU share added: plain best-fit.
class BestFit final : public Score {
 public:
  std::int64_t of(const ClusterState& state, const Slot& slot, const Shape& shape,
                  const CardChoice& choice) const override {
    std::int64_t free = 0;
    for (const CardState& card : choice.after) free += card.compute_free;
    const CpuMilli cpu = std::max<CpuMilli>(1, state.node_kind(slot.kind).cpu_milli);
    return free + (slot.cpu_free - shape.request.cpu_milli) * kCard / cpu;
  }
};

// The other way round: the emptiest node.
class WorstFit final : public Score {
 public:
  std::int64_t of(const ClusterState& state, const Slot& slot, const Shape& shape,
                  const CardChoice& choice) const override {
    return -BestFit().of(state, slot, shape, choice);
  }
};

// No preference: the first node by name.
class FirstFit final : public Score {
 public:
  std::int64_t of(const ClusterState& /*state*/, const Slot& /*slot*/, const Shape& /*shape*/,
                  const CardChoice& /*choice*/) const override {
    return 0;
  }
};

struct ScoreEntry {
  std::string_view name;
  std::unique_ptr<Score> (*make)();
};

template <typename Kind>
std::unique_ptr<Score> make() {
  return std::make_unique<Kind>();
}

// Sorted by name.
constexpr std::array kTable = {
    ScoreEntry{"bestfit", make<BestFit>},           ScoreEntry{"bestfit_fgd", make<BestFitOfFgd>},
    ScoreEntry{"clustering", make<Clustering>},     ScoreEntry{"dotprod", make<DotProduct>},
    ScoreEntry{"fgd", make<FragmentationGradient>}, ScoreEntry{"firstfit", make<FirstFit>},
    ScoreEntry{"packing", make<Packing>},           ScoreEntry{"random", make<UniformChoice>},
    ScoreEntry{"worstfit", make<WorstFit>},
};

}  // namespace

std::optional<CardChoice> Score::choose(const ClusterState& state, const Slot& slot,
                                        const Shape& shape) const {
  return choose_cards(state, slot, shape, Tightest());
}

CardGrants Score::grants_on(const ClusterState& state, NodeIndex node, const Shape& shape) const {
  const NodeRecord& record = state.node(node);
  const Slot& slot = state.slots().slot(record.slot);
  const auto choice = choose(state, slot, shape);
  BERTH_CHECK(choice.has_value());
  return on_node(record, slot, choice->grants);
}

std::unique_ptr<Score> make_score(std::string_view name) {
  for (const ScoreEntry& entry : kTable) {
    if (entry.name == name) return entry.make();
  }
  return nullptr;
}

std::vector<std::string> score_names() {
  std::vector<std::string> names;
  for (const ScoreEntry& entry : kTable) names.emplace_back(entry.name);
  return names;
}

}  // namespace berth::engine
