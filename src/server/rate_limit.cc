#include "server/rate_limit.h"

#include <algorithm>
#include <cmath>

namespace berth::server {

std::optional<std::int64_t> RateLimit::take(const std::string& caller) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  const auto [entry, is_new] = buckets_.try_emplace(caller, Bucket{burst_, now});
  Bucket& bucket = entry->second;
  const double passed = std::chrono::duration<double>(now - bucket.at).count();
  bucket.left = std::min(burst_, bucket.left + passed * per_second_);
  bucket.at = now;
  if (bucket.left >= 1) {
    bucket.left -= 1;
    return std::nullopt;
  }
  const double wait_s = (1 - bucket.left) / per_second_;
  return std::max<std::int64_t>(1, std::llround(std::ceil(wait_s)));
}

std::string RateLimit::limit_text() const {
  return std::to_string(static_cast<std::int64_t>(per_second_)) + " a second";
}

}  // namespace berth::server
