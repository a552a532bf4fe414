// RateLimit: so many requests a second for each caller, with a burst. Time is the monotonic clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace berth::server {

class RateLimit {
 public:
  RateLimit(double per_second, double burst) : per_second_(per_second), burst_(burst) {}

  // Takes one request of the caller's; seconds until the next may come when there is none left.
  std::optional<std::int64_t> take(const std::string& caller);
  std::string limit_text() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Bucket {
    double left = 0;
    Clock::time_point at;
  };

  double per_second_;
  double burst_;
  std::mutex mutex_;
  std::map<std::string, Bucket> buckets_;  // bounded by the callers, which are known
};

}  // namespace berth::server
