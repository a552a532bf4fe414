#include "engine/decide_quotas.h"

#include <algorithm>

#include "engine/decide_checks.h"
#include "model/quantity_text.h"

namespace berth::engine {
namespace {

const FlavourQuota* find_pair(const QueueSpec& queue, const FlavourQuota& like) {
  const auto same = [&](const FlavourQuota& quota) {
    return quota.model == like.model && quota.partition == like.partition;
  };
  const auto found = std::find_if(queue.quotas.begin(), queue.quotas.end(), same);
  return found == queue.quotas.end() ? nullptr : &*found;
}

CardUnits guaranteed(const QueueSpec& queue, const FlavourQuota& like) {
  const FlavourQuota* quota = find_pair(queue, like);
  return quota == nullptr ? 0 : quota->guarantee;
}

// Of all children, `queue` standing for what the state has of it.
CardUnits guaranteed_below(const ClusterState& state, const std::string& parent,
                           const FlavourQuota& like, const QueueSpec& queue) {
  CardUnits sum = queue.parent == parent ? guaranteed(queue, like) : 0;
  for (const QueueRecord& other : state.queues()) {
    if (other.spec->parent != parent || other.spec->name == queue.name) continue;
    sum = saturating_add(sum, guaranteed(*other.spec, like));
  }
  return sum;
}

// "8", "0.5"
std::string cards(CardUnits amount) { return thousandths_text(amount / kCardMilli); }

std::string pair_text(const FlavourQuota& quota) {
  const std::string model = quota.model.empty() ? "cards of any model" : quota.model;
  return quota.partition.empty() ? model : model + " in partition '" + quota.partition + "'";
}

Status too_much(const FlavourQuota& quota, const std::string& parent, CardUnits below,
                CardUnits has, const std::string& field) {
  return invalid("the queues below '" + parent + "' would be guaranteed " + cards(below) + " " +
                     pair_text(quota) + ", and '" + parent + "' itself has " + cards(has),
                 field);
}

Status check_names(const ClusterState& state, const FlavourQuota& quota, const std::string& path) {
  const bool model =
      quota.model.empty() || quota.model == kCpuQuota || !state.find_model(quota.model).is_none();
  if (!model) return unknown_name("GPU model", quota.model, state.model_names(), path + ".model");
  if (quota.partition.empty() || !state.find_partition(quota.partition).is_none()) return {};
  return unknown_name("partition", quota.partition, state.partition_names(), path + ".partition");
}

}  // namespace

Status check_quotas(const ClusterState& state, const QueueSpec& queue) {
  const QueueIndex above = state.find_queue(queue.parent);
  for (std::size_t i = 0; i < queue.quotas.size(); ++i) {
    const FlavourQuota& quota = queue.quotas[i];
    const std::string path = "quotas[" + std::to_string(i) + "]";
    if (auto s = check_names(state, quota, path); !s) return s;
    if (find_pair(queue, quota) != &quota) return invalid("is there twice", path);
    const CardUnits below = guaranteed_below(state, queue.name, quota, queue);
    const std::string field = path + ".guarantee";
    if (below > quota.guarantee) {
      return too_much(quota, queue.name, below, quota.guarantee, field);
    }
    if (above.is_none()) continue;
    const QueueSpec& parent = *state.queues()[above.value()].spec;
    const FlavourQuota* whole = find_pair(parent, quota);
    if (whole == nullptr) continue;
    const CardUnits all = guaranteed_below(state, parent.name, quota, queue);
    if (all > whole->guarantee) {
      return too_much(quota, parent.name, all, whole->guarantee, field);
    }
  }
  return {};
}

}  // namespace berth::engine
