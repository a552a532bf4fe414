#include "control/planners.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <thread>
#include <utility>

namespace berth::control {

Planners::Planners(unsigned count) : replicas_(std::max(1U, count)) {}

void Planners::begin(const engine::ClusterState& state) {
  for (engine::Engine& replica : replicas_) replica = engine::Engine(engine::ClusterState(state));
  news_.clear();
  taken_.clear();
}

void Planners::take_news() {
  if (taken_.empty()) {
    taken_.swap(news_);
    return;
  }
  std::move(news_.begin(), news_.end(), std::back_inserter(taken_));
  news_.clear();
}

void Planners::catch_up(engine::Engine& replica) const {
  for (const Event& event : taken_) replica.apply(event);
}

Plan Planners::plan(TimeMs now) {
  engine::Engine& first = replicas_.front();
  catch_up(first);
  first.begin_plan(now);
  const std::vector<engine::Pool> pools = engine::pools_of(first.state());
  std::vector<Plan> plans(pools.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&](engine::Engine& replica) {
    for (std::size_t p = next++; p < pools.size(); p = next++) {
      plans[p] = replica.plan_pool(pools[p], now);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t r = 1; r < replicas_.size(); ++r) {
      threads.emplace_back([&, r] {
        catch_up(replicas_[r]);
        replicas_[r].begin_plan(now);
        work(replicas_[r]);
      });
    }
    work(first);
  }
  taken_.clear();
  return engine::merge(std::move(plans));
}

}  // namespace berth::control
