// JobRun: what a simulated job does now, how far it has come and what its last checkpoint holds.
// Plain state of SimExecutor.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <utility>

#include "base/ids.h"
#include "base/units.h"
#include "model/job.h"
#include "model/words.h"
#include "sim/run_result.h"
#include "sim/work_book.h"

namespace berth::sim {

// What the active members of a job do, all of them together.
enum class Activity : std::uint8_t {
  kNone,  // no member is active: it waits, is being prepared, suspended or given back
  kStarting,
  kWorking,
  kSaving,       // its own checkpoint
  kSavingAsked,  // a checkpoint because it is to give way; then it leaves
  kFutile,       // it is to give way and cannot save in time, or has been killed
  kStalled,      // a member is lost; the others wait
  kSwappingOut,
  kSwappingIn,
  kDone
};

enum class MemberState : std::uint8_t {
  kPreparing,
  kJoining,  // starts up while the job works
  kActive,
  kDraining,  // revoked: it does nothing any more
  kDead,      // its node or card is lost
  kOut        // suspended: off its cards
};

struct Member {
  LeaseId lease;
  std::uint32_t epoch = 0;
  std::uint16_t role = 0;
  std::uint32_t task = 0;
  CardUnits cards = 0;
  MemberState state = MemberState::kPreparing;
  bool on_cards = true;                      // suspended ones are not
  bool saved = false;                        // its release names the last checkpoint
  TimeMs since = 0;                          // in this state; of an active one the job's counts
  EndReason reason = EndReason::kReclaimed;  // of its revocation
  bool by_reclaim = true;                    // for another job's sake
};

struct JobRun {
  JobId id;
  WorkAccount* account = nullptr;  // of the book, valid as long as the job is
  DurationMs run_ms = 0;           // useful work that it takes
  DurationMs done_ms = 0;          // of it
  DurationMs saved_ms = 0;         // of it, in its last checkpoint
  DurationMs base_ms = 0;          // done when it last saved or started
  CardWork unsaved = 0;            // booked as useful since
  CheckpointSpec checkpoint;
  std::uint32_t checkpoints = 0;  // written
  Mib image_mib = 0;              // while it is suspended

  Activity activity = Activity::kNone;
  TimeMs since = 0;        // what is before is booked
  TimeMs until = kNever;   // when the activity ends by itself
  std::uint32_t turn = 0;  // of activities; an event of an older one is late
  TimeMs began_at = kNever;
  TimeMs crash_at_ms = kNever;  // amount of work at which it fails by itself
  bool again = false;           // it has been interrupted before
  bool counted = false;         // the interruption of this start is counted
  bool replicas = false;        // members work on without a lost one
  bool is_asked = false;        // it is to give way
  bool is_noticed = false;      // a node of its is about to be taken away
  bool repairing = false;
  Interruption cause = Interruption::kNodeFailure;  // of the last loss
  TimeMs deadline = kNever;                         // of the tick that was scheduled last
  std::pair<TimeMs, ReclaimGrade> evicted = {kNever, ReclaimGrade::kIdle};  // counted last
  boost::container::small_vector<Member, 1> members;  // in the order of their grants
  std::uint32_t active = 0;                           // of the members
  CardUnits active_cards = 0;

  Member* find(LeaseId lease) {
    for (Member& member : members) {
      if (member.lease == lease) return &member;
    }
    return nullptr;
  }
  // Why it is made to give way.
  Interruption eviction() const {
    return is_noticed ? Interruption::kSpotInterruption : Interruption::kEviction;
  }
  bool saves() const { return checkpoint.method != CheckpointMethod::kNone; }
};

}  // namespace berth::sim
