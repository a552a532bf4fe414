#include "bench/common/progress.h"

#include <unistd.h>

#include <cstdio>

namespace berth::bench {
namespace {

constexpr std::chrono::milliseconds kTerminalPause{100};
constexpr std::chrono::seconds kLogPause{20};

}  // namespace

Progress::Progress(std::string bench, std::size_t steps)
    : bench_(std::move(bench)), steps_(steps), terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (terminal_ && done_ > 0) std::fputs("\r\x1b[K", stderr);
}

void Progress::step(const std::string& what) {
  const std::lock_guard lock(mutex_);
  ++done_;
  const Clock::time_point now = Clock::now();
  const bool due = terminal_ ? now - shown_ >= kTerminalPause : now - shown_ >= kLogPause;
  if (!due && done_ != steps_) return;
  shown_ = now;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - start_).count();
  std::fprintf(stderr, "%s%s: %zu of %zu, %lld s: %s%s", terminal_ ? "\r\x1b[K" : "",
               bench_.c_str(), done_, steps_, static_cast<long long>(seconds), what.c_str(),
               terminal_ ? "" : "\n");
  std::fflush(stderr);
}

}  // namespace berth::bench
