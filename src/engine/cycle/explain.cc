#include "engine/cycle/explain.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "engine/cycle/card_shortage.h"
#include "engine/placement/filters.h"
#include "engine/state/by_name.h"

namespace berth::engine {
namespace {

// "n1", "n1, n7", "n1, n7 and 4 more"
template <typename Names>
std::string some_names(const Names& names) {
  constexpr std::size_t kShown = 3;
  std::string text;
  std::size_t shown = 0;
  for (const std::string& name : names) {
    if (shown == kShown) break;
    text += (shown++ > 0 ? ", " : "") + name;
  }
  if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " more";
  return text;
}

// Whether nodes of a slot may serve the shape as far as nodes of one slot are alike, cards aside;
// each kind of node is asked once.
class KindFilters {
 public:
  KindFilters(const ClusterState& state, const Shape& shape) : state_(state), shape_(shape) {}

  // The filter that refuses nodes of the kind; null: none does.
  const NodeFilter* refusal(const NodeRecord& node) {
    if (known_.size() <= node.kind.value()) known_.resize(node.kind.value() + 1);
    Known& known = known_[node.kind.value()];
    if (!known.asked) known = {true, first_of_kind(node)};
    return known.filter;
  }

 private:
  struct Known {
    bool asked = false;
    const NodeFilter* filter = nullptr;
  };

  const NodeFilter* first_of_kind(const NodeRecord& node) const {
    const auto it = std::find_if(kNodeFilters.begin(), kNodeFilters.end(), [&](const auto& filter) {
      return filter.scope == FilterScope::kKind && !filter.passes(state_, node, shape_);
    });
    return it == kNodeFilters.end() ? nullptr : &*it;
  }

  const ClusterState& state_;
  const Shape& shape_;
  std::vector<Known> known_;  // by kind
};

// Nodes that are in no slot, because they take no new work or are kept. O(fleet) where there are
// any.
std::vector<NodeIndex> nodes_outside(const ClusterState& state, const CardClasses& classes) {
  std::size_t inside = 0;
  for (const SlotIndex slot : classes.slots()) inside += state.slots().slot(slot).nodes.size();
  std::vector<NodeIndex> outside;
  if (inside == state.nodes().size()) return outside;
  for (std::uint32_t n = 0; n < state.nodes().size(); ++n) {
    const NodeRecord& node = state.node(NodeIndex(n));
    if (!node.slot.is_none() || node.condition == NodeCondition::kRemoved) continue;
    outside.emplace_back(n);
  }
  return outside;
}

std::vector<std::string> names_of(const ClusterState& state, std::vector<NodeIndex> nodes) {
  sort_by_name(state, nodes);
  std::vector<std::string> names;
  for (const NodeIndex node : nodes) names.push_back(state.node(node).spec->name);
  return names;
}

// What is said of a fleet goes by slots and by classes of cards; of nodes that are alike the first
// by name speaks.
class Explainer {
 public:
  Explainer(const ClusterState& state, const CardClasses& classes, const Shape& shape)
      : state_(state),
        classes_(classes),
        shape_(shape),
        kinds_(state, shape),
        waiting_(classes.size()) {}

  Rejections run() {
    for (const SlotIndex slot : classes_.slots()) visit(state_.slots().slot(slot), slot);
    for (const NodeIndex node : nodes_outside(state_, classes_)) refuse(node);
    for (const Waiting& nodes : waiting_) judge_cards(nodes);
    if (fits_) return {};
    judge_crowded();
    note_countables();
    Rejections reasons;
    if (refused_[kPartitionFilter] == nodes_) {
      reasons.push_back({Rule::kNoNode, partition_name(), {{"nodes", nodes_}}});
    }
    for (std::size_t f = kNodeFilters.size(); f-- > 0;) {
      if (kNodeFilters[f].rule == Rule::kSelector) add_errors(reasons);
      if (refused_[f] > 0) reasons.push_back(reason_of(f));
    }
    return reasons;
  }

 private:
  // Nodes of one class of cards that pass all filters before that of the cards.
  struct Waiting {
    NodeIndex first;  // by name; none: no such node
    std::int64_t count = 0;
    std::vector<NodeIndex> nodes;  // only where they may differ in what is asked for
  };

