// The product's own engine on the protocol: each arrival is a submitted job that is placed at once,
// each end a report. The demand is learned from the arrivals alone.
#pragma once

#include <cstdint>
#include <map>

#include "bench/mig/protocol.h"
#include "control/learner.h"
#include "model/policy.h"

namespace berth::bench::mig {

// The fits of one sequence of arrivals. A fit depends on what has arrived and on nothing else, so
// runs of the same arrivals at other loads and policies may share them.
class SharedFits {
 public:
  explicit SharedFits(learn::MigEffort effort) : learner_(effort) {}
  FitPtr learn(const engine::ClusterState& state);

 private:
  control::FitLearner learner_;
  std::map<std::uint64_t, FitPtr> by_arrivals_;
};

PolicySpec policy_named(const char* name);  // "berth" or "berth_migrate"

Score run_engine(const Trace& trace, Size size, const PolicySpec& policy, SharedFits& fits);

}  // namespace berth::bench::mig
