// The files of a simulation of which a server takes the fleet's queues, models and topology; nobody
// plays its jobs.
#pragma once

#include <string>

namespace berth::bench {

// Writes `fleet` (a fleet file's text, with a queue `queue`) and the simulation that names it into
// the folder; the simulation's path.
std::string write_simulation(const std::string& folder, const std::string& fleet,
                             const std::string& queue);

}  // namespace berth::bench
