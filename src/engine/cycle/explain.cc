#include "engine/cycle/explain.h"

#include <algorithm>
#include <array>
#include <optional>

#include "engine/placement/card_choice.h"

namespace berth::engine {
namespace {

// The stages that a node passes on its way to serving a task, in order.
enum class Stage : std::uint8_t {
  kPartition,
  kModel,
  kReady,
  kCpu,
  kMemory,
  kCountable,
  kCards,
  kFits
};
constexpr std::size_t kStages = static_cast<std::size_t>(Stage::kFits) + 1;

class NoPreference final : public CardCost {
 public:
  std::int64_t of_change(const CardKind& /*kind*/, const CardState& /*before*/,
                         const CardState& /*after*/) const override {
    return 0;
  }
};

// How the cards of one node fall short of one device request.
struct CardShortage {
  Rejection rejection;
  std::int64_t nearness = 0;  // more is nearer to success
};

class Explainer {
 public:
  Explainer(const ClusterState& state, const Shape& shape) : state_(state), shape_(shape) {}

  Rejections run() {
    for (const NodeIndex node : state_.nodes_by_name()) visit(state_.node(node));
    if (seen_[static_cast<std::size_t>(Stage::kFits)] > 0) return {};
    Rejections reasons;
    for (std::size_t s = kStages - 1; s-- > 0;) {
      if (seen_[s] > 0) reasons.push_back(reason_of(static_cast<Stage>(s)));
    }
    if (reasons.empty()) reasons.push_back({Rule::kNoNode, {}, {}});
    return reasons;
  }

 private:
  void visit(const NodeRecord& node) {
    const Stage stage = stage_of(node);
    ++seen_[static_cast<std::size_t>(stage)];
    if (stage == Stage::kCpu) most_cpu_ = std::max(most_cpu_, node.cpu_free);
    if (stage == Stage::kMemory) most_memory_ = std::max(most_memory_, node.memory_free);
    if (stage == Stage::kCountable) note_countable(node);
    if (stage == Stage::kCards) note_cards(node);
  }

  // The stage at which the node fails.
  Stage stage_of(const NodeRecord& node) const {
    const NodeKind& kind = state_.node_kind(node.kind);
    if (kind.partition != shape_.partition) return Stage::kPartition;
    if (!offers_model(kind)) return Stage::kModel;
    if (node.condition != NodeCondition::kReady) return Stage::kReady;
    if (node.cpu_free < shape_.request.cpu_milli) return Stage::kCpu;
    if (node.memory_free < shape_.request.memory_mib) return Stage::kMemory;
    if (lacking_resource(node, shape_.request.resources) != nullptr) return Stage::kCountable;
    const Slot& slot = state_.slots().slot(node.slot);
    return choose_cards(state_, slot, shape_, NoPreference()) ? Stage::kFits : Stage::kCards;
  }

  // Of the resource that is lacking at the first such node: the most that a node has free.
  void note_countable(const NodeRecord& node) {
    const Countable& wanted = *lacking_resource(node, shape_.request.resources);
    if (countable_ == nullptr) countable_ = &wanted;
    if (countable_ != &wanted) return;
    most_countable_ = std::max(most_countable_, resource_free(node, wanted.resource));
  }

  // Whether the node has cards of a model that every request accepts.
  bool offers_model(const NodeKind& kind) const {
    for (const DeviceRequest& request : shape_.request.devices) {
      if (kind.model.is_none() || kind.cards == 0) return false;
      const auto named = [&](const std::string& n) { return state_.find_model(n) == kind.model; };
      if (!request.models.empty() &&
          std::none_of(request.models.begin(), request.models.end(), named)) {
        return false;
      }
    }
    return true;
  }

  void note_cards(const NodeRecord& node) {
    for (std::size_t r = 0; r < shape_.request.devices.size(); ++r) {
      CardShortage shortage = shortage_of(node, r);
      if (!shortage_ || shortage.nearness > shortage_->nearness) shortage_ = std::move(shortage);
    }
  }

  CardShortage shortage_of(const NodeRecord& node, std::size_t r) const {
    const DeviceRequest& request = shape_.request.devices[r];
    std::int64_t fitting = 0;
    std::array<std::int64_t, kCardsPerNodeLimit> in_island = {};
    for (const CardState& card : node.cards) {
      const CardKind& kind = state_.card_kind(card.kind);
      const CardAsk ask = state_.ask(shape_, r, card.kind);
      if (sharing_mode(ask.mode).refuses(kind, card, ask)) continue;
      ++fitting;
      ++in_island[kind.island % kCardsPerNodeLimit];
    }
    const std::vector<Number> asked_free = {{"asked", request.count}, {"free", fitting}};
    if (request.within == "island" && fitting >= request.count) {
      const std::int64_t most = *std::max_element(in_island.begin(), in_island.end());
      return {{Rule::kDomain, node.spec->name, {{"asked", request.count}, {"free", most}}}, most};
    }
    if (request.kind == ShareKind::kMig) return {{Rule::kMigPlacement, {}, asked_free}, fitting};
    if (request.kind == ShareKind::kWhole) return {{Rule::kCards, {}, asked_free}, fitting};
    if (request.count > 1) return {{Rule::kDistinctCards, {}, asked_free}, fitting};
    return card_shortage(node, r);
  }

