// The log of a server: one line an entry, on standard error. spdlog is known to log.cc only.
// Thread-safe.
#pragma once

#include <string_view>

namespace berth::cli {

enum class LogLevel : unsigned char { kInfo, kWarning, kError };

void log_line(LogLevel level, std::string_view text);

}  // namespace berth::cli
