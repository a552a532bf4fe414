// What the leaders of kill_points_test and the test itself must agree on. A leader is a process
// (dying_leader.cc) that reads what to ask from its standard input, a word a line, and writes each
// batch that it has committed to kTold, as a record of the journal.
#pragma once

#include "codec/gpu_model_codec.h"
#include "model/testing.h"
#include "sim/simulation.h"

namespace berth::failover {

inline constexpr int kTold = 3;  // file descriptor of a leader
inline constexpr const char* kAgentsToken = "t";
inline constexpr std::int64_t kSpeed = 60;  // of its time

inline constexpr const char* kBystander = "bystander";  // submits it
inline constexpr const char* kGuest = "guest";
inline constexpr const char* kAsk = "ask";  // for the gang and another layout

// Two nodes of four whole cards and one that is cut by hand; a tenant with a guarantee of all of
// them, and one with none.
inline sim::SimInput fleet() {
  namespace t = berth::testing;
  sim::SimInput input;
  auto catalog = codec::load_gpu_catalog(BERTH_SOURCE_DIR "/data/gpus");
  for (GpuModel& model : *catalog) {
    if (model.name == "H100-SXM5-80GB") input.models.push_back(std::move(model));
  }
  for (const char* name : {"n1", "n2"}) {
    input.nodes.push_back(t::node(name, "H100-SXM5-80GB", 4));
  }
  NodeSpec cut = t::node("cut", "H100-SXM5-80GB", 1);
  cut.cards[0].mig = MigRegime::kStatic;
  cut.cards[0].layout = {{"3g.40gb", 0}, {"3g.40gb", 4}};
  input.nodes.push_back(std::move(cut));
  QueueSpec owner = t::queue("owner");
  owner.quotas.emplace_back().guarantee = 9 * kCard;
  input.queues = {owner, t::queue("guest")};
  input.policy.reclaim = {ReclaimRight::kGuarantee};
  input.settings.executor.release_ms = kSecondMs;
  input.settings.executor.prepare.value_ms = 2 * kSecondMs;
  return input;
}

}  // namespace berth::failover
