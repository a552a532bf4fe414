#include "sim/workload/workload.h"

#include <algorithm>
#include <set>

#include "sim/workload/generator.h"

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

Status validate(const CheckpointCost& cost) {
  if (cost.per_card_mib > 0) return {};
  if (cost.out_mib_per_s == 0 && cost.in_mib_per_s == 0) return {};
  return invalid("is 0, so that the rates mean nothing; more is needed, such as 40GiB",
                 "per_card_mib");
}

Status validate(const StreamSpec& stream) {
  const bool saves = stream.checkpoint.method != CheckpointMethod::kNone;
  if (!saves && stream.checkpoint_cost.per_card_mib > 0) {
    return invalid("is none, but a checkpoint_cost is given; signal, http or driver is accepted",
                   "checkpoint.method");
  }
  if (!stream.checkpoint.acknowledges && stream.unacknowledged_ppm > 0) {
    return invalid("is given, but no job acknowledges (checkpoint.acknowledges)",
                   "unacknowledged_ppm");
  }
  if (auto s = some_weight(stream.shapes, "shapes"); !s) return s;
  if (auto s = some_weight(stream.teams, "teams"); !s) return s;
  for (std::size_t i = 0; i < stream.shapes.size(); ++i) {
    const JobSpecPtr job = job_of(stream, stream.shapes[i], stream.teams.front().queue);
    if (auto s = validate(*job); !s) {
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
