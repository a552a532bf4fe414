// Running a server in the foreground, for the commands that do.
#pragma once

#include <functional>

#include "cli/console.h"
#include "cli/serve/running_server.h"

namespace berth::cli {

// Starts it, calls `once_started`, and stops it on a signal; the exit code.
int serve_until_stopped(ServeOptions options, sim::SimInput input, Console& console,
                        const std::function<void(RunningServer&)>& once_started);

}  // namespace berth::cli