  void visit(const Slot& slot, SlotIndex index) {
    const auto count = static_cast<std::int64_t>(slot.nodes.size());
    const NodeFilter* filter = kinds_.refusal(state_.node(slot.nodes.back()));
    if (filter == nullptr) of_kind_.push_back(index);
    if (filter == nullptr && EnoughCpu::passes(state_, slot, shape_)) {
      for (const NodeIndex node : slot.nodes) visit_node(node, waiting_[classes_.of(index)]);
      return;
    }
    nodes_ += count;
    if (filter == nullptr) most_cpu_ = std::max(most_cpu_, slot.cpu_free);
    refused_[filter == nullptr ? number_of<EnoughCpu>() : number_of(filter)] += count;
    if (filter != nullptr) note_error(*filter, slot.kind, count);
  }

  // Nodes that the selector says nothing of are told of apart from those to which it says no.
  void note_error(const NodeFilter& filter, NodeKindIndex index, std::int64_t nodes) {
    if (filter.rule != Rule::kSelector) return;
    const NodeKind& kind = state_.node_kind(index);
    const std::string* error = state_.selectors().error(shape_.selectors, kind.devices);
    if (error == nullptr) return;
    unanswered_[*error] += nodes * kind.cards;
    refused_[number_of<SelectedDevice>()] -= nodes;
  }

  // Nodes of a slot come last name first.
  void visit_node(NodeIndex index, Waiting& waiting) {
    const NodeRecord& node = state_.node(index);
    ++nodes_;
    if (!EnoughHostMemory::passes(state_, node, shape_)) {
      ++refused_[number_of<EnoughHostMemory>()];
      most_memory_ = std::max(most_memory_, node.memory_free);
      return;
    }
    if (!shape_.request.resources.empty()) waiting.nodes.push_back(index);
    count_in(index, 1, waiting);
  }

  // So many nodes of which this one is the first by name.
  void count_in(NodeIndex index, std::int64_t count, Waiting& waiting) const {
    waiting.count += count;
    const bool first = waiting.first.is_none() ||
                       state_.node(index).name_order < state_.node(waiting.first).name_order;
    if (first) waiting.first = index;
  }

  // CPU and host memory are not what is short where no node has the cards anyway. Where no node has
  // got as far as its cards, all that pass what goes by kind lack one of those.
  void judge_crowded() {
    const auto any = [](const Waiting& nodes) { return nodes.count > 0; };
    if (std::any_of(waiting_.begin(), waiting_.end(), any)) return;
    std::vector<Waiting> crowded(classes_.size());
    for (const SlotIndex index : of_kind_) {
      const Slot& slot = state_.slots().slot(index);
      count_in(slot.nodes.back(), std::ssize(slot.nodes), crowded[classes_.of(index)]);
    }
    for (const Waiting& nodes : crowded) {
      if (any(nodes) && cards_serve(state_, slot_of(nodes.first), shape_)) return;
    }
    for (const Waiting& nodes : crowded) {
      if (any(nodes)) refuse_cards(nodes);
    }
  }

  const Slot& slot_of(NodeIndex index) const {
    return state_.slots().slot(state_.node(index).slot);
  }

  void refuse_cards(const Waiting& nodes) {
    const NodeRecord& first = state_.node(nodes.first);
    refused_[number_of<CardsHaveRoom>()] += nodes.count;
    note_cards(first);
  }

  // A node in no slot; something before its CPU refuses it.
  void refuse(NodeIndex node) {
    ++nodes_;
    const NodeFilter* filter = first_refusal(state_, state_.node(node), shape_);
    ++refused_[number_of(filter)];
    note_error(*filter, state_.node(node).kind, 1);
    if (filter->rule == Rule::kReserved) kept_for_.insert(state_.node(node).held_for);
  }

  void judge_cards(const Waiting& waiting) {
    if (waiting.first.is_none()) return;
    const NodeRecord& first = state_.node(waiting.first);
    if (!cards_serve(state_, state_.slots().slot(first.slot), shape_)) {
      return refuse_cards(waiting);
    }
    if (shape_.request.resources.empty()) fits_ = true;
    for (const NodeIndex node : waiting.nodes) {
      if (lacking_resource(state_.node(node), shape_.request.resources) == nullptr) {
        fits_ = true;
        return;
      }
      short_.push_back(node);
    }
  }

  // Of the resource that is lacking at the first such node: the most that a node has free.
  void note_countables() {
    if (short_.empty()) return;
    refused_[number_of<EnoughCountables>()] += static_cast<std::int64_t>(short_.size());
    const auto lacks = [&](NodeIndex node) {
      return lacking_resource(state_.node(node), shape_.request.resources);
    };
    const NodeIndex first = *std::min_element(short_.begin(), short_.end(), [&](auto a, auto b) {
      return state_.node(a).name_order < state_.node(b).name_order;
    });
    countable_ = lacks(first);
    std::erase_if(short_, [&](NodeIndex node) { return lacks(node) != countable_; });
    for (const NodeIndex node : short_) {
      most_countable_ =
          std::max(most_countable_, resource_free(state_.node(node), countable_->resource));
    }
  }

