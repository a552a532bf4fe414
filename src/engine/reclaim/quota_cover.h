// QuotaCover: units whose end lets the quota admit a job that it refuses as things stand: what they
// hold counts against the same limit or guarantee. It takes them in the trial of a search; whether
// there is a place for the job is not its question.
#pragma once

#include <optional>
#include <vector>

#include "engine/quota/job_quota.h"
#include "engine/reclaim/cover.h"

namespace berth::engine {

class QuotaCover {
 public:
  // The job asks for so many tasks of each role.
  QuotaCover(Trial& trial, AskFlavours& flavours, const JobRecord& job, TaskCounts tasks,
             TimeMs now);

  // With which models the quota admits the job without anything being taken; nothing: it refuses.
  std::optional<JobAdmission::Attempt> admitted() const;
  // Takes units, cheapest first, until it does: with which models then. Nothing where it does not
  // even with all of them gone.
  std::optional<JobAdmission::Attempt> run(UnitTable& units) const;
  // Whether it admits the job in these places, which are charged to it in the trial.
  bool holds(const std::vector<TaskPlacement>& tasks) const;

 private:
  JobAdmission admission() const;
  bool take_next(UnitTable& units, std::span<const std::uint32_t> order,
                 const JobAdmission& refused) const;
  bool counts_below(const Unit& unit, const JobAdmission& refused) const;

  Trial& trial_;
  const ClusterState& state_;
  AskFlavours& flavours_;
  const JobRecord& job_;
  TaskCounts tasks_;
  TimeMs now_;
};

}  // namespace berth::engine
