#include "server/replica.h"

#include <chrono>
#include <utility>

namespace berth::server {

Replica::Replica(const control::Clock& clock) : clock_(clock), thread_([this] { follow(); }) {}

Replica::~Replica() {
  {
    const std::lock_guard lock(inbox_mutex_);
    is_stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Replica::begin(const engine::ClusterState& state) {
  const std::scoped_lock lock(mutex_, inbox_mutex_);
  if (state.revision() <= newest_) return;
  inbox_.clear();
  tokens_.begin(state);
  engine_ = engine::Engine(engine::ClusterState(state));
  history_ = JobHistory();
  learner_ = control::FitLearner();
  events_ = EventLog(state.revision());
  revision_ = state.revision();
  newest_ = revision_;
  if (watch_ != nullptr) watch_->jumped();
}

void Replica::committed(std::uint64_t first_revision, std::vector<EventBatch> batches) {
  std::uint64_t newest = first_revision;
  for (const EventBatch& batch : batches) newest += batch.size();
  tokens_.committed(first_revision, batches);
  {
    const std::lock_guard lock(inbox_mutex_);
    inbox_.push_back({first_revision, std::move(batches)});
    newest_ = std::max(newest_.load(), newest);
  }
  wake_.notify_one();
}

void Replica::watch(EventWatch* watch) {
  const std::lock_guard lock(mutex_);
  watch_ = watch;
}

std::uint64_t Replica::newest() const { return newest_; }

bool Replica::wait_for(std::uint64_t revision, DurationMs at_most_ms) const {
  std::unique_lock lock(mutex_);
  applied_.wait_for(lock, std::chrono::milliseconds(at_most_ms),
                    [&] { return revision_ >= revision || is_ended_; });
  return revision_ >= revision;
}

void Replica::follow() {
  while (true) {
    std::deque<News> news;
    {
      std::unique_lock lock(inbox_mutex_);
      wake_.wait(lock, [this] { return is_stopping_ || !inbox_.empty(); });
      if (is_stopping_) break;
      news.swap(inbox_);
    }
    for (const News& one : news) {
      {
        const std::lock_guard lock(mutex_);
        const std::vector<EventView> seen = apply(one);
        if (watch_ != nullptr && !seen.empty()) watch_->applied(seen, engine_.state());
      }
      applied_.notify_all();
    }
  }
  const std::lock_guard lock(mutex_);
  is_ended_ = true;
  applied_.notify_all();
}

std::vector<EventView> Replica::apply(const News& news) {
  std::vector<EventView> seen;
  // `begin` may have come between: what it had is not applied again.
  std::uint64_t revision = news.first_revision;
  for (const EventBatch& batch : news.batches) {
    const std::string actor = actor_of(batch);
    for (const Event& event : batch) {
      if (revision++ < revision_) continue;
      history_.before(event, engine_.state());
      auto teller = EventTeller::begin(event, engine_.state());
      engine_.apply(event);
      learner_.observe(event, engine_.state());
      revision_ = revision;
      if (!teller) continue;
      seen.push_back(teller->finish(event, engine_.state()));
      seen.back().actor = actor;
      events_.add(seen.back());
    }
  }
  return seen;
}

}  // namespace berth::server
