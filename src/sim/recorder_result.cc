// The end of a run: from what was recorded to the RunResult.
#include <algorithm>

#include "sim/recorder.h"

namespace berth::sim {
namespace {

constexpr double kMsPerHour = 3'600'000.0;
constexpr std::size_t kCdfPoints = 200;

std::vector<std::string> names_of(std::span<const std::string_view> words) {
  return {words.begin(), words.end()};
}

std::vector<WaitPoint> wait_points(std::vector<DurationMs> waits) {
  std::vector<WaitPoint> points;
  std::sort(waits.begin(), waits.end());
  const std::size_t count = waits.size();
  for (std::size_t i = 1; i <= kCdfPoints && count > 0; ++i) {
    const std::size_t rank = std::max<std::size_t>(1, count * i / kCdfPoints);
    const DurationMs wait = waits[rank - 1];
    const auto most = std::upper_bound(waits.begin(), waits.end(), wait) - waits.begin();
    if (points.empty() || wait > points.back().wait_ms) points.push_back({wait, most});
  }
  return points;
}

}  // namespace

std::vector<JobGroup> Recorder::groups(const engine::ClusterState& state, By by,
                                       const std::vector<std::string>& names,
                                       const std::vector<double>& card_ms) const {
  std::vector<JobGroup> groups(names.size());
  std::vector<std::vector<DurationMs>> waits(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    groups[i].name = names[i];
    groups[i].gpu_hours = card_ms[i] / kMsPerHour;
  }
  for (const Keys& keys : refused_) {
    if (key(keys, by) >= groups.size()) continue;  // of an unknown queue
    JobCounts& jobs = groups[key(keys, by)].jobs;
    ++jobs.submitted;
    ++jobs.refused;
  }
  for (std::size_t id = 0; id < tracks_.size(); ++id) {
    const Track& track = tracks_[id];
    if (track.submitted_at == kNever) continue;
    JobCounts& jobs = groups[key(track.keys, by)].jobs;
    ++jobs.submitted;
    const engine::JobRecord* job = state.find_job(JobId(id));
    if (job == nullptr) {
      ++jobs.finished;
    } else {
      ++(job->phase == JobPhase::kPending ? jobs.waiting : jobs.running);
    }
    waits[key(track.keys, by)].push_back(wait_of(track));
  }
  for (std::size_t i = 0; i < names.size(); ++i) groups[i].wait = wait_stats(std::move(waits[i]));
  return groups;
}

DurationMs Recorder::wait_of(const Track& track) const {
  const TimeMs until = track.started_at == kNever ? clock_.now() : track.started_at;
  return until - track.submitted_at;
}

std::vector<DurationMs> Recorder::waits() const {
  std::vector<DurationMs> waits;
  for (const Track& track : tracks_) {
    if (track.submitted_at != kNever) waits.push_back(wait_of(track));
  }
  return waits;
}

FleetSummary Recorder::fleet_summary(const engine::ClusterState& state) const {
  FleetSummary fleet;
  for (const ModelIndex model : models_) fleet.models.push_back({state.model(model).gpu->name});
  for (const engine::NodeRecord& node : state.nodes()) {
    ++fleet.nodes;
    if (node.cards.empty()) continue;
    FleetModel& row = fleet.models[model_rows_[state.node_kind(node.kind).model.value()]];
    ++row.nodes;
    row.cards += static_cast<std::int64_t>(node.cards.size());
    fleet.cards += static_cast<std::int64_t>(node.cards.size());
  }
  return fleet;
}

RunResult Recorder::result(const engine::ClusterState& state, DurationMs step_ms) const {
  RunResult result;
  Use use = use_;
  for (const LeaseId lease : state.leases().sorted_ids()) {
    if (const Held* held = held_.find(lease)) add_use(*held, use);
  }
  result.fleet = fleet_summary(state);
  result.duration_ms = clock_.now();
  result.events_applied = state.revision();
  result.classes = groups(state, By::kClass, names_of(words_of<JobClass>()), use.classes);
  for (const JobGroup& group : result.classes) {
    result.jobs.submitted += group.jobs.submitted;
    result.jobs.refused += group.jobs.refused;
    result.jobs.finished += group.jobs.finished;
    result.jobs.running += group.jobs.running;
    result.jobs.waiting += group.jobs.waiting;
  }
  result.sizes = groups(state, By::kSize, size_names(), use.sizes);
  result.teams = groups(state, By::kTeam, teams_, use.teams);
  const auto unused = [](const JobGroup& group) { return group.jobs.submitted == 0; };
  std::erase_if(result.sizes, unused);
  std::erase_if(result.teams, unused);
  std::sort(result.teams.begin(), result.teams.end(),
            [](const JobGroup& a, const JobGroup& b) { return a.name < b.name; });
  result.wait = wait_stats(waits());
  result.wait_cdf = wait_points(waits());
  for (std::size_t row = 0; row < models_.size(); ++row) {
    const FleetModel& model = result.fleet.models[row];
    const double hours =
        static_cast<double>(model.cards) * static_cast<double>(result.duration_ms) / kMsPerHour;
    result.models.push_back({model.model, use.models[row] / kMsPerHour, hours});
  }
  result.queues = shares_->summary(state, samples_);
  result.gangs = spreads_->result();
  losses_.fill(result);
  consolidations_.fill(result);
  layouts_.fill(state, result);
  result.step_ms = step_ms;
  result.samples = samples_;
  result.nodes = node_use(state);
  return result;
}

}  // namespace berth::sim
