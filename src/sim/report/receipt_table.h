// The dearest receipts as a table: for whom, from whom, at which price.
#pragma once

#include <span>
#include <string>

#include "sim/run_result.h"

namespace berth::sim {

// Empty where no run has any.
std::string receipts_html(std::span<const RunResult> runs);

}  // namespace berth::sim