  static std::size_t number_of(const NodeFilter* filter) {
    return static_cast<std::size_t>(filter - kNodeFilters.data());
  }
  template <typename Filter>
  static std::size_t number_of() {
    const auto it = std::find_if(kNodeFilters.begin(), kNodeFilters.end(),
                                 [](const NodeFilter& row) { return row.name == Filter::kName; });
    return number_of(&*it);
  }

  void note_cards(const NodeRecord& node) {
    bool each_alone = true;
    for (std::size_t r = 0; r < shape_.request.devices.size(); ++r) {
      if (serves_alone(node, r)) continue;
      each_alone = false;
      CardShortage shortage = card_shortage(state_, shape_, node, r);
      shortage.name_order = node.name_order;
      note_shortage(std::move(shortage));
    }
    if (!each_alone) return;
    const Rejection together{Rule::kCards, node.spec->name, {{"together", shape_.device_count()}}};
    note_shortage({together, std::numeric_limits<std::int64_t>::max(), node.name_order});
  }

  // The nearest to success; the first node by name on a tie.
  void note_shortage(CardShortage shortage) {
    if (!shortage_ || shortage.nearness > shortage_->nearness ||
        (shortage.nearness == shortage_->nearness && shortage.name_order < shortage_->name_order)) {
      shortage_ = std::move(shortage);
    }
  }

  // Whether the cards could take the devices of the request, were they all that is asked.
  bool serves_alone(const NodeRecord& node, std::size_t r) const {
    if (shape_.request.devices.size() == 1) return false;
    Shape alone = shape_;
    alone.request.devices = {shape_.request.devices[r]};
    return cards_serve(state_, state_.slots().slot(node.slot), alone);
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
                some_names(names_of(state_, short_)),
                {{countable_->resource, countable_->amount}, {"free", most_countable_}}};
      case Rule::kCards:
        return with_most(shortage_->rejection);
      case Rule::kPartition:
        return {rule, partition_name(), {{"nodes", refused_[filter]}}};
      case Rule::kModel:
        return other_models();
      case Rule::kSelector:
        return unselected();
      case Rule::kReserved:
        return {rule, owners_of_kept_room(), {{"nodes", refused_[filter]}}};
      default:
        return {rule, {}, {{"nodes", refused_[filter]}}};
    }
  }

  // Where there are nodes of an accepted model, only how many are of others.
  Rejection other_models() const {
    const std::int64_t refused = refused_[number_of<AcceptedModel>()];
    const std::int64_t accepted = nodes_ - refused_[kPartitionFilter] - refused;
    if (accepted > 0) return {Rule::kModel, {}, {{"nodes", refused}, {"accepted", accepted}}};
    std::set<std::string> asked;
    for (const DeviceRequest& request : shape_.request.devices) {
      asked.insert(request.models.begin(), request.models.end());
    }
    const std::set<std::string> others = models_there();
    std::string place = "there: " + (others.empty() ? "none" : some_names(others));
    if (!asked.empty()) place = "accepted: " + some_names(asked) + "; " + place;
    return {Rule::kModel, std::move(place), {{"nodes", refused}}};
  }

  Rejection unselected() const {
    const std::int64_t refused = refused_[number_of<SelectedDevice>()];
    const std::int64_t elsewhere =
        refused_[kPartitionFilter] + refused_[number_of<AcceptedModel>()];
    return {Rule::kSelector, {}, {{"nodes", refused}, {"accepted", nodes_ - elsewhere - refused}}};
  }

  // Those of the most cards.
  void add_errors(Rejections& reasons) const {
    constexpr std::size_t kShown = 3;
    std::vector<std::pair<std::int64_t, std::string>> errors;
    for (const auto& [message, cards] : unanswered_) errors.emplace_back(-cards, message);
    std::sort(errors.begin(), errors.end());
    for (std::size_t i = 0; i < std::min(errors.size(), kShown); ++i) {
      reasons.push_back({Rule::kSelector, errors[i].second, {{"cards", -errors[i].first}}});
    }
  }

  // On nodes of the job's partition.
  std::set<std::string> models_there() const {
    std::set<std::string> names;
    for (const NodeRecord& node : state_.nodes()) {
      const NodeKind& kind = state_.node_kind(node.kind);
      const bool there = node.condition != NodeCondition::kRemoved && !kind.model.is_none() &&
                         InPartition::passes(state_, kind, shape_);
      if (there) names.insert(state_.model(kind.model).gpu->name);
    }
    return names;
  }

