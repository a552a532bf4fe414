// When a job that waits could start if nothing else came: the soonest expected ends that let it
// fit.
#include <algorithm>
#include <iterator>
#include <set>

#include "engine/cycle/cycle.h"
#include "engine/state/by_name.h"

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

// What runs, and what this plan has placed; soonest first. A job's resources of a domain come free
// with the last of its tasks.
Cycle::Coming Cycle::coming_free() const {
  Coming coming;
  for (const ExpectedEnd& end : expected_ends(state_, now_)) {
    const Lease& lease = *state_.find_lease(end.lease);
    const JobRecord& job = *state_.find_job(lease.job);
    coming.ends.push_back(
        {end.at, end.basis, lease.job, &lease.placement, domain_of(job), lease.is_charged()});
  }
  for (const Decision& decision : plan_.decisions) {
    const auto* place = std::get_if<Place>(&decision);
    if (place == nullptr) continue;
    const ExpectedEnd end =
        end_when_started(state_, state_.spec_of(*state_.find_job(place->job)), now_);
    for (const TaskPlacement& task : place->tasks) {
      coming.planned.push_back(task);
      coming.ends.push_back(
          {end.at, end.basis, place->job, &coming.planned.back(), place->domain, true});
    }
  }
  std::stable_sort(coming.ends.begin(), coming.ends.end(),
                   [](const Freed& a, const Freed& b) { return a.at < b.at; });
  std::set<JobId> later;
  for (auto end = coming.ends.rbegin(); end != coming.ends.rend(); ++end) {
    if (end->domain.is_none() || later.insert(end->job).second) continue;
    end->domain = DomainIndex::none();
  }
  return coming;
}

// Whose resources the job holds.
DomainIndex Cycle::domain_of(const JobRecord& job) const {
  if (job.domain_level.empty()) return DomainIndex::none();
  return state_.topology_tree().find(job.domain_level, job.domain_name);
}

Eta Cycle::soonest(const JobRecord& job) {
  const Coming coming = coming_free();
  const std::span<const Freed> ends = coming.ends;
  if (fits_after(job, {})) return {now_, JobId::none(), EndBasis::kDeclared, last_nodes_};
  if (!fits_after(job, ends)) return {};
  // more ends never leave less room: the least number is found by halving
  std::size_t low = 1;
  std::size_t high = ends.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (fits_after(job, ends.first(middle))) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  EndBasis basis = EndBasis::kDeclared;
  for (std::size_t i = 0; i < low; ++i) basis = std::max(basis, ends[i].basis);
  fits_after(job, ends.first(low));  // for its nodes
  return {ends[low - 1].at, ends[low - 1].job, basis, last_nodes_};
}

// Whether the job fits once all of these have ended.
bool Cycle::fits_after(const JobRecord& job, std::span<const Freed> ended) {
  const Mark start = mark();
  for (const Freed& end : ended) {
    const JobRecord& owner = *state_.find_job(end.job);
    const ShapeIndex shape = state_.spec_of(owner).shapes[end.task->role];
    trial_.give(shape, end.task->node, end.task->grants);
    if (end.is_charged) trial_.uncharge(owner.spec, shape, end.task->node, end.task->grants);
    if (!end.domain.is_none()) {
      trial_.give(end.domain, state_.spec_of(owner).spec->domain_resources);
    }
  }
  const auto find = [&](const JobRecord& one) { return search(one, needs_of(one), {}); };
  const bool fits = forms_group(job) ? place_group(job, find) == GroupFit::kFits
                                     : !admit(job, least_tasks(state_.ask_of(job))) && find(job);
  if (fits) note_nodes(start.decisions);
  back_to(start);
  return fits;
}

// The nodes of the places decided since. Where a job takes resources of a domain these are all
// nodes of the domain that take work: whoever ran on another one could take the resources.
void Cycle::note_nodes(std::size_t from) {
  std::vector<NodeIndex> nodes;
  for (std::size_t i = from; i < plan_.decisions.size(); ++i) {
    const auto& place = std::get<Place>(plan_.decisions[i]);
    for (const TaskPlacement& task : place.tasks) nodes.push_back(task.node);
    if (place.domain.is_none()) continue;
    std::vector<NodeIndex> around;
    state_.topology_tree().collect_nodes(place.domain, around);
    std::copy_if(around.begin(), around.end(), std::back_inserter(nodes), [&](NodeIndex node) {
      return state_.node(node).condition == NodeCondition::kReady;
    });
  }
  sort_by_name(state_, nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  last_nodes_ = std::move(nodes);
}

}  // namespace berth::engine
