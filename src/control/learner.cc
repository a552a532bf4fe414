#include "control/learner.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "control/mix_fit.h"

namespace berth::control {
namespace {

bool accepts(const engine::ClusterState& state, const DeviceRequest& request, ModelIndex model) {
  if (!state.selectors().may_match(request, *state.model(model).gpu)) return false;
  if (request.models.empty()) return true;
  return std::any_of(request.models.begin(), request.models.end(),
                     [&](const std::string& name) { return state.find_model(name) == model; });
}

const MigWorthTable* present_table(const engine::ClusterState& state, const std::string& model) {
  if (state.fit() == nullptr) return nullptr;
  for (const MigWorthTable& table : state.fit()->mig) {
    if (table.model == model) return &table;
  }
  return nullptr;
}

std::set<ModelIndex> models_cut_dynamically(const engine::ClusterState& state) {
  std::set<ModelIndex> models;
  for (std::size_t i = 0; i < state.card_kind_count(); ++i) {
    const auto& kind = state.card_kind(engine::CardKindIndex(static_cast<std::uint16_t>(i)));
    if (kind.regime == MigRegime::kDynamic) models.insert(kind.model);
  }
  return models;
}

// The same proportions, as of so many sightings that chance plays no part in them.
std::vector<std::int64_t> settled(std::vector<std::int64_t> demand) {
  constexpr __int128 kSettled = 10'000 * learn::kMigSighting;
  __int128 sum = 0;
  for (const std::int64_t seen : demand) sum += seen;
  if (sum == 0) return demand;
  for (std::int64_t& seen : demand) seen = static_cast<std::int64_t>(seen * kSettled / sum);
  return demand;
}

}  // namespace

std::vector<std::int64_t> mig_demand(const engine::ClusterState& state, ModelIndex model,
                                     const std::vector<MixEntry>& mix) {
  const engine::ModelRecord& record = state.model(model);
  std::vector<std::int64_t> demand(record.gpu->mig_profiles.size(), 0);
  if (record.mig == nullptr) return demand;
  for (const MixEntry& entry : mix) {
    for (const DeviceRequest& request : entry.shape.devices) {
      if (request.kind != ShareKind::kMig || !accepts(state, request, model)) continue;
      const auto profile = record.mig->find_profile(request.mig_profile);
      if (!profile) continue;
      std::int64_t& seen = demand[profile->value()];
      seen = saturating_add(seen, saturating_mul(entry.weight, request.count));
    }
  }
  return demand;
}

std::vector<MigWorthTable> mig_tables(const engine::ClusterState& state,
                                      const std::vector<MixEntry>& mix, learn::MigEffort effort) {
  std::vector<MigWorthTable> tables;
  for (const ModelIndex model : models_cut_dynamically(state)) {
    const GpuModel& gpu = *state.model(model).gpu;
    const MigWorthTable* before = present_table(state, gpu.name);
    const std::vector<std::int64_t> demand = mig_demand(state, model, mix);
    std::optional<MigWorthTable> fresh;
    if (learn::mig_fit_due(demand, before)) fresh = learn::fit_mig(gpu, demand, before, effort);
    if (fresh) {
      tables.push_back(std::move(*fresh));
    } else if (before != nullptr) {
      tables.push_back(*before);
    }
  }
  return tables;
}

FitPtr given_fit(const engine::ClusterState& state, std::vector<MixEntry> mix,
                 learn::MigEffort effort) {
  Fit fit = fit_mix(state, std::move(mix));
  for (const ModelIndex model : models_cut_dynamically(state)) {
    const std::vector<std::int64_t> demand = settled(mig_demand(state, model, fit.mix));
    if (!learn::mig_fit_due(demand, nullptr)) continue;
    auto table = learn::fit_mig(*state.model(model).gpu, demand, nullptr, effort);
    if (table) fit.mig.push_back(std::move(*table));
  }
  return std::make_shared<const Fit>(std::move(fit));
}

FitPtr FitLearner::learn(const engine::ClusterState& state) {
  Fit fit = fit_mix(state, sighted_mix(state));
  fit.mig = mig_tables(state, fit.mix, mig_effort_);
  return std::make_shared<const Fit>(std::move(fit));
}

}  // namespace berth::control
