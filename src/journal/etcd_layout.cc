#include "journal/etcd_layout.h"

#include <charconv>
#include <utility>

#include "base/bytes.h"
#include "journal/record.h"

namespace berth::journal {
namespace {

constexpr std::string_view kFormatName = "berth-journal/";
constexpr std::size_t kRevisionDigits = 20;
constexpr std::size_t kPartDigits = 6;
constexpr std::size_t kChecksumBytes = 8;

// What a value of the log begins with.
constexpr char kRecordsHere = 'r';
constexpr char kRecordsElsewhere = 'p';

std::string padded(std::uint64_t number, std::size_t digits) {
  std::string text = std::to_string(number);
  if (text.size() < digits) text.insert(0, digits - text.size(), '0');
  return text;
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string guarded(std::string_view payload) { return checksum_of(payload).append(payload); }

Result<std::string_view> unguarded(std::string_view value) {
  if (value.size() < kChecksumBytes) return fail(ErrorCode::kCorrupt, "it is cut off");
  const std::string_view payload = value.substr(kChecksumBytes);
  if (value.substr(0, kChecksumBytes) == checksum_of(payload)) return payload;
  return fail(ErrorCode::kCorrupt, "its checksum is wrong");
}

}  // namespace

Result<EtcdLayout> EtcdLayout::under(std::string prefix) {
  const bool is_path = prefix.size() > 1 && prefix.front() == '/' && prefix.back() != '/' &&
                       prefix.find("//") == std::string::npos;
  if (is_path) return EtcdLayout(std::move(prefix));
  return invalid("is \"" + prefix +
                     "\"; a path such as /berth/west is accepted, without a / at its "
                     "end",
                 "prefix");
}

std::string EtcdLayout::folder(Folder folder) const {
  switch (folder) {
    case Folder::kLog:
      return prefix_ + "/log/";
    case Folder::kParts:
      return prefix_ + "/parts/";
    case Folder::kSnapshots:
      return prefix_ + "/snapshots/";
    case Folder::kSnapshotParts:
      return prefix_ + "/snapshot-parts/";
  }
  return {};
}

EtcdKeys EtcdLayout::all(Folder folder) const {
  const std::string begin = this->folder(folder);
  std::string end = begin;
  ++end.back();
  return {begin, end};
}

EtcdKeys EtcdLayout::from(Folder folder, std::uint64_t revision) const {
  return {at(folder, revision), all(folder).end};
}

EtcdKeys EtcdLayout::before(Folder folder, std::uint64_t revision) const {
  return {all(folder).begin, at(folder, revision)};
}

std::string EtcdLayout::at(Folder folder, std::uint64_t revision) const {
  return this->folder(folder) + padded(revision, kRevisionDigits);
}

EtcdKeys EtcdLayout::parts(Folder folder, std::uint64_t revision, const std::string& nonce) const {
  const std::string begin = at(folder, revision) + "." + nonce;
  return {begin + "/", begin + "0"};
}

std::string EtcdLayout::part(const EtcdKeys& parts, std::uint64_t number) {
  return parts.begin + padded(number, kPartDigits);
}

std::optional<std::uint64_t> EtcdLayout::revision_of(Folder folder, std::string_view key) const {
  const std::string begin = this->folder(folder);
  if (!key.starts_with(begin)) return std::nullopt;
  return number_in(key.substr(begin.size()));
}

std::string format_text() { return std::string(kFormatName) + std::to_string(kEtcdFormat); }

Status check_format(std::string_view value) {
  const bool is_ours = value.starts_with(kFormatName);
  const auto format = is_ours ? number_in(value.substr(kFormatName.size())) : std::nullopt;
  if (!format) return invalid("is no journal of Berth");
  if (*format == kEtcdFormat) return {};
  return invalid("has format " + std::to_string(*format) + "; this version of Berth reads " +
                 std::to_string(kEtcdFormat));
}

std::string to_value(const StoredHead& head) {
  ByteWriter out;
  out.varint(head.revision);
  out.varint(head.term);
  out.text(head.nonce);
  return guarded(out.bytes());
}

Result<StoredHead> read_head(std::string_view value) {
  const auto payload = unguarded(value);
  if (!payload) return tl::unexpected(payload.error());
  ByteReader in(*payload);
  StoredHead head;
  head.revision = in.varint();
  head.term = in.varint();
  head.nonce = in.text();
  if (auto s = in.finish(); !s) return tl::unexpected(s.error());
  return head;
}

std::string to_value(const PartList& parts) {
  ByteWriter out;
  out.text(parts.nonce);
  out.varint(parts.size);
  out.text(parts.checksum);
  return guarded(out.bytes());
}

Result<PartList> read_part_list(std::string_view value) {
  const auto payload = unguarded(value);
  if (!payload) return tl::unexpected(payload.error());
  ByteReader in(*payload);
  PartList parts;
  parts.nonce = in.text();
  parts.size = in.varint();
  parts.checksum = in.text();
  if (auto s = in.finish(); !s) return tl::unexpected(s.error());
  return parts;
}

std::string entry_value(std::string_view records) {
  return std::string(1, kRecordsHere).append(records);
}

std::string entry_value(const PartList& elsewhere) {
  return kRecordsElsewhere + to_value(elsewhere);
}

Result<StoredEntry> read_entry(std::string_view value) {
  if (value.starts_with(kRecordsHere)) return StoredEntry{std::nullopt, value.substr(1)};
  if (!value.starts_with(kRecordsElsewhere)) {
    return fail(ErrorCode::kCorrupt, "it begins with what no version of Berth writes");
  }
  auto parts = read_part_list(value.substr(1));
  if (!parts) return tl::unexpected(parts.error());
  return StoredEntry{std::move(*parts), {}};
}

}  // namespace berth::journal
