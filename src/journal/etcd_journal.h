// EtcdJournal: the journal of replicated servers, with its snapshots, under one prefix of etcd. The
// batches of a call are one transaction of etcd, durable on most of its members when the call
// returns. The transaction asks for the leadership of its term and for the journal's end as this
// object knows it, so that a former leader, a second writer and a call that arrives late change
// nothing. It must never act on what it cannot know: where nobody answers whether an append took
// place, it takes nothing more and must be opened again.
//
// One caller at a time.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "control/leadership.h"
#include "control/ports.h"
#include "journal/etcd_reader.h"

namespace berth::journal {

class EtcdJournal final : public control::Journal, public control::Snapshots {
 public:
  // Made where there is none; refused where something else is, or a newer format. `term`: of the
  // EtcdLeadership under the same prefix. None: for a single process, and for compaction by hand
  // while nobody can be elected.
  static Result<std::unique_ptr<EtcdJournal>> open(const EtcdSettings& settings, std::string prefix,
                                                   std::optional<control::Term> term);

  Status append(std::uint64_t first_revision, std::span<const EventBatch> batches) override;
  Status replay(std::uint64_t after,
                const std::function<Status(const EventBatch&)>& visit) const override;

  // This and `compact` may be called beside `append`, on another thread.
  Status save(const control::Snapshot& snapshot) override;
  Result<std::optional<control::Snapshot>> newest() const override { return reader_.newest(); }
  // Gives etcd's room back as well, and withdraws its alarm NOSPACE. Harmless whoever does it: what
  // two snapshots make needless stays needless.
  Status compact() override;

  std::uint64_t revision() const { return revision_; }  // after the last record

 private:
  EtcdJournal(EtcdReader reader, std::optional<control::Term> term);

  Status find_end();
  Status make();
  void add_fence(EtcdTransaction& transaction) const;
  std::string new_nonce();
  Result<PartList> put_parts(EtcdLayout::Folder folder, std::uint64_t revision,
                             std::string_view bytes);
  Status write(const std::string& records, std::uint64_t first_revision, std::uint64_t revision);
  Status write(const control::Snapshot& snapshot);
  Status commit(EtcdPut entry, std::uint64_t revision);
  Status why_refused(const EtcdOutcome& outcome, const std::string& nonce, std::uint64_t revision);
  Status not_led(const std::optional<EtcdEntry>& leader) const;
  Status not_written(const Error& error);
  Status erase(const EtcdKeys& keys) const;

  EtcdReader reader_;
  std::optional<control::Term> term_;
  std::atomic<std::uint64_t> revision_ = 0;
  EtcdRevision head_modified_ = 0;
  std::string writer_;  // what this object's nonces begin with; no two objects share it
  std::atomic<std::uint64_t> nonces_ = 0;
  bool failed_ = false;  // nobody knows whether an append took place
};

}  // namespace berth::journal
