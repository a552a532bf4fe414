// What the program takes from its environment, in one place:
//   BERTH_DATA    folder with gpus, fleets, workloads, policies and mixes
//   BERTH_WEB     folder of the built web page
//   BERTH_TRACES  folder of traces (default ../shared/traces)
//   BERTH_SERVER, BERTH_TOKEN, BERTH_CONFIG  which server is asked (remote/contexts.h)
//   NO_COLOR      no colours (console.h)
#pragma once

#include <string>

#include "base/error.h"
#include "sim/load.h"

namespace berth::cli {

// Empty when it is not set.
std::string variable(const char* name);

// Where `berth server --dev` listens unless told otherwise.
inline constexpr const char* kDevServer = "http://127.0.0.1:7700";

// Data: BERTH_DATA, else `data` in the working directory, else beside the program.
Result<sim::Places> find_places();

// The built web page: BERTH_WEB, else web/dist beside the program. Empty: there is none.
Result<std::string> find_web();

}  // namespace berth::cli
