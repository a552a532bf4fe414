// Steps that planning and committing share: a decision tried on the state, and its events.
#pragma once

#include <vector>

#include "engine/state/trial.h"
#include "model/event.h"
#include "model/plan.h"

namespace berth::engine {

// What the lease can be taken back by follows from the spec.
LeaseGranted grant_of(const JobRecord& job, const JobSpec& spec, LeaseId lease,
                      const TaskPlacement& task, LeaseOwnership ownership, std::uint64_t term);

// Each lease gives up its place and takes the new one, in order; all or none. A lease may occur
// once in the life of a trial.
bool move_all(Trial& trial, const std::vector<Move>& moves);

}  // namespace berth::engine
