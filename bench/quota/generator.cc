#include "bench/quota/generator.h"

namespace berth::bench::quota {

CpuMilli CohortSet::nominal_milli() const {
  CpuMilli sum = 0;
  for (const QueueSet& queues : queue_sets) sum += queues.count * queues.nominal_milli;
  return sum;
}

CpuMilli Generator::nominal_milli() const {
  CpuMilli sum = 0;
  for (const CohortSet& set : cohorts) sum += set.count * set.nominal_milli();
  return sum;
}

}  // namespace berth::bench::quota
