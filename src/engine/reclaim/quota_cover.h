// QuotaCover: units whose end lets the quota admit a job that it refuses as things stand: what they
// hold counts against the same limit or guarantee. It takes them in the trial of a search; whether
// there is a place for the job is not its question.
#pragma once

#include <vector>

#include "engine/quota/job_quota.h"
#include "engine/reclaim/cover.h"

namespace berth::engine {

class QuotaCover {
 public:
  // The job asks for so many tasks of each role; `claims`: what it would hold of each flavour.
  QuotaCover(const Trial& trial, AskFlavours& flavours, const JobRecord& job, TaskCounts tasks,
             const ReclaimRights::Claims& claims, TimeMs now);

  // Whether the quota admits the job without anything being taken.
  bool is_admitted() const;
  // Takes units, cheapest first, until it does; false where it does not even then.
  bool run(UnitTable& units) const;
  // Whether the quota still holds, once the job is charged.
  bool holds() const;

 private:
  JobAdmission admission() const;
  bool take_next(UnitTable& units, std::span<const std::uint32_t> order,
                 const JobAdmission& refused) const;
  bool counts_below(const Unit& unit, const JobAdmission& refused) const;

  const ClusterState& state_;
  AskFlavours& flavours_;
  const JobRecord& job_;
  TaskCounts tasks_;
  const ReclaimRights::Claims& claims_;
  TimeMs now_;
};

}  // namespace berth::engine
