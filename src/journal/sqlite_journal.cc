#include "journal/sqlite_journal.h"

#include <algorithm>
#include <utility>

#include "journal/record.h"

namespace berth::journal {
namespace {

// What marks a file as a journal of Berth, in SQLite's header.
constexpr std::uint64_t kApplication = 0x42727468;  // "Brth"
constexpr std::uint64_t kFileFormat = 2;            // of the tables; 1 had records without a format
constexpr std::size_t kPartBytes = std::size_t{16} << 20;  // of a snapshot, in one row

constexpr const char* kTables =
    "CREATE TABLE records (revision INTEGER PRIMARY KEY, record BLOB NOT NULL);"
    "CREATE TABLE snapshots (revision INTEGER PRIMARY KEY, size INTEGER NOT NULL,"
    " checksum BLOB NOT NULL);"
    "CREATE TABLE parts (revision INTEGER NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL,"
    " PRIMARY KEY (revision, part)) WITHOUT ROWID;";
// The states' times of snapshots; files of format 2 may lack it, and older programs pass over it.
constexpr const char* kTimes =
    "CREATE TABLE IF NOT EXISTS times (revision INTEGER PRIMARY KEY, at INTEGER NOT NULL);";

}  // namespace

Result<std::unique_ptr<SqliteJournal>> SqliteJournal::open(const std::string& path) {
  auto file = SqliteFile::open(path);
  if (!file) return tl::unexpected(file.error());
  std::unique_ptr<SqliteJournal> journal(new SqliteJournal(std::move(*file)));
  if (auto s = journal->prepare_file(); !s) return tl::unexpected(s.error());
  if (auto s = journal->find_end(); !s) return tl::unexpected(s.error());
  return journal;
}

Result<std::unique_ptr<SqliteJournal>> SqliteJournal::open_to_read(const std::string& path) {
  auto file = SqliteFile::open_to_read(path);
  if (!file) return tl::unexpected(file.error());
  std::unique_ptr<SqliteJournal> journal(new SqliteJournal(std::move(*file)));
  if (auto s = journal->check_file(); !s) return tl::unexpected(s.error());
  if (auto s = journal->find_end(); !s) return tl::unexpected(s.error());
  return journal;
}

Status SqliteJournal::prepare_file() {
  const auto application = file_.number("PRAGMA application_id");
  if (!application) return tl::unexpected(application.error());
  const auto tables = file_.number("SELECT count(*) FROM sqlite_schema");
  if (!tables) return tl::unexpected(tables.error());
  if (*application == 0 && *tables == 0) {
    return in_transaction([&]() -> Status {
      if (auto s = file_.run(std::string(kTables) + kTimes); !s) return s;
      return file_.run("PRAGMA application_id=" + std::to_string(kApplication) +
                       ";PRAGMA user_version=" + std::to_string(kFileFormat));
    });
  }
  if (auto s = check_file(); !s) return s;
  return file_.run(kTimes);
}

Status SqliteJournal::check_file() const {
  const auto application = file_.number("PRAGMA application_id");
  if (!application) return tl::unexpected(application.error());
  const auto format = file_.number("PRAGMA user_version");
  if (!format) return tl::unexpected(format.error());
  if (*application != kApplication) {
    return invalid(file_.path() + " is an SQLite file, but no journal of Berth");
  }
  if (*format != kFileFormat) {
    return invalid(file_.path() + " has format " + std::to_string(*format) +
                   "; this version of Berth reads " + std::to_string(kFileFormat));
  }
  return {};
}

// After the last record; without records, where the newest snapshot is.
Status SqliteJournal::find_end() {
  auto last = file_.prepare("SELECT revision, record FROM records ORDER BY revision DESC LIMIT 1");
  if (!last) return tl::unexpected(last.error());
  const auto row = last->step();
  if (!row) return tl::unexpected(row.error());
  if (!*row) {
    const auto snapshot = file_.number("SELECT coalesce(max(revision), 0) FROM snapshots");
    if (!snapshot) return tl::unexpected(snapshot.error());
    revision_ = *snapshot;
    return {};
  }
  const auto record = read_record(last->bytes(1));
  if (!record) {
    return corrupt("the record at revision " + std::to_string(last->integer(0)) + ": " +
                   record.error().message);
  }
  revision_ = record->first_revision + record->events.size();
  return {};
}

Status SqliteJournal::corrupt(const std::string& what) const {
  return fail(ErrorCode::kCorrupt, file_.path() + ": " + what);
}

// All or nothing. After a commit that failed nobody knows what will be found on the disk, so that
// nothing more is taken until the file is opened again.
template <typename Write>
Status SqliteJournal::in_transaction(const Write& write) {
  if (failed_) {
    return fail(ErrorCode::kUnavailable,
                file_.path() + " could not be written before; it must be opened again");
  }
  if (auto s = file_.run("BEGIN IMMEDIATE"); !s) return s;
  if (Status s = write(); !s) {
    if (file_.is_in_transaction()) failed_ = !file_.run("ROLLBACK");  // else SQLite has done it
    return s;
  }
  Status committed = file_.run("COMMIT");
  failed_ = !committed;
  return committed;
}

Status SqliteJournal::append(std::uint64_t first_revision, std::span<const EventBatch> batches) {
  if (auto s = check_append(revision_, first_revision); !s) return s;
  std::uint64_t revision = revision_;
  const Status written = in_transaction([&]() -> Status {
    auto insert = file_.prepare("INSERT INTO records VALUES (?, ?)");
    if (!insert) return tl::unexpected(insert.error());
    for (const EventBatch& events : batches) {
      if (events.empty()) continue;
      std::string record;
      append_record(record, revision, events);
      if (auto s = insert->bind(0, revision).bind(1, record).run(); !s) return s;
      revision += events.size();
    }
    return {};
  });
  if (written) revision_ = revision;
  return written;
}

Status SqliteJournal::replay(std::uint64_t after,
                             const std::function<Status(const EventBatch&)>& visit) const {
  auto records =
      file_.prepare("SELECT revision, record FROM records WHERE revision >= ? ORDER BY revision");
  if (!records) return tl::unexpected(records.error());
  records->bind(0, after);
  std::uint64_t revision = after;
  for (;;) {
    const auto row = records->step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) break;
    if (records->integer(0) != revision) {
      return corrupt("the records from revision " + std::to_string(revision) + " to " +
                     std::to_string(records->integer(0)) + " are missing");
    }
    const auto record = read_record(records->bytes(1));
    if (!record || record->first_revision != revision ||
        record->bytes != records->bytes(1).size()) {
      return corrupt("the record at revision " + std::to_string(revision) + ": " +
                     (record ? "it is another one" : record.error().message));
    }
    if (auto s = visit(record->events); !s) return s;
    revision += record->events.size();
  }
  if (revision == revision_) return {};
  return corrupt("the records from revision " + std::to_string(revision) + " on are missing");
}

