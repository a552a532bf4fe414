// The load tool: wrk with submit.lua, as a process.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"

namespace berth::bench::api {

struct LoadSpec {
  std::uint16_t port = 0;
  std::size_t connections = 64;
  std::size_t queues = 1'000;
  int seconds = 10;
};

struct LoadOutcome {
  std::uint64_t submits = 0;  // answered with 2xx
  std::uint64_t refused = 0;  // answered otherwise
  std::uint64_t broken = 0;   // not answered
  double seconds = 0;
  double p50_ms = 0;
  double p99_ms = 0;
  double tool_cpu_s = 0;
};

// kUnavailable: there is no wrk, or it says something else than it should.
Result<LoadOutcome> run_load(const LoadSpec& spec);

// "... RESULT requests microseconds p50_us p99_us refused broken"
Result<LoadOutcome> parse_load(const std::string& output);

}  // namespace berth::bench::api
