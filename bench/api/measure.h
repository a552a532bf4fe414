// One run: a control plane that comes up, streams, the load, and what is there after a kill -9.
#pragma once

#include "bench/api/load_tool.h"
#include "bench/servers/control_plane.h"

namespace berth::bench::api {

struct RunSpec {
  BackEnd back_end = BackEnd::kSqlite;
  std::size_t streams = 1'000;
  std::size_t connections = 64;
  int seconds = 10;
};

struct Outcome {
  LoadOutcome load;
  std::size_t streams = 0;     // that stood until the end
  std::uint64_t told = 0;      // submissions that the streams have told
  std::uint64_t survived = 0;  // jobs that are there after the kill
  double server_cpu_s = 0;     // during the load; etcd's too
};

Result<Outcome> measure(const RunSpec& spec);

}  // namespace berth::bench::api
