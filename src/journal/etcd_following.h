// A feed on a thread of its own, for tests: what it has been handed, and how far it says it is.
// Tests only.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "journal/etcd_feed.h"
#include "journal/journal_testing.h"

namespace berth::journal::testing {

class Following {
 public:
  Following(const EtcdSettings& settings, const std::string& prefix, std::uint64_t after = 0)
      : feed_(std::move(*EtcdFeed::open(settings, prefix))),
        thread_([this, after](const std::stop_token& stop) { run(after, stop); }) {}

  // Whether it was handed so many batches, and has said that it is at the end.
  bool has_caught_up(std::size_t batches) {
    return waited([&] { return times_.size() >= batches && marked_ >= batches; });
  }
  Times times() {
    const std::lock_guard lock(mutex_);
    return times_;
  }
  control::FeedMark mark() {
    const std::lock_guard lock(mutex_);
    return mark_;
  }
  // Ends it, if it has not ended by itself.
  Status end() {
    thread_.request_stop();
    thread_.join();
    return status_;
  }
  // As it ends by itself.
  Status outcome() {
    EXPECT_TRUE(waited([&] { return has_ended_; }));
    return end();
  }

 private:
  bool waited(const std::function<bool()>& what) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10), what);
  }
  void run(std::uint64_t after, const std::stop_token& stop) {
    const auto visit = [this](const EventBatch& batch) -> Status {
      const std::lock_guard lock(mutex_);
      times_.push_back(times_of(batch));
      changed_.notify_all();
      return {};
    };
    const auto caught_up = [this](const control::FeedMark& mark) {
      const std::lock_guard lock(mutex_);
      EXPECT_GE(mark.revision, mark_.revision);
      EXPECT_GE(mark.as_of, mark_.as_of);
      mark_ = mark;
      marked_ = times_.size();
      changed_.notify_all();
    };
    Status status = feed_->follow(after, visit, caught_up, stop);
    const std::lock_guard lock(mutex_);
    status_ = std::move(status);
    has_ended_ = true;
    changed_.notify_all();
  }

  std::unique_ptr<EtcdFeed> feed_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Times times_;
  control::FeedMark mark_;
  std::size_t marked_ =
      0;  // batches that it had been handed when it said last that it is at the end
  Status status_;
  bool has_ended_ = false;
  std::jthread thread_;
};

}  // namespace berth::journal::testing
