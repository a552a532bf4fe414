// Reads everything that one run needs from files. The only part of the simulator that looks for
// files; where the folders are is the caller's to say.
#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "sim/simulation.h"
#include "sim/trace/bad_rows.h"

namespace berth::sim {

// Where the parts of a simulation are looked for.
struct Places {
  std::string data;    // folder with gpus, fleets, workloads, policies and mixes
  std::string traces;  // folder of traces; where a path that is not beside its file is looked for
};

// What a caller may set differently from the file.
struct Overrides {
  std::optional<std::string> policy;
  std::optional<std::string> mix;
  std::optional<std::uint64_t> seed;
  std::optional<DurationMs> duration_ms;
  BadRows bad_rows = BadRows::kRefuse;
};

struct LoadedSimulation {
  SimInput input;
  SkippedRows skipped;
};

// The whole input of a run, or what is wrong with it, with file and line.
Result<LoadedSimulation> load_simulation(const std::string& path, const Places& places,
                                         const Overrides& overrides);

// A policy by its name in the data's policies, or by path.
Result<PolicySpec> load_policy(const std::string& reference, const Places& places);

}  // namespace berth::sim
