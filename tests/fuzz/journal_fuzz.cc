// A journal of arbitrary bytes is opened or refused; what is opened can be read back record by
// record, and each record is written again byte for byte.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "journal/memory_journal.h"
#include "journal/record.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const auto journal = berth::journal::MemoryJournal::open(bytes);
  if (!journal) return 0;
  std::string again;
  std::uint64_t revision = 0;
  const auto status = journal->replay([&](const berth::EventBatch& events) -> berth::Status {
    berth::journal::append_record(again, revision, events);
    revision += events.size();
    return {};
  });
  if (!status || again != journal->bytes()) std::abort();
  return 0;
}
