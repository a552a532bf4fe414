// One run: three servers over three members of etcd; the leader is killed with SIGKILL.
#pragma once

#include "base/error.h"

namespace berth::bench::failover {

struct Outcome {
  double gap_s = 0;  // from the kill to the first answer to a new job, which is durable then
  double least_between_s = 0;  // the same between two jobs before the kill: what of it is asking
};

// kCorrupt: a job that was answered before the kill is gone after it.
Result<Outcome> measure();

}  // namespace berth::bench::failover
