#include "model/fleet.h"

#include <algorithm>

#include "model/quantity_text.h"

namespace berth {
namespace {

Status within(std::int64_t value, std::int64_t most, const std::string& field) {
  if (value >= 0 && value <= most) return {};
  return invalid(
      "is " + std::to_string(value) + "; from 0 to " + std::to_string(most) + " is accepted",
      field);
}

Status non_negative(std::int64_t value, const std::string& field) {
  return within(value, kAmountLimit, field);
}

// "8 cards", "1 CPU"
std::string amount_text(const FlavourQuota& quota, CardUnits amount) {
  const std::string unit = quota.model == kCpuQuota ? " CPU" : " card";
  return thousandths_text(amount / kCardMilli) + unit + (amount == kCard ? "" : "s");
}

template <typename T, typename Name>
Status distinct_names(const std::vector<T>& items, Name name, const std::string& path) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string field = path + "[" + std::to_string(i) + "]";
    if (auto s = validate_name(name(items[i]), field); !s) return s;
    for (std::size_t j = 0; j < i; ++j) {
      if (name(items[j]) == name(items[i])) {
        return invalid("'" + name(items[i]) + "' is named twice", field);
      }
    }
  }
  return {};
}

Status validate_card(const CardSpec& card, const std::string& path) {
  if (card.mig != MigRegime::kStatic && !card.layout.empty()) {
    return invalid("a layout needs the static MIG regime", path + ".layout");
  }
  if (card.mig != MigRegime::kOff && card.timeslice_replicas > 0) {
    return invalid("a MIG card has no time-slice replicas", path + ".timeslice_replicas");
  }
  if (card.timeslice_replicas > 1000) {
    return invalid("is " + std::to_string(card.timeslice_replicas) + "; at most 1000 are accepted",
                   path + ".timeslice_replicas");
  }
  return {};
}

}  // namespace

bool admits(const PartitionSpec& partition, JobClass job_class, bool spot) {
  if (!partition.classes.empty()) {
    return std::find(partition.classes.begin(), partition.classes.end(), job_class) !=
           partition.classes.end();
  }
  switch (partition.kind) {
    case PartitionKind::kServing:
      return job_class == JobClass::kInference;
    case PartitionKind::kShared:
      return job_class != JobClass::kTraining;
    case PartitionKind::kBatch:
      return true;
    case PartitionKind::kSpot:
      return job_class == JobClass::kTraining && spot;
  }
  return false;
}

Status validate(const NodeSpec& node) {
  if (auto s = validate_name(node.name, "name"); !s) return s;
  if (auto s = non_negative(node.cpu_milli, "cpu_milli"); !s) return s;
  if (auto s = non_negative(node.memory_mib, "memory_mib"); !s) return s;
  if (auto s = within(node.card_memory_mib, kCardMemoryLimit, "card_memory_mib"); !s) return s;
  if (auto s = within(node.card_reserve_mib, kCardMemoryLimit, "card_reserve_mib"); !s) return s;
  if (node.cards.size() > kCardsPerNodeLimit) {
    return fail(ErrorCode::kLimitExceeded,
                "has " + std::to_string(node.cards.size()) + " cards; at most " +
                    std::to_string(kCardsPerNodeLimit) + " are accepted",
                "cards");
  }
  if (node.model.empty() && !node.cards.empty()) {
    return invalid("is empty, but the node has cards; a GPU model is needed", "model");
  }
  for (std::size_t i = 0; i < node.cards.size(); ++i) {
    if (auto s = validate_card(node.cards[i], "cards[" + std::to_string(i) + "]"); !s) return s;
  }
  if (auto s = distinct_names(
          node.domains, [](const auto& d) { return d.first; }, "domains");
      !s) {
    return s;
  }
  for (std::size_t i = 0; i < node.resources.size(); ++i) {
    const std::string field = "resources[" + std::to_string(i) + "].amount";
    if (auto s = non_negative(node.resources[i].amount, field); !s) return s;
  }
  return distinct_names(
      node.resources, [](const Countable& c) { return c.resource; }, "resources");
}

