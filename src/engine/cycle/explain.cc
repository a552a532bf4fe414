#include "engine/cycle/explain.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "engine/placement/filters.h"

namespace berth::engine {
namespace {

// "n1", "n1, n7", "n1, n7 and 4 more"
std::string some_names(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) {
    if (i > 0) text += ", ";
    text += names[i];
  }
  if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " more";
  return text;
}

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
    if (fits_) return {};
    Rejections reasons;
    if (refused_[kPartitionFilter] == nodes_) {
      reasons.push_back({Rule::kNoNode, partition_name(), {{"nodes", nodes_}}});
    }
    for (std::size_t f = kNodeFilters.size(); f-- > 0;) {
      if (refused_[f] > 0) reasons.push_back(reason_of(f));
    }
    return reasons;
  }

 private:
  void visit(const NodeRecord& node) {
    ++nodes_;
    const NodeFilter* filter = first_refusal(state_, node, shape_);
    if (filter == nullptr) {
      fits_ = true;
      return;
    }
    ++refused_[static_cast<std::size_t>(filter - kNodeFilters.data())];
    if (filter->rule == Rule::kCpu) most_cpu_ = std::max(most_cpu_, node.cpu_free);
    if (filter->rule == Rule::kHostMemory) most_memory_ = std::max(most_memory_, node.memory_free);
    if (filter->rule == Rule::kCountable) note_countable(node);
    if (filter->rule == Rule::kCards) note_cards(node);
  }

  // Of the resource that is lacking at the first such node: the most that a node has free.
  void note_countable(const NodeRecord& node) {
    const Countable& wanted = *lacking_resource(node, shape_.request.resources);
    if (countable_ == nullptr) countable_ = &wanted;
    if (countable_ != &wanted) return;
    short_nodes_.push_back(node.spec->name);
    most_countable_ = std::max(most_countable_, resource_free(node, wanted.resource));
  }

  void note_cards(const NodeRecord& node) {
    bool each_alone = true;
    for (std::size_t r = 0; r < shape_.request.devices.size(); ++r) {
      if (serves_alone(node, r)) continue;
      each_alone = false;
      note_shortage(shortage_of(node, r));
    }
    if (!each_alone) return;
    const Rejection together{Rule::kCards, node.spec->name, {{"together", shape_.device_count()}}};
    note_shortage({together, std::numeric_limits<std::int64_t>::max()});
  }

  void note_shortage(CardShortage shortage) {
    if (!shortage_ || shortage.nearness > shortage_->nearness) shortage_ = std::move(shortage);
  }

  // Whether the cards could take the devices of the request, were they all that is asked.
  bool serves_alone(const NodeRecord& node, std::size_t r) const {
    if (shape_.request.devices.size() == 1) return false;
    Shape alone = shape_;
    alone.request.devices = {shape_.request.devices[r]};
    return cards_serve(state_, state_.slots().slot(node.slot), alone);
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
    if (asks_island(request) && fitting >= request.count) {
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

  // What the nodes that the filter refused have to say.
  Rejection reason_of(std::size_t filter) const {
    const Rule rule = kNodeFilters[filter].rule;
    switch (rule) {
      case Rule::kCpu:
        return {rule, {}, {{"asked", shape_.request.cpu_milli}, {"free", most_cpu_}}};
      case Rule::kHostMemory:
        return {rule, {}, {{"asked", shape_.request.memory_mib}, {"free", most_memory_}}};
      case Rule::kCountable:
        return {rule,
                some_names(short_nodes_),
                {{countable_->resource, countable_->amount}, {"free", most_countable_}}};
      case Rule::kCards:
        return shortage_->rejection;
      case Rule::kPartition:
        return {rule, partition_name(), {{"nodes", refused_[filter]}}};
      default:
        return {rule, {}, {{"nodes", refused_[filter]}}};
    }
  }

  // Empty for a job that is in no partition.
  std::string partition_name() const {
    return shape_.partition.is_none() ? std::string() : state_.partition(shape_.partition).name;
  }

  static constexpr std::size_t kPartitionFilter = 0;
  static_assert(kNodeFilters[kPartitionFilter].rule == Rule::kPartition);

  const ClusterState& state_;
  const Shape& shape_;
  std::array<std::int64_t, kNodeFilters.size()> refused_ = {};  // nodes, by the filter that did
  std::int64_t nodes_ = 0;
  bool fits_ = false;
  std::int64_t most_cpu_ = 0;
  std::int64_t most_memory_ = 0;
  const Countable* countable_ = nullptr;  // of shape_
  std::int64_t most_countable_ = 0;
  std::vector<std::string> short_nodes_;  // of it
  std::optional<CardShortage> shortage_;
};

}  // namespace

Rejections explain_refusals(const ClusterState& state, ShapeIndex index) {
  const Shape& shape = state.shapes().at(index);
  std::array<std::vector<std::string>, kNodeFilters.size()> refused;
  for (const NodeIndex n : state.nodes_by_name()) {
    const NodeRecord& node = state.node(n);
    const NodeFilter* filter = first_refusal_beside_cards(state, node, shape);
    if (filter == nullptr) continue;
    refused[static_cast<std::size_t>(filter - kNodeFilters.data())].push_back(node.spec->name);
  }
  Rejections reasons;
  for (std::size_t f = kNodeFilters.size(); f-- > 0;) {
    const Rule rule = kNodeFilters[f].rule;
    if (refused[f].empty() || (rule != Rule::kNodeState && rule != Rule::kCountable)) continue;
    Rejection why{rule, some_names(refused[f]), {}};
    if (rule == Rule::kCountable && !shape.request.resources.empty()) {
      const Countable& first = shape.request.resources.front();
      why.numbers.push_back({first.resource, first.amount});
      why.numbers.push_back({"free", 0});
    }
    why.numbers.push_back({"nodes", static_cast<std::int64_t>(refused[f].size())});
    reasons.push_back(std::move(why));
  }
  return reasons;
}

Rejections explain(const ClusterState& state, ShapeIndex shape) {
  return Explainer(state, state.shapes().at(shape)).run();
}

}  // namespace berth::engine
