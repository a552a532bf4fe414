// Loads and plays one simulation with progress; shared by the subcommands that simulate.
#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "cli/console.h"
#include "sim/load.h"
#include "sim/run_result.h"

namespace berth::cli {

struct Play {
  std::string path;  // of the simulation file
  sim::Overrides overrides;
  std::optional<std::string> journal_path;  // the journal's bytes are written there
};

Result<sim::RunResult> play(const Play& what, const sim::Places& places, Console& console);

// "24h" or "90s" of an option.
Result<DurationMs> duration_of(const std::string& text);
// A seed: digits.
Result<std::uint64_t> seed_of(const std::string& text);

}  // namespace berth::cli