Status SqliteJournal::save(const control::Snapshot& snapshot) {
  if (auto s = check_snapshot(revision_, snapshot.revision); !s) return s;
  return in_transaction([&]() -> Status {
    auto head = file_.prepare("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?)");
    if (!head) return tl::unexpected(head.error());
    const std::string checksum = checksum_of(snapshot.bytes);
    head->bind(0, snapshot.revision).bind(1, std::uint64_t{snapshot.bytes.size()});
    if (auto s = head->bind(2, checksum).run(); !s) return s;
    auto time = file_.prepare("INSERT OR REPLACE INTO times VALUES (?, ?)");
    if (!time) return tl::unexpected(time.error());
    const auto at = static_cast<std::uint64_t>(std::max<TimeMs>(snapshot.at, 0));
    if (auto s = time->bind(0, snapshot.revision).bind(1, at).run(); !s) return s;
    auto part = file_.prepare("INSERT OR REPLACE INTO parts VALUES (?, ?, ?)");
    if (!part) return tl::unexpected(part.error());
    const std::string_view bytes = snapshot.bytes;
    for (std::uint64_t p = 0; p * kPartBytes < bytes.size(); ++p) {
      part->bind(0, snapshot.revision).bind(1, p);
      if (auto s = part->bind(2, bytes.substr(p * kPartBytes, kPartBytes)).run(); !s) return s;
    }
    return {};
  });
}

Result<std::optional<control::Snapshot>> SqliteJournal::newest() const {
  return snapshot_at("DESC");
}

Result<std::optional<control::Snapshot>> SqliteJournal::oldest() const {
  const auto begins = file_.number("SELECT count(*) FROM records WHERE revision = 0");
  if (!begins) return tl::unexpected(begins.error());
  if (*begins > 0) return std::nullopt;
  return snapshot_at("ASC");
}

Result<std::optional<control::Snapshot>> SqliteJournal::snapshot_at(const char* end) const {
  auto head = file_.prepare("SELECT revision, size, checksum FROM snapshots ORDER BY revision " +
                            std::string(end) + " LIMIT 1");
  if (!head) return tl::unexpected(head.error());
  const auto row = head->step();
  if (!row) return tl::unexpected(row.error());
  if (!*row) return std::nullopt;
  control::Snapshot snapshot{head->integer(0), {}};
  auto parts = file_.prepare("SELECT bytes FROM parts WHERE revision = ? ORDER BY part");
  if (!parts) return tl::unexpected(parts.error());
  parts->bind(0, snapshot.revision);
  for (;;) {
    const auto part = parts->step();
    if (!part) return tl::unexpected(part.error());
    if (!*part) break;
    snapshot.bytes += parts->bytes(0);
  }
  const bool whole =
      snapshot.bytes.size() == head->integer(1) && checksum_of(snapshot.bytes) == head->bytes(2);
  if (whole) return snapshot;
  const Status damaged = corrupt("the snapshot of revision " + std::to_string(snapshot.revision) +
                                 " is not what was written");
  return tl::unexpected(damaged.error());
}

Status SqliteJournal::limit_pages(std::uint64_t pages) {
  return file_.run("PRAGMA max_page_count=" + std::to_string(pages));
}

Status SqliteJournal::compact() {
  const auto snapshots = snapshot_times();
  if (!snapshots) return tl::unexpected(snapshots.error());
  const NeededSnapshots needed = needed_snapshots(*snapshots, history_);
  return in_transaction([&]() -> Status {
    for (const std::uint64_t revision : needed.forgotten) {
      const std::string that = " WHERE revision = " + std::to_string(revision);
      for (const char* table : {"snapshots", "parts", "times"}) {
        if (auto s = file_.run(std::string("DELETE FROM ") + table + that); !s) return s;
      }
    }
    return file_.run("DELETE FROM records WHERE revision < " + std::to_string(needed.records_from));
  });
}

Result<std::vector<SnapshotTime>> SqliteJournal::snapshot_times() const {
  auto rows = file_.prepare(
      "SELECT revision, coalesce(at, 0) FROM snapshots LEFT JOIN times USING (revision)"
      " ORDER BY revision");
  if (!rows) return tl::unexpected(rows.error());
  std::vector<SnapshotTime> snapshots;
  for (;;) {
    const auto row = rows->step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return snapshots;
    snapshots.push_back({rows->integer(0), static_cast<TimeMs>(rows->integer(1))});
  }
}

}  // namespace berth::journal
