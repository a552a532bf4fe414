// Steps that planning and committing share: a decision tried on the state, and its events.
#pragma once

#include <vector>

#include "engine/reclaim/units.h"
#include "engine/state/trial.h"
#include "model/event.h"
#include "model/plan.h"

namespace berth::engine {

// What the lease can be taken back by follows from spec and place.
LeaseGranted grant_of(const ClusterState& state, const JobRecord& job, LeaseId lease,
                      const TaskPlacement& task, LeaseOwnership ownership);

// Each lease gives up its place and takes the new one, in order; all or none. A lease may occur
// once in the life of a trial.
bool move_all(Trial& trial, const std::vector<Move>& moves);

// Whether the quota admits what the tasks really take: what was planned beside the fast path may
// find less left.
bool is_admitted(const ClusterState& state, const SpecRecord& spec,
                 const std::vector<TaskPlacement>& tasks, TimeMs now);

// Takes and charges the tasks of the job in exactly these places; all or none.
bool place_exactly(Trial& trial, const JobRecord& job, const std::vector<TaskPlacement>& tasks);

// What taking the lease back by the grade frees, in a trial: its cards and CPU, and its host memory
// unless that keeps its image.
void release_victim(Trial& trial, const Lease& lease, ReclaimGrade grade);
// The same for all that is leaving already.
void release_leaving(Trial& trial, const LeavingLeases& leaving);
// Host memory of a suspended lease, which it needs no more once it goes on.
void give_back_image(Trial& trial, const Lease& lease);
// The places are promised to the job, in a trial: to one that is moved, whose queue stays charged
// for what it leaves, and with the charge to its queue.
void promise_room(Trial& trial, const JobRecord& job, const std::vector<TaskPlacement>& tasks);
void promise_places(Trial& trial, const JobRecord& job, const std::vector<TaskPlacement>& tasks);
// What a reclaim has promised the job is anybody's, in a trial.
void take_back_promises(Trial& trial, const JobRecord& job);
// Whether the queue of the job owns what the job is charged for these tasks, or borrows some of it.
LeaseOwnership ownership_of(const ClusterState& state, const JobRecord& job,
                            const std::vector<TaskPlacement>& tasks);

}  // namespace berth::engine
