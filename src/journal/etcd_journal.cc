#include "journal/etcd_journal.h"

#include <random>
#include <utility>

#include "base/bytes.h"
#include "journal/etcd_cursor.h"
#include "journal/etcd_upkeep.h"
#include "journal/record.h"

namespace berth::journal {
namespace {

using Folder = EtcdLayout::Folder;

// Keys erased by one request: etcd does nothing else meanwhile.
constexpr std::int64_t kErasedAtOnce = 2'000;

std::string random_text() {
  std::random_device random;
  return hash_text((std::uint64_t{random()} << 32) | random());
}

}  // namespace

EtcdJournal::EtcdJournal(EtcdReader reader, std::optional<control::Term> term)
    : reader_(std::move(reader)), term_(term), writer_(random_text()) {}

Result<std::unique_ptr<EtcdJournal>> EtcdJournal::open(const EtcdSettings& settings,
                                                       std::string prefix,
                                                       std::optional<control::Term> term) {
  auto reader = EtcdReader::open(settings, std::move(prefix));
  if (!reader) return tl::unexpected(reader.error());
  std::unique_ptr<EtcdJournal> journal(new EtcdJournal(std::move(*reader), term));
  if (auto s = journal->find_end(); !s) return tl::unexpected(s.error());
  if (journal->head_modified_ > 0) return journal;
  if (auto s = journal->make(); !s) return tl::unexpected(s.error());
  return journal;
}

Status EtcdJournal::find_end() {
  const auto head = reader_.head();
  if (!head) return tl::unexpected(head.error());
  revision_ = head->stored.revision;
  head_modified_ = head->modified;
  return {};
}

// Somebody else may make it at the same time; then it is there, too.
Status EtcdJournal::make() {
  const EtcdLayout& layout = reader_.layout();
  EtcdTransaction transaction;
  transaction.when = {{EtcdCondition::Of::kCreated, layout.format(), 0},
                      {EtcdCondition::Of::kCreated, layout.head(), 0}};
  add_fence(transaction);
  const StoredHead head{0, term_ ? term_->number : 0, new_nonce()};
  transaction.puts = {{layout.format(), format_text()}, {layout.head(), to_value(head)}};
  transaction.otherwise_read = {layout.leader()};
  const auto outcome = reader_.client().transact(transaction);
  if (!outcome) return tl::unexpected(outcome.error());
  if (auto s = find_end(); !s || head_modified_ > 0) return s;
  if (outcome->kind == EtcdOutcome::Kind::kDone) return reader_.damaged("its head is missing");
  return not_led(outcome->read.front());
}

void EtcdJournal::add_fence(EtcdTransaction& transaction) const {
  if (!term_) return;
  transaction.when.push_back({EtcdCondition::Of::kCreated, reader_.layout().leader(),
                              static_cast<EtcdRevision>(term_->fence)});
}

std::string EtcdJournal::new_nonce() { return writer_ + "-" + std::to_string(++nonces_); }

Status EtcdJournal::append(std::uint64_t first_revision, std::span<const EventBatch> batches) {
  if (failed_) {
    return reader_.fail(ErrorCode::kUnavailable,
                        "nobody knows whether an earlier append took place; it must be opened "
                        "again");
  }
  if (auto s = check_append(revision_, first_revision); !s) return s;
  std::string records;
  std::uint64_t revision = revision_;
  for (const EventBatch& events : batches) {
    if (events.empty()) continue;
    append_record(records, revision, events);
    revision += events.size();
  }
  if (records.empty()) return {};
  Status written = write(records, first_revision, revision);
  const auto is_full = [&] {
    return !written && !failed_ && written.error().code == ErrorCode::kLimitExceeded;
  };
  if (is_full() && compact()) written = write(records, first_revision, revision);
  // For whoever appends, a store that is full is like a disk that is: it may have room later.
  if (is_full()) written.error().code = ErrorCode::kUnavailable;
  return written;
}

Status EtcdJournal::write(const std::string& records, std::uint64_t first_revision,
                          std::uint64_t revision) {
  const std::string key = reader_.layout().at(Folder::kLog, first_revision);
  if (records.size() <= kEtcdValueBytes) return commit({key, entry_value(records)}, revision);
  const auto parts = put_parts(Folder::kParts, first_revision, records);
  if (!parts) return not_written(parts.error());
  return commit({key, entry_value(*parts)}, revision);
}

// Nobody reads them until something is written that names their nonce.
Result<PartList> EtcdJournal::put_parts(Folder folder, std::uint64_t revision,
                                        std::string_view bytes) {
  PartList parts{new_nonce(), bytes.size(), checksum_of(bytes)};
  const EtcdKeys keys = reader_.layout().parts(folder, revision, parts.nonce);
  for (std::uint64_t i = 0; i < parts.count(); ++i) {
    const std::string_view part = bytes.substr(i * kEtcdValueBytes, kEtcdValueBytes);
    const Status put = reader_.client().put({EtcdLayout::part(keys, i), std::string(part)});
    if (!put) return tl::unexpected(put.error());
  }
  return parts;
}

// The entry and the journal's new end. Where an attempt got no answer the client makes another: it
// asks for the same end, so that at most one of them is carried out, whenever they arrive.
Status EtcdJournal::commit(EtcdPut entry, std::uint64_t revision) {
  const EtcdLayout& layout = reader_.layout();
  const StoredHead head{revision, term_ ? term_->number : 0, new_nonce()};
  EtcdTransaction transaction;
  transaction.when = {{EtcdCondition::Of::kModified, layout.head(), head_modified_}};
  add_fence(transaction);
  transaction.puts = {std::move(entry), {layout.head(), to_value(head)}};
  transaction.otherwise_read = {layout.head(), layout.leader()};
  const auto outcome = reader_.client().transact(transaction);
  if (!outcome && outcome.error().code == ErrorCode::kUnavailable) failed_ = true;
  if (!outcome) return not_written(outcome.error());
  if (outcome->kind != EtcdOutcome::Kind::kDone) return why_refused(*outcome, head.nonce, revision);
  head_modified_ = outcome->revision;
  revision_ = revision;
  return {};
}

// Not refused at all, where the end is the one that this call has written.
Status EtcdJournal::why_refused(const EtcdOutcome& outcome, const std::string& nonce,
                                std::uint64_t revision) {
  const auto& found = outcome.read.front();
  if (!found) return reader_.damaged("its head is missing");
  const auto head = read_head(found->value);
  if (!head) return reader_.damaged("its head: " + head.error().message);
  if (head->nonce == nonce) {
    head_modified_ = found->modified;
    revision_ = revision;
    return {};
  }
  if (auto s = not_led(outcome.read.back()); !s) return s;
  return reader_.fail(ErrorCode::kConflict, "another process writes it: it ends at revision " +
                                                std::to_string(head->revision) + ", and not at " +
                                                std::to_string(revision_) + "; open it again");
}

Status EtcdJournal::not_led(const std::optional<EtcdEntry>& leader) const {
  if (!term_ || (leader && leader->created == static_cast<EtcdRevision>(term_->fence))) return {};
  return reader_.fail(ErrorCode::kConflict,
                      "this process does not lead any more: its term " +
                          std::to_string(term_->number) + " is over, " +
                          (leader ? leader->value + " leads" : "nobody leads"));
}

Status EtcdJournal::not_written(const Error& error) {
  if (failed_) {
    return reader_.fail(
        ErrorCode::kUnavailable,
        "nobody knows whether the append took place, it must be opened again: " + error.message);
  }
  return reader_.fail(error.code, "nothing was appended: " + error.message);
}

Status EtcdJournal::replay(std::uint64_t after,
                           const std::function<Status(const EventBatch&)>& visit) const {
  EtcdCursor cursor(reader_, after, visit);
  Status read = cursor.read_all();
  if (!read && !cursor.was_stopped() && read.error().code == ErrorCode::kNotFound) {
    read.error().code = ErrorCode::kCorrupt;  // whoever replays needs what is not there
  }
  return read;
}

Status EtcdJournal::save(const control::Snapshot& snapshot) {
  if (auto s = check_snapshot(revision_, snapshot.revision); !s) return s;
  Status written = write(snapshot);
  const bool is_full = !written && written.error().code == ErrorCode::kLimitExceeded;
  return is_full && compact() ? write(snapshot) : written;
}

Status EtcdJournal::write(const control::Snapshot& snapshot) {
  const auto parts = put_parts(Folder::kSnapshotParts, snapshot.revision, snapshot.bytes);
  if (!parts) return tl::unexpected(parts.error());
  EtcdTransaction transaction;
  add_fence(transaction);
  transaction.puts = {
      {reader_.layout().at(Folder::kSnapshots, snapshot.revision), to_value(*parts)}};
  transaction.otherwise_read = {reader_.layout().leader()};
  const auto outcome = reader_.client().transact(transaction);
  if (!outcome) return tl::unexpected(outcome.error());
  if (outcome->kind == EtcdOutcome::Kind::kDone) return {};
  return not_led(outcome->read.front());
}

// Oldest first, so that what is left is the end of what was there, whenever this stops.
Status EtcdJournal::erase(const EtcdKeys& keys) const {
  EtcdRange range{keys.begin, keys.end, kErasedAtOnce};
  range.what = EtcdRange::What::kKeys;
  for (;;) {
    const auto page = reader_.client().range(range);
    if (!page) return tl::unexpected(page.error());
    if (page->entries.empty()) return {};
    const std::string end = page->entries.back().key + '\0';
    if (auto s = reader_.client().erase(range.begin, end); !s) return s;
    range.begin = end;
  }
}

Status EtcdJournal::compact() {
  const auto snapshots = reader_.snapshots();
  if (!snapshots) return tl::unexpected(snapshots.error());
  if (snapshots->size() >= control::kSnapshotsKept) {
    const std::uint64_t oldest = (*snapshots)[snapshots->size() - control::kSnapshotsKept];
    const auto start = reader_.entry_start(oldest, 0);
    if (!start) return tl::unexpected(start.error());
    const EtcdLayout& layout = reader_.layout();
    for (const EtcdKeys& keys :
         {layout.before(Folder::kSnapshots, oldest), layout.before(Folder::kSnapshotParts, oldest),
          layout.before(Folder::kLog, *start), layout.before(Folder::kParts, *start)}) {
      if (auto s = erase(keys); !s) return s;
    }
  }
  return give_room_back(reader_.client());
}

}  // namespace berth::journal
