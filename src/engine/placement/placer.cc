#include "engine/placement/placer.h"

#include <algorithm>

#include "engine/placement/mig_search.h"
#include "engine/placement/scan.h"
#include "engine/placement/worth_method.h"

namespace berth::engine {

Placer::Placer() : mig_(std::make_unique<MigSearch>()) {}
Placer::~Placer() = default;
Placer::Placer(Placer&&) noexcept = default;
Placer& Placer::operator=(Placer&&) noexcept = default;

PlacementMethod& Placer::method_for(const ClusterState& state) {
  const std::vector<ScoreWeight>& scores = state.policy().scores;
  if (scores.empty()) {
    if (worth_ == nullptr) worth_ = std::make_unique<WorthMethod>(state);
    return *worth_;
  }
  if (scan_ == nullptr || scores_ != scores) {
    scores_ = scores;
    scan_ = std::make_unique<ScanMethod>(state.policy());
  }
  return *scan_;
}

std::optional<Candidate> Placer::find(const ClusterState& state, ShapeIndex shape) {
  if (state.policy().scores.empty() && MigSearch::serves(state.shapes().at(shape))) {
    return mig_->find(state, shape);
  }
  return method_for(state).find(state, shape);
}

std::optional<Candidate> Placer::find_in(const ClusterState& state, ShapeIndex shape,
                                         const SearchScope& scope) {
  if (scope.models.empty() && scope.all_nodes) return find(state, shape);
  if (state.policy().scores.empty() && MigSearch::serves(state.shapes().at(shape))) {
    return mig_->find(state, shape, scope);
  }
  return method_for(state).find_in(state, shape, scope);
}

bool is_among(const ClusterState& state, NodeKindIndex kind, std::span<const ModelIndex> models) {
  return models.empty() ||
         std::find(models.begin(), models.end(), state.node_kind(kind).model) != models.end();
}

Prices Placer::quote(const ClusterState& state) { return method_for(state).quote(state); }

}  // namespace berth::engine
