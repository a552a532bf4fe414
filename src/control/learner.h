// FitLearner: learns from the arrivals what the demand means for placement: the mix, the card duals
// and the worth of MIG occupancies. Of that it keeps nothing itself: what the next fit needs of the
// last one is in the state's Fit, so a controller that took over learns alike. Where the policy
// asks for it, it also keeps the account of how tenants fare (TenantBook), which comes from the
// journal.
#pragma once

#include <vector>

#include "control/ports.h"
#include "control/tenant_book.h"
#include "learn/mig_fit.h"

namespace berth::control {

class FitLearner final : public Learner {
 public:
  explicit FitLearner(learn::MigEffort mig_effort = learn::MigEffort::kLight)
      : mig_effort_(mig_effort) {}
  FitPtr learn(const engine::ClusterState& state) override;
  void observe(const Event& event, const engine::ClusterState& state) override {
    tenants_.observe(event, state);
  }
  StandingsPtr standings(const engine::ClusterState& state, TimeMs now) override {
    return tenants_.standings(state, now);
  }

 private:
  TenantBook tenants_;
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
