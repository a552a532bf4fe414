#include "journal/etcd_reader.h"

#include <algorithm>
#include <utility>

#include "journal/record.h"

namespace berth::journal {
namespace {

using Folder = EtcdLayout::Folder;

// Parts are of 1 MiB: what is held of an answer beside the bytes that are put together.
constexpr std::int64_t kPartsAtOnce = 8;
// Revisions, in which the begin of an entry is looked for at first.
constexpr std::uint64_t kFirstSpan = 1'024;

std::string after(const std::string& key) { return key + '\0'; }

}  // namespace

Result<EtcdReader> EtcdReader::open(const EtcdSettings& settings, std::string prefix) {
  auto layout = EtcdLayout::under(std::move(prefix));
  if (!layout) return tl::unexpected(layout.error());
  auto client = EtcdClient::open(settings);
  if (!client) return tl::unexpected(client.error());
  return EtcdReader(std::move(*client), std::move(*layout));
}

tl::unexpected<Error> EtcdReader::fail(ErrorCode code, const std::string& what) const {
  return berth::fail(code, "the journal " + layout_.prefix() + " in etcd: " + what);
}

tl::unexpected<Error> EtcdReader::damaged(const std::string& what) const {
  return fail(ErrorCode::kCorrupt, what);
}

// One reading for both keys.
Result<ReadHead> EtcdReader::head() const {
  const auto page = client_->range({layout_.format(), after(layout_.head())});
  if (!page) return tl::unexpected(page.error());
  const EtcdEntry* format = nullptr;
  const EtcdEntry* head = nullptr;
  for (const EtcdEntry& entry : page->entries) {
    if (entry.key == layout_.format()) format = &entry;
    if (entry.key == layout_.head()) head = &entry;
  }
  if (format == nullptr && head == nullptr) return no_head(page->revision);
  if (format == nullptr) return damaged("its format is missing");
  if (Status ours = check_format(format->value); !ours) {
    ours.error().message = layout_.prefix() + " in etcd " + ours.error().message;
    return tl::unexpected(std::move(ours.error()));
  }
  if (head == nullptr) return damaged("its head is missing");
  auto stored = read_head(head->value);
  if (!stored) return damaged("its head: " + stored.error().message);
  return ReadHead{std::move(*stored), head->modified, page->revision};
}

// A leader may have been elected before there is a journal; any other key is somebody else's.
Result<ReadHead> EtcdReader::no_head(EtcdRevision as_of) const {
  EtcdRange range{layout_.all().begin, layout_.all().end, 2, as_of};
  range.what = EtcdRange::What::kKeys;
  const auto others = client_->range(range);
  if (!others) return tl::unexpected(others.error());
  for (const EtcdEntry& other : others->entries) {
    if (other.key == layout_.leader()) continue;
    return invalid(layout_.prefix() + " in etcd is no journal of Berth: it holds " + other.key +
                   "; name a prefix that nothing else uses");
  }
  return ReadHead{{}, 0, as_of};
}

Result<std::uint64_t> EtcdReader::entry_start(std::uint64_t revision, EtcdRevision as_of) const {
  for (std::uint64_t span = 0;; span = std::max(kFirstSpan, span * 8)) {
    const std::uint64_t from = revision - std::min(span, revision);
    EtcdRange range{layout_.at(Folder::kLog, from), after(layout_.at(Folder::kLog, revision))};
    range.revision = as_of;
    range.what = EtcdRange::What::kKeys;
    const auto page = client_->range(range);
    if (!page) return tl::unexpected(page.error());
    if (!page->entries.empty()) {
      const std::string& key = page->entries.back().key;
      const auto start = layout_.revision_of(Folder::kLog, key);
      if (start) return *start;
      return damaged("the key " + key + " is not one of its");
    }
    if (from == 0) return revision;
  }
}

Result<std::string> EtcdReader::joined(const EtcdKeys& keys, const PartList& parts,
                                       EtcdRevision as_of) const {
  std::string bytes;
  EtcdRange range{keys.begin, keys.end, kPartsAtOnce, as_of};
  for (std::uint64_t read = 0; read < parts.count();) {
    const auto page = client_->range(range);
    if (!page) return tl::unexpected(page.error());
    if (page->entries.empty()) break;
    for (const EtcdEntry& part : page->entries) bytes += part.value;
    read += page->entries.size();
    range.begin = after(page->entries.back().key);
  }
  if (bytes.size() == parts.size && checksum_of(bytes) == parts.checksum) return bytes;
  return berth::fail(ErrorCode::kCorrupt, "its parts are not what was written");
}

Result<std::vector<std::uint64_t>> EtcdReader::snapshots() const {
  const EtcdKeys keys = layout_.all(Folder::kSnapshots);
  EtcdRange range{keys.begin, keys.end};
  range.what = EtcdRange::What::kKeys;
  const auto page = client_->range(range);
  if (!page) return tl::unexpected(page.error());
  std::vector<std::uint64_t> revisions;
  for (const EtcdEntry& entry : page->entries) {
    const auto revision = layout_.revision_of(Folder::kSnapshots, entry.key);
    if (!revision) {
      return damaged("the key " + entry.key + " is not one of its");
    }
    revisions.push_back(*revision);
  }
  return revisions;
}

Result<std::optional<control::Snapshot>> EtcdReader::newest() const {
  const EtcdKeys keys = layout_.all(Folder::kSnapshots);
  for (;;) {
    const auto page = client_->range({keys.begin, keys.end});
    if (!page) return tl::unexpected(page.error());
    if (page->entries.empty()) return std::nullopt;
    auto read = snapshot(page->entries.back(), page->revision);
    if (read) return std::move(*read);
    // Compacted while it was read: there is a newer one, or it can be read as it is by now.
    if (read.error().code != ErrorCode::kNotFound) return tl::unexpected(read.error());
  }
}

Result<control::Snapshot> EtcdReader::snapshot(const EtcdEntry& entry, EtcdRevision as_of) const {
  const auto revision = layout_.revision_of(Folder::kSnapshots, entry.key);
  const auto parts = read_part_list(entry.value);
  if (!revision || !parts) {
    return damaged("the snapshot " + entry.key + " is not what was written");
  }
  auto bytes =
      joined(layout_.parts(Folder::kSnapshotParts, *revision, parts->nonce), *parts, as_of);
  if (bytes) return control::Snapshot{*revision, std::move(*bytes)};
  if (bytes.error().code != ErrorCode::kCorrupt) return tl::unexpected(bytes.error());
  return damaged("the snapshot of revision " + std::to_string(*revision) + ": " +
                 bytes.error().message);
}

}  // namespace berth::journal
