#include "sim/queue_shares.h"

#include <algorithm>
#include <cmath>

#include "engine/quota/fair_share.h"
#include "sim/fragmentation.h"

namespace berth::sim {
namespace {

double as_cards(CardUnits units) { return static_cast<double>(units) / static_cast<double>(kCard); }

CardUnits cards_held(const std::vector<engine::FlavourUsage>& usage, bool own) {
  CardUnits held = 0;
  for (const engine::FlavourUsage& entry : usage) {
    held += own ? entry.own.compute : entry.total.compute;
  }
  return held;
}

// Of the queue itself; what it does not say follows from the queues below.
CardUnits guaranteed(const engine::ClusterState& state, QueueIndex queue) {
  const engine::QueueRecord& record = state.queues()[queue.value()];
  CardUnits own = 0;
  for (const FlavourQuota& quota : record.spec->quotas) {
    if (quota.model != kCpuQuota) own += quota.guarantee;
  }
  CardUnits below = 0;
  for (const QueueIndex child : record.children) below += guaranteed(state, child);
  return std::max(own, below);
}

bool is_cpu(const engine::ClusterState& state, const engine::FlavourUsage& usage) {
  return state.quota().flavour(usage.flavour).is_cpu();
}

std::vector<engine::FlavourUsage> card_usage(const engine::ClusterState& state, QueueIndex queue) {
  std::vector<engine::FlavourUsage> usage = state.queues()[queue.value()].usage;
  std::erase_if(usage, [&](const engine::FlavourUsage& entry) { return is_cpu(state, entry); });
  return usage;
}

std::vector<CardUnits> own_demands(const engine::ClusterState& state) {
  std::vector<CardUnits> demands;
  for (std::uint32_t q = 0; q < state.queues().size(); ++q) {
    demands.push_back(cards_held(card_usage(state, QueueIndex(q)), true));
  }
  for (const JobId id : state.pending().sorted_ids()) {
    const engine::JobRecord& job = *state.find_job(id);
    const double cards = cards_asked(state, job);
    demands[state.spec_of(job).home.queue.value()] +=
        static_cast<CardUnits>(std::llround(cards * static_cast<double>(kCard)));
  }
  return demands;
}

CardUnits capacity(const engine::ClusterState& state) {
  CardUnits cards = 0;
  for (const engine::NodeRecord& node : state.nodes()) {
    if (node.condition == NodeCondition::kRemoved) continue;
    cards += kCard * static_cast<CardUnits>(node.cards.size());
  }
  return cards;
}

}  // namespace

CardUnits used_under(const engine::ClusterState& state, QueueIndex index,
                     const engine::QuotaEntry& entry) {
  const engine::QuotaTree& tree = state.quota();
  CardUnits used = 0;
  for (const engine::FlavourUsage& usage : tree.queue(index).usage) {
    if (tree.entry(index, usage.flavour) != &entry) continue;
    used = saturating_add(used, larger_share(usage.total, tree.capacity(usage.flavour)));
  }
  return used;
}

double cards_asked(const engine::ClusterState& state, const engine::JobRecord& job) {
  double cards = 0;
  for (const Role& role : state.spec_of(job).spec->roles) {
    for (const Container& container : role.containers) {
      const DeviceRequest& devices = container.devices;
      cards += static_cast<double>(devices.count) * role.count * request_share(state, devices);
    }
  }
  return cards;
}

QueueShares::QueueShares(const engine::ClusterState& state) {
  for (std::uint32_t q = 0; q < state.queues().size(); ++q) {
    if (state.queues()[q].parent.is_none()) shown_.emplace_back(q);
  }
  if (shown_.size() == 1 && !state.queues()[shown_.front().value()].children.empty()) {
    shown_ = state.queues()[shown_.front().value()].children;
  }
  if (shown_.size() < 2 || shown_.size() > kMostQueues) shown_.clear();
}

namespace {

// By queue.
std::vector<CardUnits> fair_cards(const engine::ClusterState& state) {
  engine::ShareTree tree;
  tree.capacity = capacity(state);
  const std::vector<CardUnits> demands = own_demands(state);
  for (std::uint32_t q = 0; q < state.queues().size(); ++q) {
    const engine::QueueRecord& record = state.queues()[q];
    engine::ShareNode node;
    if (!record.parent.is_none()) node.parent = record.parent.value();
    node.guarantee = guaranteed(state, QueueIndex(q));
    node.weight = record.spec->weight;
    node.demand = demands[q];
    tree.nodes.push_back(node);
  }
  return engine::fair_shares(tree);
}

}  // namespace

QueueShares::Now QueueShares::now(const engine::ClusterState& state) const {
  Now now;
  if (shown_.empty()) return now;
  const std::vector<CardUnits> fair = fair_cards(state);
  for (const QueueIndex queue : shown_) {
    now.held.push_back(as_cards(cards_held(card_usage(state, queue), false)));
    now.fair.push_back(as_cards(fair[queue.value()]));
  }
  return now;
}

std::vector<NamedShare> queue_shares_now(const engine::ClusterState& state) {
  const std::vector<CardUnits> fair = fair_cards(state);
  std::vector<NamedShare> shares;
  for (std::uint32_t q = 0; q < state.queues().size(); ++q) {
    const engine::QueueRecord& record = state.queues()[q];
    const CardUnits held = cards_held(card_usage(state, QueueIndex(q)), false);
    shares.push_back({record.spec->name, as_cards(held), as_cards(fair[q])});
  }
  std::sort(shares.begin(), shares.end(),
            [](const NamedShare& a, const NamedShare& b) { return a.name < b.name; });
  return shares;
}

std::vector<QueueShare> QueueShares::summary(const engine::ClusterState& state,
                                             const std::vector<Sample>& samples) const {
  std::vector<QueueShare> shares;
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    QueueShare share;
    share.name = state.queues()[shown_[i].value()].spec->name;
    share.guarantee_cards = as_cards(guaranteed(state, shown_[i]));
    for (const Sample& sample : samples) {
      share.held_cards += sample.queue_cards[i] / static_cast<double>(samples.size());
      share.fair_cards += sample.queue_fair_cards[i] / static_cast<double>(samples.size());
    }
    shares.push_back(share);
  }
  return shares;
}

}  // namespace berth::sim
