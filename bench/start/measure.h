// One start of a server, as a process, on a journal that is there.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"
#include "bench/start/make_journal.h"

namespace berth::bench::start {

struct Outcome {
  double ready_s = 0;           // from the start of the process until it says that it serves
  double answer_s = 0;          // until it has answered what the cluster is like
  std::int64_t peak_bytes = 0;  // of memory, until a while after that
};

// kCorrupt: what it answers is not what the journal has.
Result<Outcome> measure(const std::string& journal, const MadeJournal& expected);

}  // namespace berth::bench::start
