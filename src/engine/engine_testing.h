// For tests only: an engine at a time that stands still, with commands that must be accepted; and
// selectors that random jobs may have.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "engine/cycle/engine.h"

namespace berth::engine::testing {

// By model, memory, profile and label; some have no answer on nodes without the label, one nowhere.
inline constexpr std::array<const char*, 7> kSomeSelectors = {
    "device.attributes['berth'].model == 'plain'",
    "device.capacity['gpu.test.com'].memory.compareTo(quantity('50Gi')) >= 0",
    "device.attributes['gpu.test.com'].?profile.orValue('') != '2g.20gb'",
    "device.attributes['berth'].rack == 'a'",
    "device.attributes['berth'].?rack.orValue('') != 'b'",
    "device.attributes['example.com'].?zone.orValue('') == 'z' || device.attributes['berth'].rack "
    "== 'b'",
    "device.attributes['berth'].nothing"};

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