namespace {

// Of those below the node a card can lie in one domain only.
Status check_levels_below(const std::vector<std::string>& levels) {
  std::string inner;
  for (const std::string& level : levels) {
    if (level == "node") return {};
    if (level == "card" || level == "gpu") continue;
    if (!inner.empty()) {
      return invalid("'" + inner + "' and '" + level +
                         "' both lie between the card and 'node'; one level is accepted there",
                     "levels");
    }
    inner = level;
  }
  return invalid("a level 'node' is needed", "levels");
}

Status check_bandwidth(const TopologySpec& topology) {
  for (std::size_t i = 0; i < topology.bandwidth.size(); ++i) {
    const LevelBandwidth& one = topology.bandwidth[i];
    const std::string path = "bandwidth[" + std::to_string(i) + "]";
    const auto& levels = topology.levels;
    if (std::find(levels.begin(), levels.end(), one.level) == levels.end()) {
      return invalid("'" + one.level + "' is not one of the levels", path + ".level");
    }
    if (one.gb_per_s < 1 || one.gb_per_s > kBandwidthLimit) {
      return invalid("is " + std::to_string(one.gb_per_s) + "; from 1 to " +
                         std::to_string(kBandwidthLimit) + " is accepted",
                     path + ".gb_per_s");
    }
  }
  return distinct_names(
      topology.bandwidth, [](const LevelBandwidth& b) { return b.level; }, "bandwidth");
}

}  // namespace

Status validate(const TopologySpec& topology) {
  const auto same = [](const std::string& level) { return level; };
  if (auto s = distinct_names(topology.levels, same, "levels"); !s) return s;
  if (auto s = check_levels_below(topology.levels); !s) return s;
  if (auto s = check_bandwidth(topology); !s) return s;
  const auto node = std::find(topology.levels.begin(), topology.levels.end(), "node");
  for (std::size_t i = 0; i < topology.domains.size(); ++i) {
    const DomainSpec& domain = topology.domains[i];
    const std::string path = "domains[" + std::to_string(i) + "]";
    if (std::find(node + 1, topology.levels.end(), domain.level) == topology.levels.end()) {
      return invalid("'" + domain.level + "' is not one of the levels above 'node'",
                     path + ".level");
    }
    for (std::size_t r = 0; r < domain.resources.size(); ++r) {
      const std::string field = path + ".resources[" + std::to_string(r) + "].amount";
      if (auto s = non_negative(domain.resources[r].amount, field); !s) return s;
    }
  }
  return distinct_names(
      topology.domains, [](const DomainSpec& d) { return d.name; }, "domains");
}

Status validate(const QueueSpec& queue) {
  if (auto s = validate_name(queue.name, "name"); !s) return s;
  if (queue.parent == queue.name) return invalid("a queue is not its own parent", "parent");
  for (std::size_t i = 0; i < queue.quotas.size(); ++i) {
    const std::string path = "quotas[" + std::to_string(i) + "]";
    const FlavourQuota& quota = queue.quotas[i];
    if (auto s = non_negative(quota.guarantee, path + ".guarantee"); !s) return s;
    const std::string guarantee = "the guarantee, " + amount_text(quota, quota.guarantee);
    if (quota.limit && *quota.limit < quota.guarantee) {
      return invalid(
          "is " + amount_text(quota, *quota.limit) + "; at least " + guarantee + ", is accepted",
          path + ".limit");
    }
    if (quota.lend && (*quota.lend < 0 || *quota.lend > quota.guarantee)) {
      return invalid(
          "is " + amount_text(quota, *quota.lend) + "; from 0 to " + guarantee + ", is accepted",
          path + ".lend");
    }
  }
  return non_negative(queue.budget.per_month, "budget.per_month");
}

Status validate(const PartitionSpec& partition) {
  if (auto s = validate_name(partition.name, "name"); !s) return s;
  if (auto s = non_negative(partition.cold_headroom, "cold_headroom"); !s) return s;
  return non_negative(partition.price_per_gpu_hour, "price_per_gpu_hour");
}

}  // namespace berth
