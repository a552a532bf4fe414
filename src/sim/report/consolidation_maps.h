// Consolidations of runs as maps of cards, before and after. Empty: there were none.
#pragma once

#include <span>
#include <string>

#include "sim/run_result.h"

namespace berth::sim {

std::string consolidations_html(std::span<const RunResult> runs);

}  // namespace berth::sim
