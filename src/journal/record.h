// Record: one batch of events as bytes, with its length and checksum, so that a torn or damaged
// record is told from a whole one. Layout: varint payload size | 8 bytes XXH3-64 of the payload,
// little-endian | payload = varint format (model/format.h), varint first
// revision, varint count, events.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "model/event.h"

namespace berth::journal {

inline constexpr std::size_t kRecordLimit = std::size_t{64} << 20;  // bytes of one payload

struct Record {
  std::uint64_t format = 0;
  std::uint64_t first_revision = 0;
  EventBatch events;
  std::size_t bytes = 0;  // of the whole record
};

void append_record(std::string& out, std::uint64_t first_revision, const EventBatch& events);
// A record of a payload that is there already as bytes.
void append_payload(std::string& out, std::string_view payload);

// 8 bytes XXH3-64, little-endian.
std::string checksum_of(std::string_view bytes);

// What every journal refuses: a batch that does not follow its last record, and a snapshot of what
// it does not have. `revision`: of the journal.
Status check_append(std::uint64_t revision, std::uint64_t first_revision);
Status check_snapshot(std::uint64_t revision, std::uint64_t snapshot_revision);

// The record at the start of `bytes`. kNotFound: the bytes end inside it (a torn tail); kCorrupt:
// the checksum or the content is wrong. kInvalid: of another version of Berth.
Result<Record> read_record(std::string_view bytes);

}  // namespace berth::journal
