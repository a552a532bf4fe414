// EndBook: when each lease that holds cards is expected to end, while time is played ahead on a
// copy of the state. An expectation stays what it was when it was first made, until something
// happens to the lease: it starts, is asked to go, is suspended, goes on. Nothing is known of the
// end of a job that has a task on a node that is lost.
//
// It owns expectations only and changes no state.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "engine/reserve/eta.h"
#include "model/command.h"
#include "model/event.h"

namespace berth::engine {

class EndBook {
 public:
  EndBook(const ClusterState& state, TimeMs now);

  // Once the state has applied it.
  void follow(const Event& event, const ClusterState& state, TimeMs now);
  // The soonest; kNever: none.
  TimeMs next() const { return ends_.empty() ? kNever : ends_.begin()->at; }
  // The soonest that is due, which is forgotten.
  std::optional<ExpectedEnd> take_due(TimeMs now);

 private:
  void expect(LeaseId id, const ClusterState& state, TimeMs now);
  // After a node of the job was lost or came back.
  void review(const JobRecord& job, const ClusterState& state, TimeMs now);
  void forget(LeaseId id);

  std::set<ExpectedEnd> ends_;  // soonest first
  std::map<LeaseId, ExpectedEnd> known_;
  std::set<JobId> stalled_;
};

// Jobs that have a task on a node that is lost: their other tasks wait for it.
std::set<JobId> stalled_jobs(const ClusterState& state);
// Whether the lease, of a job that is stalled or not, ends without anybody's doing: not once it is
// stuck. Who is asked to go does.
bool ends_by_itself(const Lease& lease, bool is_stalled);

// What its executor says when the lease ends as it is expected to: that the task is done or, where
// it was asked to go, that it has gone; saved, if its job answers with a checkpoint.
CommandBody report_of_end(const ClusterState& state, const Lease& lease);

}  // namespace berth::engine
