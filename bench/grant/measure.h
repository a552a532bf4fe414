// One run: a control plane, its nodes, batch work that fills them and waits, and jobs of a service
// whose way from the client to a node is timed.
#pragma once

#include <vector>

#include "bench/grant/fleet.h"
#include "bench/servers/control_plane.h"

namespace berth::bench::grant {

struct Outcome {
  std::vector<double> grant_ms;   // from before the submission until the node has the order
  std::vector<double> answer_ms;  // from before the submission until its answer
  double queued = 0;              // batch jobs that waited, at the end
  double batch_per_s = 0;         // that were submitted meanwhile: as many started and ended
  double server_cpu = 0;          // cores; etcd's too
};

Result<Outcome> measure(BackEnd back_end, const Size& size);

}  // namespace berth::bench::grant
