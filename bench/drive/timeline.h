// Timeline: the instants of a run at which something ends or arrives, in order. What falls on the
// same ms belongs to one instant.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "base/units.h"

namespace berth::bench {

// A job says when it arrives (`at`) and how long it runs (`run_ms`); jobs are sorted by the first.
template <typename Job>
class Timeline {
 public:
  explicit Timeline(const std::vector<Job>& jobs) : jobs_(jobs) {}

  // To the next instant; false when nothing is left to happen.
  bool advance() {
    if (next_ == jobs_.size() && ends_.empty()) return false;
    now_ = kNever;
    if (next_ < jobs_.size()) now_ = jobs_[next_].at;
    if (!ends_.empty()) now_ = std::min(now_, ends_.top().first);
    ended_.clear();
    for (; !ends_.empty() && ends_.top().first == now_; ends_.pop()) {
      ended_.push_back(ends_.top().second);
    }
    arrived_.clear();
    for (; next_ < jobs_.size() && jobs_[next_].at == now_; ++next_) arrived_.push_back(next_);
    return true;
  }

  TimeMs now() const { return now_; }
  std::span<const std::size_t> ended() const { return ended_; }
  std::span<const std::size_t> arrived() const { return arrived_; }

  // The job starts now, and ends after its run time.
  void start(std::size_t job) { ends_.emplace(now_ + jobs_[job].run_ms, job); }

 private:
  using End = std::pair<TimeMs, std::size_t>;

  const std::vector<Job>& jobs_;
  TimeMs now_ = 0;
  std::size_t next_ = 0;  // to arrive
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::vector<std::size_t> ended_;
  std::vector<std::size_t> arrived_;
};

}  // namespace berth::bench
