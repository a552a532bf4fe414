// SqliteJournal: the journal of one box, with its snapshots, in one SQLite file. The batches of a
// call are one transaction, durable when the call returns; a record that was cut off by a crash is
// gone with its transaction. Each record has its checksum beside SQLite's own pages: what does not
// agree is refused, with its revision. One process at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "control/ports.h"
#include "journal/needed_snapshots.h"
#include "journal/sqlite.h"

namespace berth::journal {

class SqliteJournal final : public control::Journal, public control::Snapshots {
 public:
  // Made where there is none; refused where the file is something else, or of a newer format.
  static Result<std::unique_ptr<SqliteJournal>> open(const std::string& path);

  // One that is there, of a server that does not run: for reading. Nothing is changed.
  static Result<std::unique_ptr<SqliteJournal>> open_to_read(const std::string& path);

  Status append(std::uint64_t first_revision, std::span<const EventBatch> batches) override;
  Status replay(std::uint64_t after,
                const std::function<Status(const EventBatch&)>& visit) const override;

  Status save(const control::Snapshot& snapshot) override;
  Result<std::optional<control::Snapshot>> newest() const override;
  // Keeps what happened within the history before the newest snapshot, by the snapshots' times.
  Status compact() override;
  void keep_history(DurationMs history) { history_ = history; }
  // What the records that are kept follow; none: they are all there.
  Result<std::optional<control::Snapshot>> oldest() const;

  std::uint64_t revision() const { return revision_; }  // after the last record
  bool had_tail() const { return file_.had_tail(); }    // see SqliteFile
  // The file may grow to so many pages of 4 KiB; beyond, the disk counts as full.
  Status limit_pages(std::uint64_t pages);

 private:
  explicit SqliteJournal(SqliteFile file) : file_(std::move(file)) {}

  Status prepare_file();
  Status check_file() const;
  Status find_end();
  Result<std::vector<SnapshotTime>> snapshot_times() const;
  Result<std::optional<control::Snapshot>> snapshot_at(const char* end) const;
  template <typename Write>
  Status in_transaction(const Write& write);
  Status corrupt(const std::string& what) const;

  SqliteFile file_;
  std::uint64_t revision_ = 0;
  DurationMs history_ = 0;
  bool failed_ = false;  // a commit failed, and nobody knows what of it is on the disk
};

}  // namespace berth::journal
