// What leases were spent on, who was interrupted and what that cost, as aligned text. Empty where
// nothing was lost.
#pragma once

#include <span>
#include <string>

#include "sim/report/table.h"

namespace berth::sim {

std::string work_table(std::span<const RunResult> runs, Colours colours);

}  // namespace berth::sim
