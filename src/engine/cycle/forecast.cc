// When a job that waits could start if nothing else came: the soonest expected ends that let it
// fit.
#include <algorithm>
#include <set>

#include "engine/cycle/cycle.h"

namespace berth::engine {

Eta Cycle::eta(const JobRecord& job) {
  if (why_asleep(job) || lacks_group(job)) return {};
  const Trial::Checkpoint start = trial_.checkpoint();
  open_own_room(job);
  Eta found = soonest(job);
  trial_.rollback(start);
  const bool deferred = state_.deferring().contains(job.id) && found.last.is_none();
  if (deferred) found.at = now_ + state_.policy().locality_hold_ms - job.deferred_for(now_);
  return found;
}

Eta Cycle::soonest(const JobRecord& job) {
  const std::vector<ExpectedEnd> ends = expected_ends(state_, now_);
  if (fits_after(job, ends, 0)) return {now_, JobId::none(), EndBasis::kDeclared, last_nodes_};
  if (!fits_after(job, ends, ends.size())) return {};
  // more ends never leave less room: the least number is found by halving
  std::size_t low = 1;
  std::size_t high = ends.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (fits_after(job, ends, middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  const ExpectedEnd& last = ends[low - 1];
  EndBasis basis = EndBasis::kDeclared;
  for (std::size_t i = 0; i < low; ++i) basis = std::max(basis, ends[i].basis);
  fits_after(job, ends, low);  // for its nodes
  return {last.at, state_.find_lease(last.lease)->job, basis, last_nodes_};
}

// Whether the job fits once the first `count` leases have ended.
bool Cycle::fits_after(const JobRecord& job, const std::vector<ExpectedEnd>& ends,
                       std::size_t count) {
  const Mark start = mark();
  for (std::size_t i = 0; i < count; ++i) {
    const Lease& lease = *state_.find_lease(ends[i].lease);
    const JobRecord& owner = *state_.find_job(lease.job);
    trial_.release(owner.spec, state_.spec_of(owner).shapes[lease.placement.role],
                   lease.placement.node, lease.placement.grants);
  }
  const auto find = [&](const JobRecord& one) { return search(one, needs_of(one), {}); };
  const bool fits = forms_group(job) ? place_group(job, find)
                                     : !admit(job, least_tasks(state_.ask_of(job))) && find(job);
  if (fits) note_nodes(start.decisions);
  back_to(start);
  return fits;
}

// The nodes of the places decided since. Where a job takes resources of a domain that is all of the
// domain: whoever ran on another node of it could take them.
void Cycle::note_nodes(std::size_t from) {
  std::set<NodeIndex> nodes;
  for (std::size_t i = from; i < plan_.decisions.size(); ++i) {
    const auto& place = std::get<Place>(plan_.decisions[i]);
    for (const TaskPlacement& task : place.tasks) nodes.insert(task.node);
    if (place.domain.is_none()) continue;
    std::vector<NodeIndex> all;
    state_.topology_tree().collect_nodes(place.domain, all);
    nodes.insert(all.begin(), all.end());
  }
  last_nodes_.assign(nodes.begin(), nodes.end());
}

}  // namespace berth::engine
