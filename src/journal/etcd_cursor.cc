#include "journal/etcd_cursor.h"

#include <algorithm>
#include <string>

#include "journal/record.h"

namespace berth::journal {
namespace {

using Folder = EtcdLayout::Folder;

// Entries are read so many at a time that an answer is of about kPageBytes, but not of many more
// should they be larger than those before.
constexpr std::int64_t kPageBytes = std::int64_t{8} << 20;
constexpr std::int64_t kFewestEntries = 8;
constexpr std::int64_t kMostEntries = 256;

std::int64_t entries_at_once(const EtcdPage& last) {
  std::int64_t bytes = 1;
  for (const EtcdEntry& entry : last.entries) bytes += std::ssize(entry.value);
  return std::clamp(kPageBytes * std::ssize(last.entries) / bytes, kFewestEntries, kMostEntries);
}

}  // namespace

Status EtcdCursor::read_all() {
  for (;;) {
    const auto head = reader_.head();
    if (!head) return tl::unexpected(head.error());
    const auto walked = walk(*head);
    if (!walked) return tl::unexpected(walked.error());
    if (*walked == Walk::kCompacted) continue;
    as_of_ = head->as_of;
    return {};
  }
}

Result<EtcdCursor::Walk> EtcdCursor::walk(const ReadHead& head) {
  const std::uint64_t end = head.stored.revision;
  if (next_ == end) return Walk::kDone;
  if (next_ > end) {
    return reader_.fail(ErrorCode::kConflict, "it ends at revision " + std::to_string(end) +
                                                  ", and is to be read from " +
                                                  std::to_string(next_));
  }
  const auto start = reader_.entry_start(next_, head.as_of);
  if (!start && start.error().code == ErrorCode::kNotFound) return Walk::kCompacted;
  if (!start) return tl::unexpected(start.error());
  auto walked = walk_pages(*start, head.as_of);
  if (!walked || *walked == Walk::kCompacted || at_ == end) return walked;
  const Status lost = missing(at_ == *start ? ErrorCode::kNotFound : ErrorCode::kCorrupt, end);
  return tl::unexpected(lost.error());
}

Result<EtcdCursor::Walk> EtcdCursor::walk_pages(std::uint64_t start, EtcdRevision as_of) {
  at_ = start;
  const EtcdKeys keys = reader_.layout().from(Folder::kLog, start);
  EtcdRange range{keys.begin, keys.end, kFewestEntries, as_of};
  for (;;) {
    const auto page = reader_.client().range(range);
    if (!page && page.error().code == ErrorCode::kNotFound) return Walk::kCompacted;
    if (!page) return tl::unexpected(page.error());
    for (const EtcdEntry& entry : page->entries) {
      const auto revision = reader_.layout().revision_of(Folder::kLog, entry.key);
      if (!revision) return reader_.damaged("the key " + entry.key + " is not one of its");
      if (*revision != at_) {
        const auto code = at_ == start ? ErrorCode::kNotFound : ErrorCode::kCorrupt;
        const Status lost = missing(code, *revision);
        return tl::unexpected(lost.error());
      }
      auto walked = read(entry, as_of);
      if (!walked || *walked == Walk::kCompacted) return walked;
    }
    if (std::ssize(page->entries) < range.limit) return Walk::kDone;
    range.begin = page->entries.back().key + '\0';
    range.limit = entries_at_once(*page);
  }
}

Status EtcdCursor::missing(ErrorCode code, std::uint64_t end) const {
  const std::uint64_t from = std::max(at_, next_);
  return reader_.fail(code, "the records from revision " + std::to_string(from) + " to " +
                                std::to_string(end) + " are missing");
}

Status EtcdCursor::take(const EtcdEntry& entry) {
  const auto revision = reader_.layout().revision_of(Folder::kLog, entry.key);
  if (!revision) return reader_.damaged("the key " + entry.key + " is not one of its");
  if (*revision < next_) return {};
  if (*revision > next_) return reader_.fail(ErrorCode::kUnavailable, "a watch leaves out records");
  at_ = next_;
  const auto read_it = read(entry, entry.modified);
  if (!read_it) return tl::unexpected(read_it.error());
  if (*read_it == Walk::kDone) return {};
  return reader_.fail(ErrorCode::kUnavailable, "it is compacted at this moment");
}

// The entry at at_.
Result<EtcdCursor::Walk> EtcdCursor::read(const EtcdEntry& entry, EtcdRevision as_of) {
  const std::string where = "the record at revision " + std::to_string(at_) + ": ";
  const auto stored = read_entry(entry.value);
  if (!stored) return reader_.damaged(where + stored.error().message);
  std::string joined;
  std::string_view records = stored->records;
  if (stored->elsewhere) {
    const PartList& parts = *stored->elsewhere;
    auto bytes =
        reader_.joined(reader_.layout().parts(Folder::kParts, at_, parts.nonce), parts, as_of);
    if (!bytes && bytes.error().code == ErrorCode::kNotFound) return Walk::kCompacted;
    if (!bytes && bytes.error().code != ErrorCode::kCorrupt) return tl::unexpected(bytes.error());
    if (!bytes) return reader_.damaged(where + bytes.error().message);
    joined = std::move(*bytes);
    records = joined;
  }
  while (!records.empty()) {
    const auto record = read_record(records);
    if (!record) {
      return reader_.damaged("the record at revision " + std::to_string(at_) + ": " +
                             record.error().message);
    }
    if (record->first_revision != at_) {
      return reader_.damaged("the record at revision " + std::to_string(at_) +
                             ": it is another one");
    }
    if (auto s = hand_over(*record); !s) return tl::unexpected(s.error());
    records.remove_prefix(record->bytes);
  }
  return Walk::kDone;
}

Status EtcdCursor::hand_over(const Record& record) {
  at_ += record.events.size();
  if (at_ <= next_) return {};  // an entry that began earlier
  if (record.first_revision < next_) {
    return reader_.fail(ErrorCode::kConflict,
                        "no batch of it begins at revision " + std::to_string(next_));
  }
  next_ = at_;
  Status visited = visit_(record.events);
  was_stopped_ = !visited;
  return visited;
}

}  // namespace berth::journal
