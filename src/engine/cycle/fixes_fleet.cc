// Fixes beside what the job asks and what its queue may have: a word of its owner, the end of
// another job, a node that takes work again.
#include <algorithm>
#include <map>
#include <utility>

#include "engine/cycle/fix_search.h"
#include "engine/placement/filters.h"
#include "engine/reserve/end_book.h"

namespace berth::engine {
namespace {

// Ends and nodes of which each is tried by itself, the first in order.
constexpr std::size_t kMostTried = 16;

// A job that holds leases, and when the last of them will end as far as is known.
struct Ending {
  TimeMs at = 0;
  JobId job;
  EndBasis basis = EndBasis::kDeclared;

  friend auto operator<=>(const Ending&, const Ending&) = default;
};

std::vector<Ending> endings(const ClusterState& state, TimeMs now) {
  std::map<JobId, Ending> by_job;
  for (const ExpectedEnd& end : expected_ends(state, now)) {
    const JobId job = state.find_lease(end.lease)->job;
    Ending& ending = by_job[job];
    ending = {std::max(ending.at, end.at), job, std::max(ending.basis, end.basis)};
  }
  std::vector<Ending> found;
  for (const auto& [job, ending] : by_job) {
    if (ending.basis != EndBasis::kUnknown) found.push_back(ending);
  }
  std::sort(found.begin(), found.end());
  return found;
}

// What is reported when all of a job ends; one that is being prepared starts before.
FixSearch::Bodies reports_of_end(const ClusterState& state, const JobRecord& job) {
  FixSearch::Bodies bodies;
  for (const LeaseId id : job.leases) {
    const Lease& lease = *state.find_lease(id);
    if (lease.state == LeaseState::kGranted) bodies.emplace_back(ReportPrepared{id, lease.epoch});
  }
  for (const LeaseId id : job.leases) {
    bodies.push_back(report_of_end(state, *state.find_lease(id)));
  }
  return bodies;
}

// Cordoned or draining nodes that may serve a task of the job, by name. Those that their provider
// is about to take away are not there to be used.
std::vector<NodeIndex> cordoned_nodes(const FixSearch& search) {
  const ClusterState& state = search.state();
  std::vector<NodeIndex> nodes;
  for (const NodeIndex index : state.nodes_by_name()) {
    const NodeRecord& node = state.node(index);
    const bool kept_out =
        node.condition == NodeCondition::kCordoned || node.condition == NodeCondition::kDraining;
    if (!kept_out) continue;
    if (state.ledger().interruptions.contains(index)) continue;
    const auto& roles = state.ask_of(search.job()).roles;
    const bool serves = std::any_of(roles.begin(), roles.end(), [&](const RoleAsk& role) {
      return kind_admits(state, node.kind, state.shapes().at(role.shape));
    });
    if (serves) nodes.push_back(index);
  }
  return nodes;
}

FixSearch::Bodies uncordoned(const ClusterState& state, const std::vector<NodeIndex>& nodes) {
  FixSearch::Bodies bodies;
  for (const NodeIndex node : nodes) {
    bodies.emplace_back(SetNodeCondition{state.node(node).spec->name, NodeCondition::kReady});
  }
  return bodies;
}

void offer_uncordoned(FixSearch& search, const std::vector<NodeIndex>& nodes) {
  Fix fix{FixBy::kOperator, 0, nodes.size() == 1 ? "uncordon node" : "uncordon nodes", {}};
  for (const NodeIndex node : nodes) {
    fix.text += " " + search.state().node(node).spec->name;
    fix.change += std::ssize(search.state().node(node).cards) * kCard;
  }
  search.offer(std::move(fix), uncordoned(search.state(), nodes));
}

// The first so many by name that are enough together, and of them none that can be spared.
void uncordon_several(FixSearch& search, const std::vector<NodeIndex>& nodes) {
  const auto helps = [&](const std::vector<NodeIndex>& some) {
    return search.starts(uncordoned(search.state(), some));
  };
  const auto first = [&](std::int64_t count) {
    return std::vector<NodeIndex>(nodes.begin(), nodes.begin() + count);
  };
  if (nodes.size() < 2) return;
  const auto enough = search.most_that_starts(0, std::ssize(nodes), [&](std::int64_t spared) {
    return helps(first(std::ssize(nodes) - spared));
  });
  if (!enough) return;
  std::vector<NodeIndex> needed = first(std::ssize(nodes) - *enough);
  for (std::size_t i = std::min(needed.size(), kMostTried); i-- > 0;) {
    std::vector<NodeIndex> fewer = needed;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (helps(fewer)) needed = std::move(fewer);
  }
  offer_uncordoned(search, needed);
}

}  // namespace

void release_the_job(FixSearch& search) {
  if (!search.job().user_held) return;
  const FixSearch::Bodies bodies = {UnholdJob{search.job().name}};
  if (search.starts(bodies)) search.offer({FixBy::kOwner, 0, "release the job", {}}, bodies);
}

// The soonest end that lets it start by itself; other ends on the way are in its ETA. Where time
// alone lets it start, no end is worth waiting for.
void wait_for_an_end(FixSearch& search) {
  const ClusterState& state = search.state();
  const std::vector<Ending> soonest = endings(state, search.now());
  for (std::size_t i = 0; i < std::min(soonest.size(), kMostTried); ++i) {
    const Ending& ending = soonest[i];
    const JobRecord& job = *state.find_job(ending.job);
    const FixSearch::Bodies reports = reports_of_end(state, job);
    if (!search.starts_at(ending.at, reports)) continue;
    if (search.starts_at(ending.at, {})) return;
    Fix fix{FixBy::kTime, 0, "wait for job " + job.name, {}, ending.at, ending.basis};
    fix.awaited = job.id;
    return search.offer(std::move(fix), reports);
  }
}

void uncordon_nodes(FixSearch& search) {
  const std::vector<NodeIndex> nodes = cordoned_nodes(search);
  for (std::size_t i = 0; i < std::min(nodes.size(), kMostTried); ++i) {
    if (search.starts(uncordoned(search.state(), {nodes[i]}))) {
      return offer_uncordoned(search, {nodes[i]});
    }
  }
  uncordon_several(search, nodes);
}

}  // namespace berth::engine
