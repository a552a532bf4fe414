#include "bench/servers/simulation.h"

#include <fstream>

namespace berth::bench {

std::string write_simulation(const std::string& folder, const std::string& fleet,
                             const std::string& queue) {
  std::ofstream(folder + "/fleet.yaml") << fleet;
  const std::string path = folder + "/simulation.yaml";
  std::ofstream(path)
      << "name: bench\nfleet: " << folder
      << "/fleet.yaml\npolicy: berth\nduration: 1h\n"
         "executor:\n  prepare: {kind: constant, value: 100ms}\n  release: 100ms\n"
         "streams:\n  - name: none\n    arrivals: {per_hour: 1}\n    teams: [{queue: "
      << queue
      << "}]\n    shapes: [{cpu: 1, memory: 1GiB, devices: {count: 1}}]\n"
         "    durations: {kind: exponential, value: 1h}\n    jobs: 1\n";
  return path;
}

}  // namespace berth::bench
