// When work was lost, who was stopped, and when room was taken back, as pictures.
#pragma once

#include <span>
#include <string>

#include "sim/run_result.h"

namespace berth::sim {

// A row for each run: GPU-hours lost by cause, and jobs that were stopped by how. Empty where no
// run has lost anything.
std::string loss_charts_html(std::span<const RunResult> runs);
// One for each run: receipts by the cards that they took. Empty where no run has any.
std::string receipt_charts_html(std::span<const RunResult> runs);

}  // namespace berth::sim
