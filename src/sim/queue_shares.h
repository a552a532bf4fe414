// What queues hold of all cards, and what they would be entitled to, as a report shows it.
#pragma once

#include <string>
#include <vector>

#include "engine/state/cluster_state.h"
#include "sim/run_result.h"

namespace berth::sim {

class QueueShares {
 public:
  // Picks the queues to show: the roots, or what is below a single root; at most kMostQueues.
  explicit QueueShares(const engine::ClusterState& state);

  // One per queue shown, in cards. Cards count alike, whatever their model and partition.
  struct Now {
    std::vector<double> held;
    std::vector<double> fair;
  };
  Now now(const engine::ClusterState& state) const;

  // With the means over the samples.
  std::vector<QueueShare> summary(const engine::ClusterState& state,
                                  const std::vector<Sample>& samples) const;

 private:
  static constexpr std::size_t kMostQueues = 24;

  std::vector<QueueIndex> shown_;
};

// Of all queues, by name.
struct NamedShare {
  std::string name;
  double held_cards = 0;
  double fair_cards = 0;
};
std::vector<NamedShare> queue_shares_now(const engine::ClusterState& state);

// What the queue and all below hold of the flavours that count under the quota.
CardUnits used_under(const engine::ClusterState& state, QueueIndex index,
                     const engine::QuotaEntry& entry);

// Cards that the tasks of a waiting job ask for, by the compute of their requests.
double cards_asked(const engine::ClusterState& state, const engine::JobRecord& job);

}  // namespace berth::sim
