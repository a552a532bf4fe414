// FitLearner: learns from the arrivals what the demand means for placement: the mix, the card duals
// and the worth of MIG occupancies. It keeps nothing itself: what the next fit needs of the last
// one is in the state's Fit, so a controller that took over learns alike.
#pragma once

#include <vector>

#include "control/ports.h"
#include "learn/mig_fit.h"

namespace berth::control {

class FitLearner final : public Learner {
 public:
  explicit FitLearner(learn::MigEffort mig_effort = learn::MigEffort::kLight)
      : mig_effort_(mig_effort) {}
  FitPtr learn(const engine::ClusterState& state) override;

 private:
  learn::MigEffort mig_effort_;
};

// Instances of each of the model's profiles that the mix asks for, in 1/learn::kMigSighting.
std::vector<std::int64_t> mig_demand(const engine::ClusterState& state, ModelIndex model,
                                     const std::vector<MixEntry>& mix);

// A table for each model that the fleet cuts dynamically and the mix asks instances of: trained
// anew when enough is new, else the one of the state's present fit.
std::vector<MigWorthTable> mig_tables(const engine::ClusterState& state,
                                      const std::vector<MixEntry>& mix, learn::MigEffort effort);

// The fit of a mix that the operator gives, for an ObserveFit. Only the proportions of its weights
// count: it is taken as settled, so tables are trained in full whatever the state has seen.
FitPtr given_fit(const engine::ClusterState& state, std::vector<MixEntry> mix,
                 learn::MigEffort effort = learn::MigEffort::kLight);

}  // namespace berth::control
