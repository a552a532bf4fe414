// EtcdReader: what lies in etcd under one prefix, read by whoever writes there and by those who
// follow. It must never write.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "control/ports.h"
#include "journal/etcd_client.h"
#include "journal/etcd_layout.h"

namespace berth::journal {

// Where a journal ends, and when that was read.
struct ReadHead {
  StoredHead stored;
  EtcdRevision modified = 0;  // 0: there is no journal yet
  EtcdRevision as_of = 0;     // of the store
};

class EtcdReader {
 public:
  static Result<EtcdReader> open(const EtcdSettings& settings, std::string prefix);

  const EtcdClient& client() const { return *client_; }
  const EtcdLayout& layout() const { return layout_; }

  // Refused where another program's keys are, or a newer format.
  Result<ReadHead> head() const;
  // Where the entry of the log begins in which the revision is; the revision itself where there is
  // none. Costs little where entries have few batches.
  Result<std::uint64_t> entry_start(std::uint64_t revision, EtcdRevision as_of) const;
  // What was written in parts; kNotFound: etcd has compacted `as_of`.
  Result<std::string> joined(const EtcdKeys& keys, const PartList& parts, EtcdRevision as_of) const;

  // Of all snapshots, rising.
  Result<std::vector<std::uint64_t>> snapshots() const;
  Result<std::optional<control::Snapshot>> newest() const;

  // Errors of this journal begin with its name.
  tl::unexpected<Error> fail(ErrorCode code, const std::string& what) const;
  tl::unexpected<Error> damaged(const std::string& what) const;

 private:
  EtcdReader(std::unique_ptr<EtcdClient> client, EtcdLayout layout)
      : client_(std::move(client)), layout_(std::move(layout)) {}

  Result<ReadHead> no_head(EtcdRevision as_of) const;
  Result<control::Snapshot> snapshot(const EtcdEntry& entry, EtcdRevision as_of) const;

  std::unique_ptr<EtcdClient> client_;
  EtcdLayout layout_;
};

}  // namespace berth::journal
