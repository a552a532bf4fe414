#include "engine/reclaim/quota_cover.h"

#include <algorithm>
#include <utility>

#include "engine/cycle/commit.h"

namespace berth::engine {

QuotaCover::QuotaCover(Trial& trial, AskFlavours& flavours, const JobRecord& job, TaskCounts tasks,
                       TimeMs now)
    : trial_(trial),
      state_(trial.state()),
      flavours_(flavours),
      job_(job),
      tasks_(std::move(tasks)),
      now_(now) {}

JobAdmission QuotaCover::admission() const {
  return admit_job(state_, flavours_, state_.spec_of(job_), tasks_, now_);
}

std::optional<JobAdmission::Attempt> QuotaCover::admitted() const {
  JobAdmission now = admission();
  if (now.refusal) return std::nullopt;
  return std::move(now.attempts.back());
}

std::optional<JobAdmission::Attempt> QuotaCover::run(UnitTable& units) const {
  const std::vector<std::uint32_t> order = units.in_order();
  JobAdmission now = admission();
  for (; now.refusal; now = admission()) {
    if (!take_next(units, order, now)) return std::nullopt;
  }
  return std::move(now.attempts.back());
}

bool QuotaCover::take_next(UnitTable& units, std::span<const std::uint32_t> order,
                           const JobAdmission& refused) const {
  return std::any_of(order.begin(), order.end(), [&](std::uint32_t u) {
    return units.is_open(u) && counts_below(units.unit(u), refused) && units.take(u);
  });
}

// Whether the unit is charged to a queue that refuses the job.
bool QuotaCover::counts_below(const Unit& unit, const JobAdmission& refused) const {
  const QueueIndex home = state_.spec_of(*state_.find_job(unit.job)).home.queue;
  for (QueueIndex q = home; !q.is_none(); q = state_.quota().queue(q).parent) {
    const auto& by = refused.refused_by;
    if (std::find(by.begin(), by.end(), q) != by.end()) return true;
  }
  return false;
}

// By what the places really take, as the commit will ask.
bool QuotaCover::holds(const std::vector<TaskPlacement>& tasks) const {
  const SpecRecord& spec = state_.spec_of(job_);
  const Trial::Checkpoint start = trial_.checkpoint();
  for (const TaskPlacement& task : tasks) {
    trial_.uncharge(job_.spec, spec.shapes[task.role], task.node, task.grants);
  }
  const bool admitted = engine::is_admitted(state_, spec, tasks, now_);
  trial_.rollback(start);
  return admitted;
}

}  // namespace berth::engine
