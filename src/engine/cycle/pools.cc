#include "engine/cycle/pools.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace berth::engine {
namespace {

// Partitions that are planned together have the same number.
class Ties {
 public:
  explicit Ties(const ClusterState& state) : state_(state) {
    for (std::size_t p = 0; p < state.partition_count(); ++p) of_.push_back(p);
  }

  // Jobs of a group start together.
  void tie_groups() {
    for (const auto& [name, members] : state_.groups()) {
      PartitionIndex first;
      for (const JobId id : members)
        tie(first, state_.spec_of(*state_.find_job(id)).home.partition);
    }
  }

  // What is counted per domain is shared by all partitions with nodes in it.
  void tie_domain_resources() {
    PartitionIndex first;
    for (const AskIndex ask : state_.pending().asks()) {
      const Ask& what = state_.asks().at(ask);
      if (what.domain_resources.empty()) continue;
      tie(first, state_.shapes().at(what.roles.front().shape).partition);
    }
  }

  std::vector<Pool> pools() const {
    std::vector<Pool> pools;
    for (std::size_t p = 0; p < of_.size(); ++p) {
      Pool pool;
      for (std::size_t q = p; q < of_.size(); ++q) {
        if (of_[q] == p) pool.partitions.push_back(PartitionIndex(static_cast<std::uint32_t>(q)));
      }
      if (!pool.partitions.empty()) pools.push_back(std::move(pool));
    }
    return pools;
  }

 private:
  void tie(PartitionIndex& first, PartitionIndex other) {
    if (other.is_none()) return;
    if (first.is_none()) first = other;
    const std::size_t a = of_[first.value()];
    const std::size_t b = of_[other.value()];
    for (std::size_t& of : of_) {
      if (of == std::max(a, b)) of = std::min(a, b);
    }
  }

  const ClusterState& state_;
  std::vector<std::size_t> of_;  // by partition: the first one that it is tied to
};

}  // namespace

bool Pool::holds(PartitionIndex partition) const {
  if (is_all) return true;
  return std::find(partitions.begin(), partitions.end(), partition) != partitions.end();
}

std::vector<Pool> pools_of(const ClusterState& state) {
  // the bank of moves is one for all
  const bool has_trials = !state.policies().trials().empty();
  const bool is_one = state.partition_count() < 2 || state.policy().migration_ppm > 0;
  if (is_one && !has_trials) return {Pool{true, {}}};
  Ties ties(state);
  ties.tie_groups();
  ties.tie_domain_resources();
  std::vector<Pool> pools = ties.pools();
  if (has_trials) {
    pools.push_back({false, {PartitionIndex::none()}});
  } else {
    pools.front().partitions.push_back(PartitionIndex::none());
  }
  return pools;
}

Plan merge(std::vector<Plan> plans) {
  Plan all = std::move(plans.front());
  for (std::size_t p = 1; p < plans.size(); ++p) {
    std::vector<Decision>& more = plans[p].decisions;
    all.decisions.insert(all.decisions.end(), std::make_move_iterator(more.begin()),
                         std::make_move_iterator(more.end()));
  }
  return all;
}

}  // namespace berth::engine
