// The JSON of a run (report/json.h) read back, to compare runs that were played apart.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "sim/run_result.h"

namespace berth::sim {

// `source` names the text in messages.
Result<RunResult> read_run_json(std::string_view text, const std::string& source);

}  // namespace berth::sim
