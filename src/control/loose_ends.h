// LooseEnds: what the last records of a journal say of work that may have been cut off: whose calls
// to the executor have to be made again beside those that the leases' states tell. It is part of a
// snapshot, because the records before that are not read again.
#pragma once

#include <set>

#include "base/bytes.h"
#include "model/event.h"

namespace berth::control {

class LooseEnds {
 public:
  void follow(const EventBatch& batch);

  bool was_moved(LeaseId lease) const { return moved_.contains(lease); }
  bool was_resumed(LeaseId lease) const { return resumed_.contains(lease); }
  // The job whose submission the journal ends with; what follows a submission may be missing.
  JobId submitted() const { return submitted_; }

  void save(ByteWriter& out) const;
  static LooseEnds load(ByteReader& in);

 private:
  void follow_submit(const EventBatch& batch);

  std::set<LeaseId> moved_;
  std::set<LeaseId> resumed_;
  JobId submitted_ = JobId::none();
};

}  // namespace berth::control
