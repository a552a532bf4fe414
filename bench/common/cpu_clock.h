// The CPU time that the calling thread has taken, in seconds: what a timed comparison counts, as it
// grows little when others use the machine too.
#pragma once

#include <ctime>

namespace berth::bench {

inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

}  // namespace berth::bench
