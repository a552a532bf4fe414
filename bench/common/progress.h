// Progress of a long comparison on stderr: one line that is rewritten on a terminal, a line now and
// then elsewhere. May be told from several threads.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

namespace berth::bench {

class Progress {
 public:
  Progress(std::string bench, std::size_t steps);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // One more step is done; `what` names it.
  void step(const std::string& what);

 private:
  using Clock = std::chrono::steady_clock;

  std::string bench_;
  std::size_t steps_;
  bool terminal_;
  std::mutex mutex_;
  std::size_t done_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_;
};

}  // namespace berth::bench
