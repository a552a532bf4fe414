#include "engine/placement/placer.h"

#include "engine/placement/scan.h"

namespace berth::engine {

Placer::Placer() = default;
Placer::~Placer() = default;
Placer::Placer(Placer&&) noexcept = default;
Placer& Placer::operator=(Placer&&) noexcept = default;

PlacementMethod& Placer::method_for(const ClusterState& state) {
  if (method_ == nullptr || policy_revision_ != state.fit_revision()) {
    PolicySpec policy = state.policy();
    if (policy.scores.empty()) policy.scores.push_back({"bestfit", 1});
    method_ = std::make_unique<ScanMethod>(policy);
    policy_revision_ = state.fit_revision();
  }
  return *method_;
}

std::optional<Candidate> Placer::find(const ClusterState& state, ShapeIndex shape) {
  return method_for(state).find(state, shape);
}

Prices Placer::quote(const ClusterState& state) { return method_for(state).quote(state); }

}  // namespace berth::engine
