#include "engine/cycle/refusal_memory.h"

#include <algorithm>

namespace berth::engine {

bool RefusalMemory::holds(const ClusterState& state, SpecIndex index) const {
  if (index.value() >= refusals_.size()) return false;
  const Refusal& refusal = refusals_[index.value()];
  const SpecRecord& spec = state.spec(index);
  if (refusal.spec == nullptr || refusal.spec != spec.spec || refusal.ask != spec.ask) return false;
  return std::all_of(refusal.by.begin(), refusal.by.end(),
                     [&](const auto& by) { return state.quota().eased(by.first) == by.second; });
}

void RefusalMemory::note(const ClusterState& state, SpecIndex index,
                         const JobAdmission& admission) {
  Refusal refusal{state.spec(index).spec, state.spec(index).ask, {}};
  for (const QueueIndex queue : admission.refused_by) {
    if (queue.is_none()) return;  // it may end by itself
    refusal.by.emplace_back(queue, state.quota().eased(queue));
  }
  if (refusals_.size() <= index.value()) refusals_.resize(index.value() + 1);
  refusals_[index.value()] = std::move(refusal);
}

}  // namespace berth::engine
