#include "cli/serve/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace berth::cli {

void log_line(LogLevel level, std::string_view text) {
  static const auto kLogger = [] {
    auto logger = spdlog::stderr_color_mt("berth");
    logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e %^%l%$ %v");
    return logger;
  }();
  const spdlog::level::level_enum kinds[] = {spdlog::level::info, spdlog::level::warn,
                                             spdlog::level::err};
  kLogger->log(kinds[static_cast<unsigned char>(level)], text);
}

}  // namespace berth::cli
