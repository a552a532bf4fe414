// RefusalMemory: which lines the quota refused, as long as nothing has been eased in the queues
// that did. It saves asking again and changes no decision: what it holds would be refused.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/quota/job_quota.h"
#include "engine/state/cluster_state.h"

namespace berth::engine {

class RefusalMemory {
 public:
  // Whether the least that a job of the spec needs to start would be refused.
  bool holds(const ClusterState& state, SpecIndex spec) const;
  // It was refused now.
  void note(const ClusterState& state, SpecIndex spec, const JobAdmission& admission);

 private:
  struct Refusal {
    JobSpecPtr spec;  // numbers of specs are used again; null: not refused
    AskIndex ask;
    // The queues that refused, and how often each had been eased then.
    boost::container::small_vector<std::pair<QueueIndex, std::uint64_t>, 2> by;
  };

  std::vector<Refusal> refusals_;  // by spec
};

}  // namespace berth::engine
