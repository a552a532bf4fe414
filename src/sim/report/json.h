// RunResult -> JSON for programs. The same result always gives the same text: one member or list
// item per line, and nothing that depends on the machine. The form is versioned in its first
// member.
#pragma once

#include <span>
#include <string>

#include "sim/run_result.h"

namespace berth::sim {

inline constexpr const char* kRunFormat = "berth-run/5";
inline constexpr const char* kComparisonFormat = "berth-comparison/1";

std::string run_json(const RunResult& run);

// {"format", "headline": [metric with one value per run], "runs": [as run_json]}
std::string comparison_json(std::span<const RunResult> runs);

}  // namespace berth::sim
