#include "journal/record.h"

#include "base/bytes.h"
#include "model/format.h"

namespace berth::journal {
namespace {

constexpr std::size_t kChecksumBytes = 8;

Result<Record> read_payload(std::string_view payload) {
  ByteReader in(payload);
  if (auto s = read_format(in, "the record"); !s) return tl::unexpected(s.error());
  Record record;
  record.format = in.format();
  record.first_revision = in.varint();
  const std::size_t count = in.count();
  for (std::size_t i = 0; i < count; ++i) {
    auto event = read_event(in);
    if (!event) return tl::unexpected(event.error());
    record.events.push_back(std::move(*event));
  }
  if (auto s = in.finish(); !s) return tl::unexpected(s.error());
  return record;
}

}  // namespace

void append_record(std::string& out, std::uint64_t first_revision, const EventBatch& events) {
  ByteWriter payload;
  payload.varint(kFormat);
  payload.varint(first_revision);
  payload.varint(events.size());
  for (const Event& event : events) write_event(payload, event);
  append_payload(out, payload.bytes());
}

void append_payload(std::string& out, std::string_view payload) {
  ByteWriter head;
  head.varint(payload.size());
  out += head.bytes();
  out += checksum_of(payload);
  out += payload;
}

std::string checksum_of(std::string_view bytes) {
  ByteWriter out;
  std::uint64_t hash = stable_hash(bytes);
  for (std::size_t i = 0; i < kChecksumBytes; ++i, hash >>= 8) {
    out.u8(static_cast<std::uint8_t>(hash));
  }
  return out.take();
}

Status check_append(std::uint64_t revision, std::uint64_t first_revision) {
  if (first_revision == revision) return {};
  return fail(ErrorCode::kConflict, "the journal is at revision " + std::to_string(revision) +
                                        ", the batch follows " + std::to_string(first_revision));
}

Status check_snapshot(std::uint64_t revision, std::uint64_t snapshot_revision) {
  if (snapshot_revision <= revision) return {};
  return fail(ErrorCode::kConflict, "a snapshot of revision " + std::to_string(snapshot_revision) +
                                        ", but the journal ends at " + std::to_string(revision));
}

Result<Record> read_record(std::string_view bytes) {
  ByteReader in(bytes);
  const std::uint64_t size = in.varint();
  if (!in.ok()) {
    constexpr std::size_t kLongestVarint = 10;
    if (bytes.size() < kLongestVarint) return fail(ErrorCode::kNotFound, "a torn record");
    return fail(ErrorCode::kCorrupt, "a record's length is malformed");
  }
  if (size > kRecordLimit) {
    return fail(ErrorCode::kCorrupt, "a record claims " + std::to_string(size) + " bytes");
  }
  const std::size_t head = in.position();
  if (bytes.size() - head < kChecksumBytes + size) {
    return fail(ErrorCode::kNotFound, "a torn record");
  }
  const std::string_view payload = bytes.substr(head + kChecksumBytes, size);
  if (bytes.substr(head, kChecksumBytes) != checksum_of(payload)) {
    return fail(ErrorCode::kCorrupt, "a record's checksum is wrong");
  }
  auto record = read_payload(payload);
  if (record) record->bytes = head + kChecksumBytes + size;
  return record;
}

}  // namespace berth::journal
