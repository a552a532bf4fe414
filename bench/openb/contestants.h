// The policies that are compared, each a setting of the product's engine.
// Owns: their names, scores and what they are told beforehand. Must never place a pod itself.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "control/ports.h"
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

// What a mix means for placement, as the product computes it.
FitPtr fit_of(std::vector<MixEntry> mix);
// The product's learner: a fit of what has arrived so far.
std::unique_ptr<control::Learner> make_learner();

}  // namespace berth::bench::openb
