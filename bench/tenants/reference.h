// The plain rules, with true run times: each tenant alone on its own nodes, or all jobs on all
// nodes; first come first served or shortest job first; with backfill over the whole line (no room
// is kept for who is passed over), or strict, where nobody passes who does not fit. A task goes to
// the node with the fewest free GPUs that holds it, the first among equals; whole nodes are the
// first free ones.
#pragma once

#include <string>
#include <vector>

#include "bench/tenants/outcome.h"
#include "bench/tenants/protocol.h"

namespace berth::bench::tenants {

struct Discipline {
  std::string name;
  bool is_private = false;
  bool shortest_first = false;
  bool strict = false;
};

// private_fifo first.
const std::vector<Discipline>& disciplines();

Starts replay(const Sample& sample, const Discipline& discipline);

}  // namespace berth::bench::tenants
