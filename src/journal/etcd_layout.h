// EtcdLayout: which keys of etcd a journal uses, and how their values are written. All lies under
// one prefix, which is one cluster's:
//
//   format                              "berth-journal/2"
//   head                                StoredHead: where the journal ends; changed by each append
//   leader                              of EtcdLeadership; its address, with a lease
//   log/<revision>                      the batches of one append, or where they lie
//   parts/<revision>.<nonce>/<part>     batches that do not fit into one request of etcd
//   snapshots/<revision>                where the parts of the snapshot lie
//   snapshot-parts/<revision>.<nonce>/<part>
//
// Revisions have 20 digits, so that etcd's order is theirs. Parts without anything that names them
// were written by somebody who did not come to an end; nobody reads them, and compaction, which
// goes by their revision, takes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace berth::journal {

inline constexpr std::uint64_t kEtcdFormat = 2;  // 1 had records without a format
// Of one value. etcd takes requests of 1.5 MiB (--max-request-bytes), with all that is around it.
inline constexpr std::size_t kEtcdValueBytes = std::size_t{1} << 20;

// Keys from `begin` to before `end`.
struct EtcdKeys {
  std::string begin;
  std::string end;
};

class EtcdLayout {
 public:
  // Refuses what is no prefix: "/berth/west" is one.
  static Result<EtcdLayout> under(std::string prefix);

  enum class Folder : std::uint8_t { kLog, kParts, kSnapshots, kSnapshotParts };

  const std::string& prefix() const { return prefix_; }
  std::string format() const { return prefix_ + "/format"; }
  std::string head() const { return prefix_ + "/head"; }
  std::string leader() const { return prefix_ + "/leader"; }
  EtcdKeys all() const { return {prefix_ + "/", prefix_ + "0"}; }  // '0' follows '/'
  EtcdKeys all(Folder folder) const;
  // What belongs to revisions from `revision` on, or before it.
  EtcdKeys from(Folder folder, std::uint64_t revision) const;
  EtcdKeys before(Folder folder, std::uint64_t revision) const;
  std::string at(Folder folder, std::uint64_t revision) const;
  // The parts of one thing; part `number` is their begin and its six digits.
  EtcdKeys parts(Folder folder, std::uint64_t revision, const std::string& nonce) const;
  static std::string part(const EtcdKeys& parts, std::uint64_t number);
  // The revision in such a key; none: it is not one of the folder's.
  std::optional<std::uint64_t> revision_of(Folder folder, std::string_view key) const;

 private:
  explicit EtcdLayout(std::string prefix) : prefix_(std::move(prefix)) {}
  std::string folder(Folder folder) const;

  std::string prefix_;
};

// `nonce`: of the append that wrote it, so that whoever got no answer finds out what became of it.
struct StoredHead {
  std::uint64_t revision = 0;  // after the last batch
  std::uint64_t term = 0;      // of the leader that wrote it; 0: of nobody who was elected
  std::string nonce;
};

// Large bytes in parts of kEtcdValueBytes, the last one of what is left.
struct PartList {
  std::string nonce;
  std::uint64_t size = 0;
  std::string checksum;
  std::uint64_t count() const { return (size + kEtcdValueBytes - 1) / kEtcdValueBytes; }
};

// The value of a key of the log: the records themselves, or where they lie.
struct StoredEntry {
  std::optional<PartList> elsewhere;
  std::string_view records;  // of the value that was read
};

std::string format_text();
std::string to_value(const StoredHead& head);
std::string to_value(const PartList& parts);
std::string entry_value(std::string_view records);
std::string entry_value(const PartList& elsewhere);

// Refused: not a journal of Berth, or of a newer format. The text goes after what it is about.
Status check_format(std::string_view value);
Result<StoredHead> read_head(std::string_view value);
Result<PartList> read_part_list(std::string_view value);
Result<StoredEntry> read_entry(std::string_view value);

}  // namespace berth::journal
