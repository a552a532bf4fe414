// EtcdCursor: reads the log of a journal in etcd from a revision on, in order, each batch once. One
// use at a time.
#pragma once

#include <functional>

#include "journal/etcd_reader.h"
#include "journal/record.h"

namespace berth::journal {

class EtcdCursor {
 public:
  using Visit = std::function<Status(const EventBatch&)>;

  // Both outlive it.
  EtcdCursor(const EtcdReader& reader, std::uint64_t after, const Visit& visit)
      : reader_(reader), visit_(visit), next_(after) {}

  // All that the journal holds at some moment of the call. kNotFound: what comes next is not there
  // any more; it is compacted, or lost. After an error of the visitor, was_stopped().
  Status read_all();
  // One key of the log that a watch has brought; nothing if it was handed over before. Any error
  // but the visitor's may be one of the watch; read_all() finds out.
  Status take(const EtcdEntry& entry);

  std::uint64_t next() const { return next_; }   // after what was handed over
  EtcdRevision as_of() const { return as_of_; }  // what read_all() has seen of etcd's store
  bool was_stopped() const { return was_stopped_; }

 private:
  // Whether etcd has compacted meanwhile what is being read.
  enum class Walk : std::uint8_t { kDone, kCompacted };

  Result<Walk> walk(const ReadHead& head);
  Result<Walk> walk_pages(std::uint64_t start, EtcdRevision as_of);
  Result<Walk> read(const EtcdEntry& entry, EtcdRevision as_of);
  Status hand_over(const Record& record);
  Status missing(ErrorCode code, std::uint64_t end) const;

  const EtcdReader& reader_;
  const Visit& visit_;
  std::uint64_t next_;
  std::uint64_t at_ = 0;  // where in the log it is; before next_ in an entry that began earlier
  EtcdRevision as_of_ = 0;
  bool was_stopped_ = false;
};

}  // namespace berth::journal
