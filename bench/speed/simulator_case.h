// The simulator under its own load: how many events a second one core takes.
// Owns: playing data/workloads/sim-events.yaml and the clock around it. Must never decide anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/units.h"

namespace berth::bench::speed {

// Memory: every batch of events is written as bytes with a checksum and kept.
enum class KeptJournal { kNone, kMemory };

struct SimulatorRun {
  std::uint64_t events = 0;  // applied to the state, those that declare the fleet included
  double cpu_s = 0;          // without reading the files
  std::uint64_t state_hash = 0;
};

// Plays the workload of the folder `data` once, to its end or for `duration_ms` of virtual time.
Result<SimulatorRun> play_simulator(const std::string& data, KeptJournal journal,
                                    std::optional<DurationMs> duration_ms = {});

// Events a second: the best of `repeat` runs after one to warm up.
Result<double> simulator_events_per_s(const std::string& data, KeptJournal journal,
                                      std::size_t repeat);

}  // namespace berth::bench::speed
