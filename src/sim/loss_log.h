// LossLog: when work was lost and jobs were stopped in a run, and the dearest receipts of reclaims.
//
// It owns steps and notes, and reads sums that others book.
#pragma once

#include <map>
#include <vector>

#include "base/ids.h"
#include "model/plan.h"
#include "sim/run_result.h"
#include "sim/work_book.h"

namespace berth::sim {

class LossLog {
 public:
  // A receipt was made, and has come out.
  void issued(const Reclaim& receipt, TimeMs now);
  void ended(ReceiptId receipt, ReceiptOutcome outcome);

  // What the book has of losses beyond the last step; nothing is kept of a step without any.
  void step(TimeMs now, const WorkBook& book);

  void fill(RunResult& result) const;

 private:
  void drop_cheap();

  std::int64_t receipts_ = 0;
  std::map<ReceiptId, ReceiptNote> notes_;
  std::vector<LossStep> steps_;
  LossStep booked_;  // up to the last step
};

}  // namespace berth::sim
