// VirtualClock: the time of a simulation. It moves only when the event loop moves it.
#pragma once

#include "base/check.h"
#include "base/units.h"
#include "control/ports.h"

namespace berth::sim {

class VirtualClock final : public control::Clock {
 public:
  TimeMs now() const override { return now_; }
  void advance(TimeMs to) {
    BERTH_CHECK(to >= now_);
    now_ = to;
  }

 private:
  TimeMs now_ = 0;
};

}  // namespace berth::sim
