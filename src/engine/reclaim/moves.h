// Moves: other places for the units of a consolidation, so that nobody stops for long. Largest
// first, in one trial, each as its job asks to be placed, and on cards of the same flavour, so that
// its queue holds what it held.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "engine/placement/gang_search.h"
#include "engine/reclaim/cover.h"

namespace berth::engine {

class Moves {
 public:
  Moves(Trial& trial, Placer& placer, RoomTable& rooms, JobId beneficiary, TimeMs now)
      : trial_(trial),
        state_(trial.state()),
        placer_(placer),
        rooms_(rooms),
        beneficiary_(beneficiary),
        now_(now) {}

  // Places all taken units elsewhere, on nodes that nobody is leaving, or is to leave later than
  // the first of them; what is placed stays taken in the trial. Else the unit for which there is no
  // place.
  std::optional<std::uint32_t> run(const UnitTable& units, const LeavingLeases& leaving);
  // Where the task of the lease goes on. Only after a run that has placed all.
  const TaskPlacement& target(LeaseId lease) const { return targets_.at(lease); }

 private:
  void avoid(const UnitTable& units, const std::vector<std::uint32_t>& taken,
             const LeavingLeases& leaving);
  void avoid(LeaseId lease);
  bool place(const Unit& unit);
  bool note_targets(const Unit& unit, const GangPlace& place);

  Trial& trial_;
  const ClusterState& state_;
  Placer& placer_;
  RoomTable& rooms_;
  JobId beneficiary_;
  TimeMs now_;
  std::map<LeaseId, TaskPlacement> targets_;
};

// Where the task of the lease, which is leaving, goes on; null: nothing is promised to it.
const TaskPlacement* promised_place(const ClusterState& state, const Lease& lease);
// The moved jobs of a consolidation, rising, each with the places in which it goes on.
std::map<JobId, std::vector<TaskPlacement>> moves_of(const Reclaim& reclaim);

// Whether the running job can go on elsewhere at no other loss than is counted: it saves its work
// when it is asked to, or has done so a short while ago, stands for itself, and lacks no task.
bool can_move(const ClusterState& state, const JobRecord& job, const Loss& loss);

}  // namespace berth::engine
