// BERTH_CHECK: a broken invariant stops the program, in release builds too.
//
// Use it for what must be true whatever the input; bad input is an Error instead. A context
// (state hash, last events) can be registered by the shell and is printed with the failure.
#pragma once

#include <string>

namespace berth {

// Called once before the program stops; set by a shell, never by a pure room. Not thread-safe.
using CheckContext = std::string (*)();
void set_check_context(CheckContext context);

[[noreturn]] void check_failed(const char* file, int line, const char* condition);

}  // namespace berth

#define BERTH_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::berth::check_failed(__FILE__, __LINE__, #condition))
