// Replica: what reads are answered from: a copy of the state that follows the journal on a thread
// of its own, with the jobs that have ended lately and the last events. The writer never waits for
// a reader, and a follower has one as the leader has.
//
// It must never change the cluster.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "control/learner.h"
#include "control/ports.h"
#include "engine/cycle/engine.h"
#include "server/event_log.h"
#include "server/job_history.h"
#include "server/token_table.h"

namespace berth::server {

// What a reader sees; nothing changes while it has it.
struct Reading {
  const engine::ClusterState& state() const { return engine.state(); }

  engine::Engine& engine;  // for questions only; its caches change
  const JobHistory& history;
  const EventLog& events;
  const control::FitLearner& learner;
  TimeMs now = 0;  // of the clock; not before the state's time
};

// Hears what the replica does, while it is locked: it must return at once and must not read.
class EventWatch {
 public:
  virtual ~EventWatch() = default;
  // A run of events that was applied, and the state that they made, before any reader sees it.
  virtual void applied(const std::vector<EventView>& events, const engine::ClusterState& state) = 0;
  // It goes on from a snapshot: what happened up to that was told to nobody here.
  virtual void jumped() = 0;
};

class Replica final : public control::Subscriber {
 public:
  explicit Replica(const control::Clock& clock);
  ~Replica() override;

  void begin(const engine::ClusterState& state) override;
  void committed(std::uint64_t first_revision, std::vector<EventBatch> batches) override;

  // The last revision that was committed, applied here or not.
  std::uint64_t newest() const;
  // Waits until the revision is applied, at most so long; whether it is.
  bool wait_for(std::uint64_t revision, DurationMs at_most_ms) const;
  // Runs `read` on a state that has all that was committed when it was called. One reader at a
  // time.
  template <typename Read>
  auto read(const Read& read) {
    std::unique_lock lock(mutex_);
    applied_.wait(lock,
                  [this, wanted = newest_.load()] { return revision_ >= wanted || is_ended_; });
    return read(Reading{engine_, history_, events_, learner_,
                        std::max(clock_.now(), engine_.state().now())});
  }

  // Ahead of what readers see.
  const TokenTable& tokens() const { return tokens_; }

  // Null: nobody.
  void watch(EventWatch* watch);

 private:
  struct News {
    std::uint64_t first_revision = 0;
    std::vector<EventBatch> batches;
  };

  void follow();
  std::vector<EventView> apply(const News& news);

  const control::Clock& clock_;
  TokenTable tokens_;

  mutable std::mutex mutex_;  // of all below
  mutable std::condition_variable applied_;
  EventWatch* watch_ = nullptr;
  engine::Engine engine_;
  JobHistory history_;
  EventLog events_;
  control::FitLearner learner_;  // for questions about the time to come
  std::uint64_t revision_ = 0;
  bool is_ended_ = false;

  mutable std::mutex inbox_mutex_;
  std::condition_variable wake_;
  std::deque<News> inbox_;
  std::atomic<std::uint64_t> newest_ = 0;
  bool is_stopping_ = false;

  std::thread thread_;
};

}  // namespace berth::server
