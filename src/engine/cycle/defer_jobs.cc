// Gangs that could start, but spread over more domains than they must: they wait for a better place
// for a while, and hold nothing meanwhile.
#include <algorithm>
#include <functional>
#include <set>

#include "engine/cycle/cycle.h"
#include "engine/placement/spread.h"

namespace berth::engine {
namespace {

// The job is choosy at first: what it would lose by the place may be as large a part of the worst
// as the part of its patience that is gone, less this.
constexpr std::int64_t kChoosyParts = 4;  // a quarter

// The fewest lowest domains that so many nodes that could run the shape lie in.
std::int64_t least_domains(const ClusterState& state, DomainRoom& room, std::size_t nodes) {
  std::vector<std::size_t> sizes(state.topology_tree().size(), 0);
  for (std::uint32_t n = 0; n < state.nodes().size(); ++n) {
    const NodeIndex node(n);
    const DomainIndex domain = state.topology_tree().lowest(node);
    const bool ready = state.node(node).condition == NodeCondition::kReady;
    if (!domain.is_none() && ready && room.most_on(state, node) > 0) ++sizes[domain.value()];
  }
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  std::erase(sizes, std::size_t{0});
  return static_cast<std::int64_t>(fewest_domains(sizes, nodes));
}

}  // namespace

// Why the place that the job was just given, the last decision, is left for a better one. What is
// asked of a place falls while the job waits; in the end any will do.
std::optional<Rejection> Cycle::waits_for_better(const JobRecord& job) {
  const DurationMs patience = state_.policy().locality_hold_ms;
  if (patience == 0 || state_.topology_tree().empty()) return std::nullopt;
  const DurationMs waited = job.deferred_for(now_);
  if (waited >= patience) return std::nullopt;
  auto wider = wider_than_needed(std::get<Place>(plan_.decisions.back()));
  if (!wider) return std::nullopt;
  const std::int64_t domains = wider->number("asked");
  const std::int64_t least = wider->number("free");
  const std::int64_t worst = std::max(domains, wider->number("nodes"));
  const DurationMs tolerant = std::max<DurationMs>(0, waited - patience / kChoosyParts);
  if ((domains - least) * patience <= (worst - least) * tolerant) return std::nullopt;
  return wider;
}

// The domains of the place and the fewest that would do; nothing where those are as many.
std::optional<Rejection> Cycle::wider_than_needed(const Place& place) {
  std::set<NodeIndex> nodes;
  for (const TaskPlacement& task : place.tasks) nodes.insert(task.node);
  const std::vector<NodeIndex> all(nodes.begin(), nodes.end());
  const auto domains =
      static_cast<std::int64_t>(lowest_domains(state_.topology_tree(), all).size());
  if (domains < 2) return std::nullopt;
  const JobRecord& job = *state_.find_job(place.job);
  DomainRoom& room = engine_.rooms_.of(state_, state_.ask_of(job).roles.front().shape);
  const std::int64_t least = least_domains(state_, room, all.size());
  if (domains <= least) return std::nullopt;
  return Rejection{
      Rule::kLocality,
      {},
      {{"asked", domains}, {"free", least}, {"nodes", static_cast<std::int64_t>(all.size())}}};
}

void Cycle::defer(const JobRecord& job, Rejection why) {
  deferred_.insert(job.id);
  if (job.deferred_since == kNever) plan_.decisions.emplace_back(Defer{job.id, true});
  hold(job, only(std::move(why)));
}

// Clocks of jobs that could not start this time stand still.
void Cycle::end_deferrals() {
  if (state_.deferring().empty()) return;
  std::set<JobId> placed;
  for (const Decision& decision : plan_.decisions) {
    if (const auto* place = std::get_if<Place>(&decision)) placed.insert(place->job);
  }
  for (const JobId id : state_.deferring()) {
    if (!pool_.holds(state_, *state_.find_job(id))) continue;
    if (!deferred_.contains(id) && !placed.contains(id)) plan_.decisions.emplace_back(Defer{id});
  }
}

}  // namespace berth::engine
