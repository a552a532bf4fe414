#include "sim/workload/generator.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/bytes.h"

namespace berth::sim {
namespace {

constexpr double kDayMs = 24.0 * 3600 * 1000;
constexpr double kHourMsReal = 3600.0 * 1000;

enum class Purpose : std::uint64_t { kArrivals = 1, kSizes, kDurations, kTeams, kAnswers };

Rng stream_rng(const StreamSpec& spec, std::uint64_t seed, Purpose purpose) {
  return Rng(stable_hash(spec.name, seed)).fork(static_cast<std::uint64_t>(purpose));
}

// Each such job has a spec of its own.
JobSpecPtr declaring(const JobSpec& spec, DurationMs run_ms) {
  auto own = std::make_shared<JobSpec>(spec);
  own->run_time_ms = run_ms;
  return own;
}

template <typename Choice>
std::vector<double> weight_sums(const std::vector<Choice>& choices) {
  std::vector<double> weights;
  for (const Choice& choice : choices) weights.push_back(choice.weight);
  return running_sums(weights);
}

}  // namespace

Arrivals::Arrivals(ArrivalSpec spec, Rng rng) : spec_(std::move(spec)), rng_(rng) {
  if (spec_.process != ArrivalProcess::kBursts) spec_.burst_jobs = 1;
  if (!spec_.daily.empty()) {
    most_factor_ = *std::max_element(spec_.daily.begin(), spec_.daily.end());
  }
}

TimeMs Arrivals::next() {
  if (left_of_burst_ == 0) {
    advance();
    left_of_burst_ = spec_.burst_jobs;
  }
  const std::uint32_t done = spec_.burst_jobs - left_of_burst_--;
  const double step = static_cast<double>(spec_.burst_spread_ms) / spec_.burst_jobs;
  // a burst ends before the next one begins, so that times stay in order
  if (left_of_burst_ == 0) at_ms_ += step * done;
  const double offset = left_of_burst_ == 0 ? 0 : step * done;
  return static_cast<TimeMs>(std::llround(at_ms_ + offset));
}

// Thinning (Lewis and Shedler) for random arrivals; equal distances under the present rate else.
void Arrivals::advance() {
  const double most_rate = spec_.per_hour / kHourMsReal / spec_.burst_jobs * most_factor_;
  if (spec_.process == ArrivalProcess::kConstant) {
    const double rate = std::max(rate_per_ms(at_ms_), most_rate * 1e-3);
    at_ms_ += 1.0 / rate;
    return;
  }
  do {
    at_ms_ -= std::log(1.0 - rng_.unit()) / most_rate;
  } while (rng_.unit() * most_rate >= rate_per_ms(at_ms_));
}

double Arrivals::rate_per_ms(double at_ms) const {
  return spec_.per_hour / kHourMsReal / spec_.burst_jobs * daily_factor(at_ms);
}

double Arrivals::daily_factor(double at_ms) const {
  if (spec_.daily.empty()) return 1;
  const std::size_t count = spec_.daily.size();
  const double place = std::fmod(at_ms, kDayMs) / kDayMs * static_cast<double>(count);
  const auto low = std::min(static_cast<std::size_t>(place), count - 1);
  const double along = place - static_cast<double>(low);
  return spec_.daily[low] * (1 - along) + spec_.daily[(low + 1) % count] * along;
}

Generator::Generator(const StreamSpec& spec, std::uint64_t seed)
    : spec_(spec),
      arrivals_(spec.arrivals, stream_rng(spec, seed, Purpose::kArrivals)),
      sizes_(stream_rng(spec, seed, Purpose::kSizes)),
      durations_(stream_rng(spec, seed, Purpose::kDurations)),
      teams_(stream_rng(spec, seed, Purpose::kTeams)),
      answers_(stream_rng(spec, seed, Purpose::kAnswers)),
      duration_(spec.durations),
      shape_sums_(weight_sums(spec.shapes)),
      team_sums_(weight_sums(spec.teams)),
      specs_(2 * spec.shapes.size() * spec.teams.size()) {}

std::optional<SimJob> Generator::next() {
  if (spec_.jobs > 0 && made_ >= spec_.jobs) return std::nullopt;
  SimJob job;
  job.at = arrivals_.next();
  job.name = spec_.name + "-" + std::to_string(++made_);
  const std::size_t shape = draw_index(shape_sums_, sizes_);
  const std::size_t team = draw_index(team_sums_, teams_);
  const bool answers =
      answers_.below(kPpmOne) >= static_cast<std::uint64_t>(spec_.unacknowledged_ppm);
  JobSpecPtr& spec = specs_[2 * (shape * spec_.teams.size() + team) + (answers ? 1 : 0)];
  if (spec == nullptr) {
    auto made =
        std::make_shared<JobSpec>(*job_of(spec_, spec_.shapes[shape], spec_.teams[team].queue));
    if (!answers) made->checkpoint.acknowledges = false;
    spec = std::move(made);
  }
  job.run_ms = duration_.draw(durations_);
  job.spec = spec_.declared == Declared::kRunTime ? declaring(*spec, job.run_ms) : spec;
  return job;
}

namespace {

CheckpointSpec checkpoint_of(const StreamSpec& stream, std::uint32_t cards) {
  CheckpointSpec checkpoint = stream.checkpoint;
  const CheckpointCost& cost = stream.checkpoint_cost;
  if (cost.per_card_mib == 0) return checkpoint;
  const auto takes = [&](std::int64_t mib_per_s) -> DurationMs {
    if (mib_per_s == 0) return 0;
    return (cost.per_card_mib * kSecondMs + mib_per_s - 1) / mib_per_s;
  };
  checkpoint.size_mib = cost.per_card_mib * cards;
  checkpoint.duration_ms += takes(cost.out_mib_per_s);
  checkpoint.restart_ms += takes(cost.in_mib_per_s);
  return checkpoint;
}

}  // namespace

JobSpecPtr job_of(const StreamSpec& stream, const ShapeChoice& shape, const std::string& queue) {
  auto job = std::make_shared<JobSpec>();
  job->queue = queue;
  job->job_class = stream.job_class;
  job->priority = stream.priority;
  job->spot = stream.spot;
  job->is_protected = stream.is_protected;
  job->partition = stream.partition;
  job->min_run_ms = stream.min_run_ms;
  job->checkpoint = checkpoint_of(stream, shape.devices.count);
  Role role;
  role.count = shape.tasks;
  role.elastic = stream.elastic;
  if (stream.elastic) role.min = 1;
  Container container;
  container.name = "main";
  container.cpu_milli = shape.cpu_milli;
  container.memory_mib = shape.memory_mib;
  container.devices = shape.devices;
  role.containers.push_back(std::move(container));
  job->roles.push_back(std::move(role));
  return job;
}

}  // namespace berth::sim
