#include "engine/quota/over_promise.h"

#include <algorithm>

namespace berth::engine {
namespace {

// What the queue is guaranteed of the pattern. Below a declared guarantee of all models what is
// implied of one model is a part of it.
CardUnits guaranteed(const QueueRecord& queue, const FlavourPattern& pattern) {
  CardUnits sum = 0;
  bool has_pool = false;
  for (const QuotaEntry& entry : queue.entries) {
    const bool pool = entry.declared && entry.pattern.is_pool();
    has_pool = has_pool || (pool && entry.pattern.partition == pattern.partition);
  }
  for (const QuotaEntry& entry : queue.entries) {
    const bool in_all =
        pattern.is_pool() && !entry.pattern.cpu && entry.pattern.partition == pattern.partition;
    const bool is_part = has_pool && !entry.declared && !entry.pattern.cpu;
    if ((entry.pattern == pattern || in_all) && !is_part) {
      sum = saturating_add(sum, entry.guarantee);
    }
  }
  return sum;
}

// What is there of each flavour, by its index.
std::vector<CardUnits> usable_units(const ClusterState& state) {
  std::vector<CardUnits> units(state.quota().flavour_count(), 0);
  for (const NodeRecord& node : state.nodes()) {
    const bool gone =
        node.condition == NodeCondition::kLost || node.condition == NodeCondition::kRemoved;
    if (gone) continue;
    const NodeKind& kind = state.node_kind(node.kind);
    CardUnits& cpus = units[kind.cpus.value()];
    cpus = saturating_add(cpus, saturating_mul(kind.cpu_milli, kCardMilli));
    if (kind.flavour.is_none()) continue;
    const auto cards = std::count_if(node.cards.begin(), node.cards.end(),
                                     [](const CardState& card) { return card.is_healthy(); });
    units[kind.flavour.value()] += cards * kCard;
  }
  return units;
}

}  // namespace

std::vector<OverPromised> over_promised(const ClusterState& state) {
  const QuotaTree& tree = state.quota();
  std::vector<FlavourPattern> patterns;
  for (const QueueIndex root : tree.roots()) {
    for (const QuotaEntry& entry : tree.queue(root).entries) {
      const auto known = std::find(patterns.begin(), patterns.end(), entry.pattern);
      if (entry.guarantee > 0 && known == patterns.end()) patterns.push_back(entry.pattern);
    }
  }
  std::vector<OverPromised> found;
  if (patterns.empty()) return found;
  const std::vector<CardUnits> there = usable_units(state);
  for (const FlavourPattern& pattern : patterns) {
    OverPromised one{pattern};
    for (const QueueIndex root : tree.roots()) {
      one.promised = saturating_add(one.promised, guaranteed(tree.queue(root), pattern));
    }
    for (std::uint16_t f = 0; f < tree.flavour_count(); ++f) {
      if (pattern.matches(tree.flavour(FlavourIndex(f)))) one.exists += there[f];
    }
    if (one.promised > one.exists) found.push_back(one);
  }
  return found;
}

std::string pattern_name(const ClusterState& state, const FlavourPattern& pattern) {
  if (!pattern.is_pool()) return state.flavour_name({pattern.model, pattern.partition});
  std::string text = "cards of any model";
  if (!pattern.partition.is_none()) text += " in " + state.partition(pattern.partition).name;
  return text;
}

}  // namespace berth::engine
