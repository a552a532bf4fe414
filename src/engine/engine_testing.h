// For tests only: an engine at a time that stands still, with commands that must be accepted.
#pragma once

#include <gtest/gtest.h>

#include <utility>

#include "engine/cycle/engine.h"

namespace berth::engine::testing {

class StillEngine {
 public:
  const ClusterState& state() const { return engine_.state(); }

 protected:
  void run(CommandBody body) {
    const auto events = engine_.decide({std::move(body), {}, {}}, 0);
    ASSERT_TRUE(events.has_value()) << events.error().to_text();
    for (const Event& event : *events) engine_.apply(event);
  }
  void cycle() {
    for (const Event& event : engine_.commit(engine_.plan(0), 0).events) engine_.apply(event);
  }

  Engine engine_;
};

}  // namespace berth::engine::testing
