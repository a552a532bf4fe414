// What a generator file creates, spelled out: every workload with its queue and its moment.
#pragma once

#include <cstddef>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "bench/quota/generator.h"

namespace berth::bench::quota {

struct Workload {
  const WorkloadTemplate* kind = nullptr;
  std::size_t cohort = 0;  // over all cohort sets
  std::size_t queue = 0;   // over all queues of all cohorts
  TimeMs at = 0;
};

// By time, then by queue, in the order of the file. They point into the generator.
using Workloads = std::vector<Workload>;
Workloads workloads_of(const Generator& generator);

// The instants of a run at which something ends or is created, in order; in whole ms.
class Instants {
 public:
  explicit Instants(const Workloads& workloads) : workloads_(workloads) {}

  // To the next instant; false when nothing is left to happen.
  bool advance();
  TimeMs now() const { return now_; }
  std::span<const std::size_t> ended() const { return ended_; }
  std::span<const std::size_t> created() const { return created_; }
  // The workload is admitted now, and ends after its run time.
  void admit(std::size_t workload) {
    ends_.emplace(now_ + workloads_[workload].kind->runtime_ms, workload);
  }

 private:
  using End = std::pair<TimeMs, std::size_t>;

  const Workloads& workloads_;
  TimeMs now_ = 0;
  std::size_t next_ = 0;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::vector<std::size_t> ended_;
  std::vector<std::size_t> created_;
};

}  // namespace berth::bench::quota
