// WorkBook: what every card-millisecond of a lease was spent on, exactly, by job and by team. The
// executor books; nothing is estimated, so that useful work and all losses together are what was
// leased.
//
// It owns sums and counts. It knows no clock and steers nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/id_table.h"
#include "base/ids.h"
#include "base/units.h"
#include "sim/run_result.h"

namespace berth::sim {

// Card units x ms.
using CardWork = unsigned __int128;

inline CardWork card_work(CardUnits cards, DurationMs ms) {
  return static_cast<CardWork>(cards) * static_cast<CardWork>(ms);
}

struct WorkSums {
  CardWork spent[kSpendingCount] = {};
  CardWork recomputed[kInterruptionCount] = {};

  void add(const WorkSums& other);
  CardWork total() const;
};

// What is booked of one job.
struct WorkAccount {
  JobId id;
  std::uint32_t team = 0;
  std::uint32_t interruptions = 0;
  std::uint32_t evictions = 0;
  std::string name;
  WorkSums sums;

  void add(Spending spending, CardWork work) {
    sums.spent[static_cast<std::size_t>(spending)] += work;
  }
  // Useful work that has to be done again.
  void lose(Interruption cause, CardWork work);
};

// GPU-hours of them.
WorkHours hours_of(const WorkSums& sums);

class WorkBook {
 public:
  // Teams are numbered by the caller; `name` is told of jobs that were interrupted. The account is
  // valid until it is closed.
  WorkAccount& open(JobId job, std::uint32_t team, std::string name);
  // The job has ended; its sums stay in the totals.
  void close(JobId job);

  // A job that had started was stopped before its end.
  void interrupted(WorkAccount& account, Interruption cause);
  void evicted(WorkAccount& account, ReclaimGrade grade);

  WorkSums sums() const;
  // Of a job whose account is open.
  WorkSums sums(JobId job) const { return jobs_.at(job).sums; }
  // Of jobs, by Interruption and by ReclaimGrade.
  std::span<const std::int64_t> interruptions() const { return interruptions_; }
  std::span<const std::int64_t> evictions() const { return evictions_; }

  // Teams without work are left out.
  void fill(RunResult& result, const std::vector<std::string>& teams) const;

 private:
  static bool was_hit(const WorkAccount& job) { return job.interruptions + job.evictions > 0; }
  void note_hit(const WorkAccount& job);

  IdTable<JobId, WorkAccount> jobs_;
  std::vector<WorkSums> ended_;  // by team; of jobs that have ended
  std::vector<JobWork> hit_;     // of jobs that have ended, the ones that lost most
  std::int64_t interruptions_[kInterruptionCount] = {};
  std::int64_t evictions_[kGradeCount] = {};
};

}  // namespace berth::sim
