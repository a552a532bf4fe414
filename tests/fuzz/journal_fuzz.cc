// A journal of arbitrary bytes is opened or refused; what is opened can be read back record by
// record, and each record is written again byte for byte. The same bytes are also taken as the
// payload of one record under a right checksum, so that the reader of events is reached.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "journal/memory_journal.h"
#include "journal/record.h"

namespace {

using namespace berth;
using namespace berth::journal;

void check_journal(const std::string& bytes) {
  const auto journal = MemoryJournal::open(bytes);
  if (!journal) {
    BERTH_CHECK(!journal.error().message.empty());
    return;
  }
  std::string again;
  std::uint64_t revision = 0;
  const auto status = journal->replay(0, [&](const EventBatch& events) -> Status {
    append_record(again, revision, events);
    revision += events.size();
    return {};
  });
  BERTH_CHECK(status.has_value() && again == journal->bytes());
}

// The payload's own revision may be any; what is read is written as the same bytes.
void check_payload(std::string_view payload) {
  std::string bytes;
  append_payload(bytes, payload);
  const auto record = read_record(bytes);
  if (!record) {
    BERTH_CHECK(record.error().code != ErrorCode::kNotFound && !record.error().message.empty());
    return;
  }
  BERTH_CHECK(record->bytes == bytes.size());
  std::string again;
  append_record(again, record->first_revision, record->events);
  BERTH_CHECK(again == bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  check_journal(bytes);
  check_payload(bytes);
  return 0;
}
