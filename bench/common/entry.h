// What every comparison does around its own work: reads the command line, answers --help and says
// what went wrong.
// Owns: the exit codes. 0: done, also where the traces are absent; 1: a result that cannot be true;
// 2: arguments or an input that cannot be used; 3: anything else, such as a file that cannot be
// written. Must never measure or compare.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "bench/common/arguments.h"

namespace berth::bench {

// The exit code; `work` gives its own, or an error. Nothing starts when an argument is wrong or the
// file of --json cannot be written.
int run_program(const Program& program, const std::vector<std::string>& words,
                const std::function<Result<int>(const Arguments& arguments)>& work);

// Says that the traces are absent and so nothing was done ("compared"), and writes a file without
// rows where one is asked for; code 0.
Result<int> without_traces(const Program& program, const Arguments& arguments,
                           const std::string& folder, const std::string& done);

}  // namespace berth::bench
