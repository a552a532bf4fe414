// PendingLines: the jobs that wait, in lines. Jobs of one spec are one line, oldest first: they ask
// the same for the same owner, so that only the head of a line ever has to be looked at. Jobs that
// may not be placed whatever room there is (held by their owner, waiting after a failed start) are
// asleep beside the lines; running jobs that lack tasks stand in a row of their own.
//
// Derived from the jobs; never saved. The order of lines, and of their numbers, means nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/dense_set.h"
#include "base/ids.h"
#include "engine/state/job_record.h"

namespace berth::engine {

// Whether the job has a reason that says why it waits in its line; those of sleep don't.
bool is_told(const JobRecord& job);

struct PendingLine {
  QueueIndex queue;  // none: the spec has had no line yet
  AskIndex ask;
  // Of its spec: where the line stands in its queue, and whether more than limits may refuse it.
  JobClass job_class = JobClass::kTraining;
  bool is_protected = false;
  std::int32_t priority = 0;
  std::deque<JobId> jobs;    // that may be placed; oldest first
  std::uint32_t served = 0;  // of them: those that come back with attained service
  std::uint32_t untold = 0;  // of them: those that are not told why they wait
  std::uint32_t at = 0;      // its place among the lines of its queue, while it has jobs
};

class PendingLines {
 public:
  // The job has the phase Pending. `now` decides whether its back-off is over.
  void add(const JobRecord& job, const SpecRecord& spec, TimeMs now);
  // Before anything else about the job changes.
  void remove(const JobRecord& job);
  // The job, which waits, is told why: before its reasons are set.
  void note_reasons(const JobRecord& job);
  // Jobs whose back-off is over by `now`, to be added again; they are removed.
  std::vector<JobId> take_awake(TimeMs now);
  // When the next job wakes up after `now`; kNever: none.
  TimeMs next_wake(TimeMs now) const {
    const auto next = timers_.lower_bound({saturating_add(now, 1), JobId::none()});
    return next == timers_.end() ? kNever : next->first;
  }
  // No job has the spec any more; its number will be used again.
  void forget(SpecIndex spec);

  // Jobs that wait, asleep or not.
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // The line of a spec that has or had one. Lines without jobs stay until their spec is forgotten.
  const PendingLine& line(SpecIndex spec) const { return lines_[spec.value()]; }
  std::span<const SpecIndex> of_ask(AskIndex ask) const { return by_ask_[ask.value()].items(); }
  // Lines of the queue with jobs.
  std::span<const SpecIndex> of_queue(QueueIndex queue) const;
  // Asks with jobs in some line.
  std::span<const AskIndex> asks() const { return busy_asks_.items(); }
  // Lines with jobs that are not told why they wait.
  std::span<const SpecIndex> untold_lines() const { return untold_lines_.items(); }
  const std::set<JobId>& asleep() const { return asleep_; }
  // Of them, those whose reasons have not been looked at since they went to sleep.
  const std::set<JobId>& untold_asleep() const { return untold_asleep_; }
  // All jobs that wait, by id. O(n log n)
  std::vector<JobId> sorted_ids() const;

  // Running jobs that lack tasks.
  void set_short(JobId job, bool lacks_tasks);
  const std::set<JobId>& short_jobs() const { return short_jobs_; }

 private:
  PendingLine& open(SpecIndex index, const SpecRecord& spec);
  void note_busy(SpecIndex index);
  void note_idle(SpecIndex index);

  std::vector<PendingLine> lines_;                // by spec
  std::vector<DenseSet<SpecIndex>> by_ask_;       // lines with jobs
  std::vector<std::vector<SpecIndex>> by_queue_;  // lines with jobs, in no particular order
  DenseSet<AskIndex> busy_asks_;
  DenseSet<SpecIndex> untold_lines_;
  std::set<JobId> asleep_;
  std::set<JobId> untold_asleep_;
  std::set<std::pair<TimeMs, JobId>> timers_;
  std::set<JobId> short_jobs_;
  std::size_t size_ = 0;
};

}  // namespace berth::engine
