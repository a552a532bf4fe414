// The policies that are compared, each a setting of the product's engine.
// Owns: their names, scores and what they are told beforehand. Must never place a pod itself.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/state/cluster_state.h"
#include "model/policy.h"

namespace berth::bench::openb {

// What a policy knows of the trace before the first pod arrives.
enum class Knowledge {
  kNothing,
  kTypicalPods,  // the shapes that cover 95 % of the pods, with their weights, as FGD has them
  kWholeMix,     // all shapes with their weights
};

struct Contestant {
  std::string_view name;
  std::string_view score;  // empty: the engine's own cost
  Knowledge knowledge = Knowledge::kNothing;
  bool learns = false;  // follows the arrivals
};

// The baselines in the order of the publication's tables, then ours.
std::span<const Contestant> contestants();

PolicySpec policy_of(const Contestant& contestant);

// What the policy is told beforehand of a mix: baselines get the mix alone, ours what the product
// computes from it.
FitPtr given_fit(const Contestant& contestant, const engine::ClusterState& state,
                 std::vector<MixEntry> mix);
// What the product learns from the arrivals so far.
FitPtr learned_fit(const engine::ClusterState& state);

}  // namespace berth::bench::openb