  // One share that no single card can take.
  CardShortage card_shortage(const NodeRecord& node, std::size_t r) const {
    const DeviceRequest& request = shape_.request.devices[r];
    Rejection lacks{Rule::kCardShort, node.spec->name, {}};
    std::int64_t most_memory = 0;
    std::int64_t most_compute = 0;
    CardAsk asked;  // of the last card looked at; the cards of a node are of one model
    std::optional<Rule> other;
    std::int64_t others = 0;
    for (std::size_t c = 0; c < node.cards.size(); ++c) {
      const CardState& card = node.cards[c];
      const CardAsk ask = state_.ask(shape_, r, card.kind);
      const auto rule = sharing_mode(ask.mode).refuses(state_.card_kind(card.kind), card, ask);
      if (rule && *rule != Rule::kCardShort) {
        other = rule;
        ++others;
        continue;
      }
      asked = ask;
      most_memory = std::max<std::int64_t>(most_memory, card.memory_free);
      most_compute = std::max<std::int64_t>(most_compute, card.compute_free);
      add_lack(lacks, static_cast<std::int64_t>(c), card, ask);
    }
    if (other && lacks.numbers.empty()) {
      return {{*other, node.spec->name, {{"cards", others}}}, 0};
    }
    const std::int64_t usable =
        std::max<std::int64_t>(1, state_.card_kind(node.cards[0].kind).usable);
    const std::int64_t nearness = most_compute + most_memory * kCard / usable;
    if (request.compute > 0 && request.memory_mib.value_or(0) > 0) return {lacks, nearness};
    if (request.compute == 0) {
      return {{Rule::kCardShort,
               node.spec->name,
               {{"asked_mib", asked.memory / kEighthsPerMib},
                {"free_mib", most_memory / kEighthsPerMib}}},
              nearness};
    }
    return {{Rule::kCardShort,
             node.spec->name,
             {{"asked_compute_ppm", asked.compute * kPpmOne / kCard},
              {"free_compute_ppm", most_compute * kPpmOne / kCard}}},
            nearness};
  }

  static void add_lack(Rejection& lacks, std::int64_t index, const CardState& card,
                       const CardAsk& ask) {
    const std::int64_t memory = ask.memory - card.memory_free;
    const std::int64_t compute = ask.compute - card.compute_free;
    if (memory <= 0 && compute <= 0) return;
    lacks.numbers.push_back({"card", index});
    if (memory > 0) {
      lacks.numbers.push_back({"lacks_mib", (memory + kEighthsPerMib - 1) / kEighthsPerMib});
    }
    if (compute > 0) {
      lacks.numbers.push_back({"lacks_compute_ppm", compute * kPpmOne / kCard});
    }
  }

  Rejection reason_of(Stage stage) const {
    const auto nodes = static_cast<std::int64_t>(seen_[static_cast<std::size_t>(stage)]);
    switch (stage) {
      case Stage::kPartition:
        return {Rule::kPartition, {}, {{"nodes", nodes}}};
      case Stage::kReady:
        return {Rule::kNodeState, {}, {{"nodes", nodes}}};
      case Stage::kModel:
        return {Rule::kModel, {}, {{"nodes", nodes}}};
      case Stage::kCpu:
        return {Rule::kCpu, {}, {{"asked", shape_.request.cpu_milli}, {"free", most_cpu_}}};
      case Stage::kMemory:
        return {
            Rule::kHostMemory, {}, {{"asked", shape_.request.memory_mib}, {"free", most_memory_}}};
      case Stage::kCountable:
        return {Rule::kCountable,
                {},
                {{countable_->resource, countable_->amount}, {"free", most_countable_}}};
      case Stage::kCards:
      case Stage::kFits:
        break;
    }
    return shortage_->rejection;
  }

  const ClusterState& state_;
  const Shape& shape_;
  std::array<std::uint64_t, kStages> seen_ = {};
  std::int64_t most_cpu_ = 0;
  std::int64_t most_memory_ = 0;
  const Countable* countable_ = nullptr;  // of shape_
  std::int64_t most_countable_ = 0;
  std::optional<CardShortage> shortage_;
};

}  // namespace

Rejections explain(const ClusterState& state, ShapeIndex shape) {
  return Explainer(state, state.shapes().at(shape)).run();
}

}  // namespace berth::engine
