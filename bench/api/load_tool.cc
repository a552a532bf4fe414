#include "bench/api/load_tool.h"

#include <sys/resource.h>

#include <array>
#include <cstdio>
#include <sstream>

namespace berth::bench::api {
namespace {

double children_cpu_s() {
  rusage use{};
  ::getrusage(RUSAGE_CHILDREN, &use);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

Result<std::string> output_of(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return fail(ErrorCode::kUnavailable, "no process can be made");
  std::string output;
  std::array<char, 4096> some;
  while (const std::size_t got = std::fread(some.data(), 1, some.size(), pipe)) {
    output.append(some.data(), got);
  }
  const int status = ::pclose(pipe);
  if (status == 0) return output;
  return fail(ErrorCode::kUnavailable, "'" + command + "' failed: " + output);
}

}  // namespace

Result<LoadOutcome> parse_load(const std::string& output) {
  const std::size_t at = output.find("RESULT ");
  if (at == std::string::npos) {
    return fail(ErrorCode::kUnavailable, "the load tool gave no result: " + output);
  }
  std::istringstream words(output.substr(at + 7));
  double requests = 0;
  double microseconds = 0;
  double p50 = 0;
  double p99 = 0;
  double refused = 0;
  double broken = 0;
  if (!(words >> requests >> microseconds >> p50 >> p99 >> refused >> broken)) {
    return fail(ErrorCode::kUnavailable, "the load tool's result is cut off: " + output);
  }
  return LoadOutcome{static_cast<std::uint64_t>(requests - refused),
                     static_cast<std::uint64_t>(refused),
                     static_cast<std::uint64_t>(broken),
                     microseconds / 1e6,
                     p50 / 1e3,
                     p99 / 1e3,
                     0};
}

Result<LoadOutcome> run_load(const LoadSpec& spec) {
  const std::string command =
      "exec wrk --threads 1 --connections " + std::to_string(spec.connections) + " --duration " +
      std::to_string(spec.seconds) + "s --timeout 30s --script '" +
      BERTH_SOURCE_DIR "/bench/api/submit.lua' http://127.0.0.1:" + std::to_string(spec.port) +
      " -- " + std::to_string(spec.queues) + " 2>&1";
  const double before = children_cpu_s();
  const auto output = output_of(command);
  if (!output) return tl::unexpected(output.error());
  auto outcome = parse_load(*output);
  if (outcome) outcome->tool_cpu_s = children_cpu_s() - before;
  return outcome;
}

}  // namespace berth::bench::api
