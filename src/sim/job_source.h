// JobSource: where the jobs of a simulation come from, one at a time in the order of their arrival,
// so that a run of millions of jobs holds few of them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "model/job.h"

namespace berth::sim {

struct SimJob {
  TimeMs at = 0;
  std::string name;
  JobSpecPtr spec;        // equal jobs share one
  DurationMs run_ms = 0;  // from the end of its start-up to its own; the scheduler is not told
};

class JobSource {
 public:
  virtual ~JobSource() = default;
  // The next job, never earlier than the one before; nothing after the last.
  virtual std::optional<SimJob> next() = 0;
};

// Jobs that are all known.
class ListedJobs final : public JobSource {
 public:
  // Sorts by time; jobs of one instant keep their order.
  explicit ListedJobs(std::vector<SimJob> jobs);
  std::optional<SimJob> next() override;

 private:
  std::vector<SimJob> jobs_;
  std::size_t next_ = 0;
};

// Several sources as one; of equal times the earlier source comes first.
class MergedJobs final : public JobSource {
 public:
  explicit MergedJobs(std::vector<std::unique_ptr<JobSource>> sources);
  std::optional<SimJob> next() override;

 private:
  struct Lane {
    std::unique_ptr<JobSource> source;
    std::optional<SimJob> head;
  };
  std::vector<Lane> lanes_;
};

}  // namespace berth::sim