  std::string owners_of_kept_room() const {
    std::set<std::string> names;
    for (const JobId id : kept_for_) names.insert(state_.find_job(id)->name);
    return some_names(names);
  }

  // Whole cards that no node has so many of, whatever is free.
  Rejection with_most(Rejection why) const {
    if (why.rule != Rule::kCards || why.number("asked") == 0) return why;
    std::int64_t most = 0;
    for (std::uint32_t k = 0; k < state_.node_kind_count(); ++k) {
      if (!kind_admits(state_, NodeKindIndex(k), shape_)) continue;
      most = std::max<std::int64_t>(most, state_.node_kind(NodeKindIndex(k)).cards);
    }
    if (most < why.number("asked")) why.numbers.push_back({"most", most});
    return why;
  }

  // Empty for a job that is in no partition.
  std::string partition_name() const {
    return shape_.partition.is_none() ? std::string() : state_.partition(shape_.partition).name;
  }

  static constexpr std::size_t kPartitionFilter = 0;
  static_assert(kNodeFilters[kPartitionFilter].rule == Rule::kPartition);

  const ClusterState& state_;
  const CardClasses& classes_;
  const Shape& shape_;
  KindFilters kinds_;
  std::vector<SlotIndex> of_kind_;                              // slots that pass what goes by kind
  std::vector<Waiting> waiting_;                                // by class
  std::array<std::int64_t, kNodeFilters.size()> refused_ = {};  // nodes, by the filter that did
  std::int64_t nodes_ = 0;
  bool fits_ = false;
  std::set<JobId> kept_for_;
  std::map<std::string, std::int64_t> unanswered_;  // cards by why the selector has no answer
  std::int64_t most_cpu_ = 0;
  std::int64_t most_memory_ = 0;
  const Countable* countable_ = nullptr;  // of shape_
  std::int64_t most_countable_ = 0;
  std::vector<NodeIndex> short_;  // of it
  std::optional<CardShortage> shortage_;
};

}  // namespace

Rejections explain_refusals(const ClusterState& state, const CardClasses& classes,
                            ShapeIndex index) {
  const Shape& shape = state.shapes().at(index);
  std::array<std::vector<NodeIndex>, kNodeFilters.size()> refused;
  const auto visit = [&](NodeIndex node) {
    const NodeFilter* filter = first_refusal_beside_cards(state, state.node(node), shape);
    if (filter == nullptr) return;
    refused[static_cast<std::size_t>(filter - kNodeFilters.data())].push_back(node);
  };
  for (const NodeIndex node : nodes_outside(state, classes)) visit(node);
  // a node that is in a slot is ready
  for (const SlotIndex slot : classes.slots()) {
    if (shape.request.resources.empty()) break;
    for (const NodeIndex node : state.slots().slot(slot).nodes) visit(node);
  }
  Rejections reasons;
  for (std::size_t f = kNodeFilters.size(); f-- > 0;) {
    const Rule rule = kNodeFilters[f].rule;
    if (refused[f].empty() || (rule != Rule::kNodeState && rule != Rule::kCountable)) continue;
    Rejection why{rule, some_names(names_of(state, refused[f])), {}};
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

std::optional<Rejection> explain_health(const ClusterState& state, const CardClasses& classes,
                                        ShapeIndex index) {
  const Shape& shape = state.shapes().at(index);
  if (shape.request.devices.empty()) return std::nullopt;
  std::int64_t broken = 0;
  for (const SlotIndex number : classes.slots()) {
    const Slot& slot = state.slots().slot(number);
    const auto of_each = std::count_if(slot.cards.begin(), slot.cards.end(),
                                       [](const CardState& card) { return !card.is_healthy(); });
    if (of_each == 0 || !kind_admits(state, slot.kind, shape)) continue;
    broken += of_each * std::ssize(slot.nodes);
  }
  if (broken == 0) return std::nullopt;
  return Rejection{Rule::kCardHealth, {}, {{"cards", broken}}};
}

Rejections explain(const ClusterState& state, const CardClasses& classes, ShapeIndex shape) {
  return Explainer(state, classes, state.shapes().at(shape)).run();
}

Rejections explain(const ClusterState& state, ShapeIndex shape) {
  CardClasses classes;
  classes.catch_up(state);
  return explain(state, classes, shape);
}

}  // namespace berth::engine
