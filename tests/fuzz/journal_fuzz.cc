// A journal of arbitrary bytes is opened or refused; what is opened can be read back record by
// record, and each record of the present format is written again byte for byte. The same bytes are
// also taken as the payload of one record under a right checksum, so that the reader of events is
// reached.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "journal/memory_journal.h"
#include "journal/record.h"
#include "model/format.h"

namespace {

using namespace berth;
using namespace berth::journal;

std::string written(const Record& record) {
  std::string bytes;
  append_record(bytes, record.first_revision, record.events);
  return bytes;
}

// What an older format has read becomes the present format, and stays what it is then.
void check_record(const Record& record, std::string_view bytes) {
  const std::string again = written(record);
  if (record.format == kFormat) {
    BERTH_CHECK(again == bytes);
    return;
  }
  const auto present = read_record(again);
  BERTH_CHECK(present.has_value() && present->format == kFormat);
  BERTH_CHECK(written(*present) == again);
}

void check_journal(const std::string& bytes) {
  const auto journal = MemoryJournal::open(bytes);
  if (!journal) {
    BERTH_CHECK(!journal.error().message.empty());
    return;
  }
  std::string_view rest = journal->bytes();
  const auto status = journal->replay(0, [&](const EventBatch& events) -> Status {
    const auto record = read_record(rest);
    BERTH_CHECK(record.has_value() && record->events.size() == events.size());
    check_record(*record, rest.substr(0, record->bytes));
    rest.remove_prefix(record->bytes);
    return {};
  });
  BERTH_CHECK(status.has_value() && rest.empty());
}

// The payload's own revision may be any.
void check_payload(std::string_view payload) {
  std::string bytes;
  append_payload(bytes, payload);
  const auto record = read_record(bytes);
  if (!record) {
    BERTH_CHECK(record.error().code != ErrorCode::kNotFound && !record.error().message.empty());
    return;
  }
  BERTH_CHECK(record->bytes == bytes.size());
  check_record(*record, bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  check_journal(bytes);
  check_payload(bytes);
  return 0;
}
