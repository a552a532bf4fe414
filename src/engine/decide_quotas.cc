#include "engine/decide_quotas.h"

#include <algorithm>

#include "engine/decide_checks.h"
#include "model/quantity_text.h"

namespace berth::engine {
namespace {

const FlavourQuota* find_pair(const QueueSpec& queue, const std::string& model,
                              const std::string& partition) {
  const auto same = [&](const FlavourQuota& quota) {
    return quota.model == model && quota.partition == partition;
  };
  const auto found = std::find_if(queue.quotas.begin(), queue.quotas.end(), same);
  return found == queue.quotas.end() ? nullptr : &*found;
}

// The tree as it would be: `queue` stands for what the state has of it.
class PromiseSum {
 public:
  PromiseSum(const ClusterState& state, const QueueSpec& queue) : state_(state), queue_(queue) {}

  // What the queues below are guaranteed of what counts under the quota of `parent`.
  CardUnits below(const QueueSpec& parent, const FlavourQuota& quota) const {
    CardUnits sum = 0;
    for_children(parent.name, [&](const QueueSpec& child) {
      sum =
          saturating_add(sum, quota.model.empty() ? of_all_models(child, quota.partition, {&parent})
                                                  : of_one(child, quota));
    });
    return sum;
  }

 private:
  using Above = std::vector<const QueueSpec*>;

  template <typename Visit>
  void for_children(const std::string& parent, const Visit& visit) const {
    bool seen = false;
    const auto visit_record = [&](const QueueRecord& record) {
      const bool stands_in = record.spec->name == queue_.name;
      seen = seen || stands_in;
      visit(stands_in ? queue_ : *record.spec);
    };
    const QueueIndex index = state_.find_queue(parent);
    if (!index.is_none()) {
      for (const QueueIndex child : state_.queues()[index.value()].children) {
        visit_record(state_.queues()[child.value()]);
      }
    }
    if (!seen && queue_.parent == parent) visit(queue_);
  }

  // What it does not say follows from its children; what they are promised of one model is a part
  // of what it says of all.
  CardUnits of_one(const QueueSpec& queue, const FlavourQuota& like) const {
    if (const auto* own = find_pair(queue, like.model, like.partition)) return own->guarantee;
    if (like.model != kCpuQuota && find_pair(queue, "", like.partition) != nullptr) return 0;
    CardUnits sum = 0;
    for_children(queue.name,
                 [&](const QueueSpec& child) { sum = saturating_add(sum, of_one(child, like)); });
    return sum;
  }

  // Of all models together, less those of which a queue above says something itself.
  CardUnits of_all_models(const QueueSpec& queue, const std::string& partition, Above above) const {
    const auto said_above = [&](const FlavourQuota& quota) {
      return std::any_of(above.begin(), above.end(), [&](const QueueSpec* one) {
        return !quota.model.empty() && find_pair(*one, quota.model, partition) != nullptr;
      });
    };
    CardUnits sum = 0;
    for (const FlavourQuota& quota : queue.quotas) {
      if (quota.partition != partition || quota.model == kCpuQuota || said_above(quota)) continue;
      sum = saturating_add(sum, quota.guarantee);
    }
    if (find_pair(queue, "", partition) != nullptr) return sum;
    above.push_back(&queue);
    for_children(queue.name, [&](const QueueSpec& child) {
      sum = saturating_add(sum, of_all_models(child, partition, above));
    });
    return sum;
  }

  const ClusterState& state_;
  const QueueSpec& queue_;
};

// "8", "0.5"
std::string cards(CardUnits amount) { return thousandths_text(amount / kCardMilli); }

std::string pair_text(const FlavourQuota& quota) {
  const std::string model = quota.model.empty() ? "cards of any model" : quota.model;
  return quota.partition.empty() ? model : model + " in partition '" + quota.partition + "'";
}

// Where the queue says what counts under the quota of a queue above: of the same cards, or of any.
std::string field_of(const QueueSpec& queue, const FlavourQuota& quota) {
  for (std::size_t i = 0; i < queue.quotas.size(); ++i) {
    const FlavourQuota& own = queue.quotas[i];
    const bool counts = own.model == quota.model || (quota.model.empty() && own.model != kCpuQuota);
    if (counts && own.partition == quota.partition) {
      return "quotas[" + std::to_string(i) + "].guarantee";
    }
  }
  return "quotas";
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

// No queue above is made to promise more than it has.
Status check_above(const ClusterState& state, const QueueSpec& queue, const PromiseSum& promises) {
  for (QueueIndex q = state.find_queue(queue.parent); !q.is_none();
       q = state.queues()[q.value()].parent) {
    const QueueSpec& above = *state.queues()[q.value()].spec;
    for (const FlavourQuota& quota : above.quotas) {
      const CardUnits below = promises.below(above, quota);
      if (below > quota.guarantee) {
        return too_much(quota, above.name, below, quota.guarantee, field_of(queue, quota));
      }
    }
  }
  return {};
}

}  // namespace

Status check_quotas(const ClusterState& state, const QueueSpec& queue) {
  const PromiseSum promises(state, queue);
  for (std::size_t i = 0; i < queue.quotas.size(); ++i) {
    const FlavourQuota& quota = queue.quotas[i];
    const std::string path = "quotas[" + std::to_string(i) + "]";
    if (auto s = check_names(state, quota, path); !s) return s;
    if (find_pair(queue, quota.model, quota.partition) != &quota) {
      return invalid("is there twice", path);
    }
    const CardUnits below = promises.below(queue, quota);
    if (below > quota.guarantee) {
      return too_much(quota, queue.name, below, quota.guarantee, path + ".guarantee");
    }
  }
  return check_above(state, queue, promises);
}

}  // namespace berth::engine
