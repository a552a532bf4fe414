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

Status MemoryJournal::append(std::uint64_t first_revision, const EventBatch& events) {
  if (first_revision != revision_) {
    return fail(ErrorCode::kConflict, "the journal is at revision " + std::to_string(revision_) +
                                          ", the batch follows " + std::to_string(first_revision));
  }
  append_record(bytes_, first_revision, events);
  revision_ += events.size();
  return {};
}

Status MemoryJournal::replay(const std::function<Status(const EventBatch&)>& visit) const {
  for (std::size_t at = 0; at < bytes_.size();) {
    const auto record = read_record(std::string_view(bytes_).substr(at));
    if (!record) return tl::unexpected(record.error());
    if (auto s = visit(record->events); !s) return s;
    at += record->bytes;
  }
  return {};
}

}  // namespace berth::journal
