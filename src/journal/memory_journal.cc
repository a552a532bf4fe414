#include "journal/memory_journal.h"

#include "journal/record.h"

namespace berth::journal {

Result<MemoryJournal> MemoryJournal::open(std::string bytes) {
  MemoryJournal journal;
  std::size_t at = 0;
  while (at < bytes.size()) {
    const auto record = read_record(std::string_view(bytes).substr(at));
    if (!record && record.error().code == ErrorCode::kNotFound) break;  // torn tail
    if (!record) {
      Error error = record.error();
      error.message += ", at byte " + std::to_string(at) + " of the journal";
      return tl::unexpected(std::move(error));
    }
    if (record->first_revision != journal.revision_) {
      return fail(ErrorCode::kCorrupt, "a record is missing before byte " + std::to_string(at));
    }
    journal.revision_ += record->events.size();
    at += record->bytes;
  }
  journal.torn_bytes_ = bytes.size() - at;
  bytes.resize(at);
  journal.bytes_ = std::move(bytes);
  return journal;
}

Status MemoryJournal::append(std::uint64_t first_revision, std::span<const EventBatch> batches) {
  if (auto s = check_append(revision_, first_revision); !s) return s;
  for (const EventBatch& events : batches) {
    if (events.empty()) continue;
    append_record(bytes_, revision_, events);
    revision_ += events.size();
  }
  return {};
}

Status MemoryJournal::replay(std::uint64_t after,
                             const std::function<Status(const EventBatch&)>& visit) const {
  if (after < first_) {
    return fail(ErrorCode::kCorrupt, "the records from revision " + std::to_string(after) + " to " +
                                         std::to_string(first_) + " are missing");
  }
  for (std::size_t at = 0; at < bytes_.size();) {
    const auto record = read_record(std::string_view(bytes_).substr(at));
    if (!record) return tl::unexpected(record.error());
    at += record->bytes;
    if (record->first_revision < after) continue;
    if (auto s = visit(record->events); !s) return s;
  }
  return {};
}

Status MemoryJournal::save(const control::Snapshot& snapshot) {
  if (auto s = check_snapshot(revision_, snapshot.revision); !s) return s;
  snapshots_.insert_or_assign(snapshot.revision, snapshot.bytes);
  return {};
}

Result<std::optional<control::Snapshot>> MemoryJournal::newest() const {
  if (snapshots_.empty()) return std::nullopt;
  const auto& [revision, bytes] = *snapshots_.rbegin();
  return control::Snapshot{revision, bytes};
}

Status MemoryJournal::compact() {
  if (snapshots_.size() < control::kSnapshotsKept) return {};
  while (snapshots_.size() > control::kSnapshotsKept) snapshots_.erase(snapshots_.begin());
  first_ = snapshots_.begin()->first;
  std::size_t at = 0;
  while (at < bytes_.size()) {
    const auto record = read_record(std::string_view(bytes_).substr(at));
    if (!record) return tl::unexpected(record.error());
    if (record->first_revision >= first_) break;
    at += record->bytes;
  }
  bytes_.erase(0, at);
  return {};
}

}  // namespace berth::journal
