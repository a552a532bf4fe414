#include "sim/misfits.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "base/check.h"
#include "engine/cycle/engine.h"
#include "model/rejection.h"

namespace berth::sim {
namespace {

constexpr std::size_t kMostTried = 50;

// Waiting jobs that can stand for each other in every question of room.
struct Alike {
  const engine::JobRecord* oldest = nullptr;
  std::int64_t jobs = 0;
};

// By age of the oldest of each.
std::vector<Alike> alike_jobs(const engine::ClusterState& state) {
  std::map<std::pair<engine::AskIndex, PartitionIndex>, std::size_t> known;
  std::vector<Alike> groups;
  for (const JobId id : state.pending().sorted_ids()) {
    const engine::JobRecord& job = *state.find_job(id);
    const engine::SpecRecord& spec = state.spec_of(job);
    const auto [at, is_new] = known.try_emplace({spec.ask, spec.home.partition}, groups.size());
    if (is_new) groups.push_back({&job, 0});
    ++groups[at->second].jobs;
  }
  return groups;
}

// The same nodes and tenants with nothing on them, promised to nobody and forbidden to nobody.
class EmptyFleet {
 public:
  EmptyFleet(const engine::ClusterState& like, TimeMs now) : now_(now) {
    declare(SetPolicy{like.policy(), {}});
    for (std::uint16_t i = 0; i < like.model_count(); ++i) {
      declare(DeclareModel{*like.model(ModelIndex(i)).gpu});
    }
    declare(DeclareTopology{like.topology()});
    for (std::uint32_t i = 0; i < like.partition_count(); ++i) {
      declare(DeclarePartition{like.partition(PartitionIndex(i))});
    }
    for (const engine::QueueRecord& queue : like.queues()) {
      QueueSpec open = *queue.spec;
      open.quotas.clear();
      open.class_limits.clear();
      open.budget = {};
      declare(DeclareQueue{std::move(open)});
    }
    for (const engine::NodeRecord& node : like.nodes()) declare(JoinNode{*node.spec});
  }

  // Why it cannot hold a job of the spec; empty when it can, or does not know of it.
  std::string refusal(const std::string& name, JobSpec spec) {
    spec.group.clear();  // it is asked for alone
    spec.group_jobs = 0;
    spec.is_protected = false;  // by a guarantee, of which there is none here
    const JobId job = engine_.state().next_job();
    if (!carry_out(SubmitJob{name, std::make_shared<const JobSpec>(std::move(spec))})) return {};
    const Rejections reasons = engine_.why(job, now_);
    carry_out(CancelJob{name});
    // one that would wait for a better place could start
    if (reasons.empty() || reasons.front().rule == Rule::kLocality) return {};
    return reasons.front().to_text();
  }

 private:
  // What a state holds was accepted once.
  void declare(CommandBody body) { BERTH_CHECK(carry_out(std::move(body))); }

  bool carry_out(CommandBody body) {
    const auto events = engine_.decide({std::move(body), {}, {}}, now_);
    if (!events) return false;
    for (const Event& event : *events) engine_.apply(event);
    return true;
  }

  engine::Engine engine_;
  TimeMs now_;
};

}  // namespace

std::vector<std::string> misfit_warnings(const engine::ClusterState& state, TimeMs now) {
  const std::vector<Alike> groups = alike_jobs(state);
  if (groups.empty()) return {};
  EmptyFleet fleet(state, now);
  std::int64_t jobs = 0;
  std::string first;
  for (std::size_t i = 0; i < std::min(groups.size(), kMostTried); ++i) {
    const engine::JobRecord& job = *groups[i].oldest;
    const std::string why = fleet.refusal(job.name, *state.spec_of(job).spec);
    if (why.empty()) continue;
    jobs += groups[i].jobs;
    if (first.empty()) first = job.name + ": " + why;
  }
  if (jobs == 0) return {};
  const std::string least = groups.size() > kMostTried ? "at least " : "";
  return {least + grouped(jobs) + (jobs == 1 ? " job still waits" : " jobs still wait") +
          " that this fleet could not hold even when empty; the first: " + first};
}

}  // namespace berth::sim
