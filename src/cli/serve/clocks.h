// Clocks of a server.
#pragma once

#include <atomic>
#include <chrono>

#include "control/ports.h"

namespace berth::cli {

// Milliseconds since 1970 by the system's clock.
class WallClock final : public control::Clock {
 public:
  TimeMs now() const override {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
};

// Milliseconds that have passed, whatever the system's clock is set to: by which silence is
// measured.
class MonotonicClock final : public control::Clock {
 public:
  TimeMs now() const override {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

// Another clock, which may be set once it is known.
class SettableClock final : public control::Clock {
 public:
  explicit SettableClock(const control::Clock& first) : clock_(&first) {}
  TimeMs now() const override { return clock_.load()->now(); }
  void set(const control::Clock& clock) { clock_ = &clock; }

 private:
  std::atomic<const control::Clock*> clock_;
};

}  // namespace berth::cli
