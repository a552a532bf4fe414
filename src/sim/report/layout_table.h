// MIG layouts of a run as small pictures, and what became of changes of them.
#pragma once

#include <span>
#include <string>

#include "sim/run_result.h"

namespace berth::sim {

// Empty where no card of any run has a static layout.
std::string layouts_html(std::span<const RunResult> runs);

}  // namespace berth::sim
