// Measuring journals: a recorded history is appended again, by so many producers at a time.
// Owns: the files and keys that it makes, which are gone afterwards. Must never decide what is
// recorded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "model/event.h"

namespace berth::bench::journal {

enum class BackEnd : std::uint8_t { kMemory, kSqlite, kEtcd };

struct CaseSpec {
  std::string name;
  BackEnd back_end = BackEnd::kMemory;
  std::size_t producers = 1;  // that wait, each with one batch; a call takes the batches of all
};
std::vector<CaseSpec> cases();

struct History {
  std::vector<EventBatch> batches;
  std::uint64_t events = 0;
};
// What a simulation of data/workloads/sim-events.yaml writes in so much of its time.
Result<History> record(const std::string& data, DurationMs duration);

struct Outcome {
  double events_per_s = 0;
  double appends_per_s = 0;  // calls
  double append_p99_ms = 0;  // of a call
};
// Where new journals are made.
struct Places {
  std::string folder;
  std::string etcd = {};  // "host:port" of one that runs; empty: its cases cannot be measured
};
// Appends the history, over and over for `seconds`, to a new journal; then what it holds is read
// again and must be all of it.
Result<Outcome> measure(const CaseSpec& spec, const History& history, const Places& places,
                        double seconds);

// Writes of 4 KiB to a file in the folder, each followed by fdatasync, a second.
Result<double> syncs_per_s(const std::string& folder, double seconds);

}  // namespace berth::bench::journal
