#include "sim/workload/workload.h"

#include <algorithm>
#include <set>

namespace berth::sim {
namespace {

template <typename Choice>
Status some_weight(const std::vector<Choice>& choices, const std::string& field) {
  const bool any = std::any_of(choices.begin(), choices.end(),
                               [](const Choice& choice) { return choice.weight > 0; });
  return any ? Status{} : invalid("needs an entry with a positive weight", field);
}

}  // namespace

Status validate(const ArrivalSpec& arrivals) {
  if (arrivals.daily.empty()) return {};
  const bool any = std::any_of(arrivals.daily.begin(), arrivals.daily.end(),
                               [](double factor) { return factor > 0; });
  return any ? Status{} : invalid("needs a factor above 0", "daily");
}

Status validate(const StreamSpec& stream) {
  if (auto s = some_weight(stream.shapes, "shapes"); !s) return s;
  if (auto s = some_weight(stream.teams, "teams"); !s) return s;
  for (std::size_t i = 0; i < stream.shapes.size(); ++i) {
    JobSpec job;
    job.queue = stream.teams.front().queue;
    job.job_class = stream.job_class;
    Role role;
    role.count = stream.shapes[i].tasks;
    role.elastic = stream.elastic;
    Container container;
    container.devices = stream.shapes[i].devices;
    role.containers.push_back(container);
    job.roles.push_back(role);
    if (auto s = validate(job); !s) {
      return invalid(s.error().field + ": " + s.error().message,
                     "shapes[" + std::to_string(i) + "]");
    }
  }
  return {};
}

Status validate(const Workload& workload) {
  if (workload.streams.empty() && workload.traces.empty()) {
    return invalid("needs a stream or a trace", "streams");
  }
  std::set<std::string> names;
  for (std::size_t i = 0; i < workload.streams.size(); ++i) {
    if (names.insert(workload.streams[i].name).second) continue;
    return invalid("'" + workload.streams[i].name + "' is named twice",
                   "streams[" + std::to_string(i) + "].name");
  }
  return {};
}

}  // namespace berth::sim
