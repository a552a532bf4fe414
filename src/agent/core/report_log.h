// ReportLog: reports of an agent that its server has not acknowledged. They are numbered without a
// gap and sent in their order, on each session anew, so that none is lost.
//
// It is bounded by the leases of a node: of activity and checkpoints only the last of a lease
// waits.
#pragma once

#include <deque>
#include <vector>

#include "agent/core/messages.h"
#include "base/bytes.h"

namespace berth::agent {

// The lease of a report; none: it is about a card.
LeaseKey key_of(const ReportBody& body);
// Whether the lease is gone with it.
bool is_final(const ReportBody& body);

class ReportLog {
 public:
  // Numbers it and keeps it; the report as it is to be sent.
  Report add(ReportBody body);
  // Forgets the reports up to `number`.
  void acknowledge(std::uint64_t number);
  // Those that wait, oldest first.
  std::vector<Report> waiting() const { return {waiting_.begin(), waiting_.end()}; }
  // Leases of which a final report waits.
  std::vector<LeaseKey> ended() const;
  bool has_ended(LeaseKey key) const;
  std::size_t size() const { return waiting_.size(); }

  void save(ByteWriter& out) const;
  static ReportLog load(ByteReader& in);

 private:
  std::uint64_t next_ = 1;
  std::deque<Report> waiting_;
};

}  // namespace berth::agent
