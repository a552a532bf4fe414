// Independent runs on all cores. Each writes only its own result, so that the order in which they
// end changes nothing. Never for comparisons that measure time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace berth::bench {

// Calls run(0) .. run(count - 1), each once.
inline void for_each_parallel(std::size_t count, const std::function<void(std::size_t)>& run) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) run(i);
  };
  const std::size_t cores = std::max<std::size_t>(1, std::thread::hardware_concurrency());
  std::vector<std::thread> others;
  for (std::size_t t = 1; t < std::min(cores, count); ++t) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
}

}  // namespace berth::bench
