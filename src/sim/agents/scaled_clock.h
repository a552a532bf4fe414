// ScaledClock: simulated time that runs with the wall clock, so many times as fast. A server and
// the simulated nodes of one demonstration share one, so that a grace of 30 s is that on both
// sides.
#pragma once

#include <algorithm>
#include <atomic>

#include "base/check.h"
#include "control/ports.h"

namespace berth::sim {

class ScaledClock final : public control::Clock {
 public:
  // `wall` must outlive it; `speed` is at least 1. Begins at `from`.
  ScaledClock(const control::Clock& wall, std::int64_t speed, TimeMs from = 0)
      : wall_(wall), speed_(speed), began_(wall.now()), from_(from), last_(from) {
    BERTH_CHECK(speed >= 1);
  }
  // Never goes back, whatever the wall clock does.
  TimeMs now() const override {
    const TimeMs at = saturating_add(from_, saturating_mul(wall_.now() - began_, speed_));
    TimeMs last = last_.load();
    while (last < at && !last_.compare_exchange_weak(last, at)) {
    }
    return std::max(last, at);
  }
  // How long the wall clock takes for so much of it, rounded up.
  DurationMs wall_ms(DurationMs ms) const { return ms / speed_ + (ms % speed_ != 0 ? 1 : 0); }

 private:
  const control::Clock& wall_;
  std::int64_t speed_;
  TimeMs began_;
  TimeMs from_;
  mutable std::atomic<TimeMs> last_;
};

}  // namespace berth::sim
