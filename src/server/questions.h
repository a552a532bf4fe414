// Questions: what takes long to answer (why, what-if, where a job would land) is worked out on a
// copy of the state, on one thread beside everything else.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "base/error.h"

namespace berth::server {

class Questions {
 public:
  static constexpr std::size_t kMostWaiting = 64;

  Questions();
  ~Questions();  // what waits is dropped

  // Runs it soon; refuses when too many wait.
  Status ask(std::function<void()> question);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> waiting_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace berth::server
