// Whether results may stand side by side: their difference is the policy's only under one load.
#pragma once

#include <span>
#include <string>

#include "base/error.h"
#include "sim/run_result.h"

namespace berth::cli {

// `files` name where each of the runs is from.
Status check_same_load(std::span<const std::string> files, std::span<const sim::RunResult> runs);

}  // namespace berth::cli
