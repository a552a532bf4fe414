// The scenario runner. Beside comparing transcripts it does for every file what nobody writes by
// hand: invariants after each command; a second run that must end in the same state; a run with
// nodes and queues declared in reverse that must tell the same; a run that restarts the controller
// from its journal after each command; and idle cycles at the end that must decide nothing.
//
// It reads no files and prints nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/gpu_model.h"

namespace berth::sim {

struct ScenarioSetting {
  std::vector<GpuModel> catalog;  // models that nodes may name
};

struct ScenarioOutcome {
  bool matches = true;  // every transcript is the expected one
  std::string diff;     // unified, when it is not
  std::string broken;   // what the runner's own checks found; empty: nothing
  std::string updated;  // the file with the transcripts that were found
  std::size_t commands = 0;
  std::uint64_t state_hash = 0;

  bool passed() const { return matches && broken.empty(); }
};

inline constexpr int kIdleCycles = 5;

// An error has the line: the file cannot be run at all. `name` names the file in messages.
Result<ScenarioOutcome> run_scenario(std::string_view text, const std::string& name,
                                     const ScenarioSetting& setting);

// Files named case-* state what must hold and are never rewritten.
bool refuses_update(std::string_view file_name);

}  // namespace berth::sim
