// Ticker: does something again and again, until it is gone.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "base/units.h"

namespace berth::cli {

class Ticker {
 public:
  Ticker(DurationMs every_ms, std::function<void()> work)
      : thread_([this, every_ms, work = std::move(work)] { run(every_ms, work); }) {}
  ~Ticker() {
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    ending_.notify_all();
    thread_.join();
  }
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  void run(DurationMs every_ms, const std::function<void()>& work) {
    std::unique_lock lock(mutex_);
    while (!ending_.wait_for(lock, std::chrono::milliseconds(every_ms),
                             [this] { return is_ending_; })) {
      lock.unlock();
      work();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable ending_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace berth::cli
