#include "bench/drive/engine_drive.h"

#include <algorithm>
#include <string>
#include <utility>

#include "bench/common/cpu_clock.h"

namespace berth::bench {
namespace {

// Adds CPU time to sums, up to each lap; nothing with weight 0.
class Stopwatch {
 public:
  explicit Stopwatch(double weight) : weight_(weight), start_(read()) {}

  void lap(double& sum) {
    const double now = read();
    sum += weight_ * (now - start_);
    start_ = now;
  }

 private:
  double read() const { return weight_ == 0 ? 0 : cpu_seconds(); }

  double weight_;
  double start_;
};

}  // namespace

Status EngineDrive::declare(CommandBody body) { return run(0, std::move(body)); }

double EngineDrive::weight(TimeMs now) {
  if (now != instant_) ++instants_;
  instant_ = now;
  return instants_ % clock_every_ == 0 ? clock_every_ : 0;
}

Status EngineDrive::submit(TimeMs now, std::span<const JobSpecPtr> specs) {
  if (specs.empty()) return {};
  Stopwatch watch(weight(now));
  if (first_job_ == 0) first_job_ = engine_.state().next_job().value();
  for (const JobSpecPtr& spec : specs) {
    std::string name = "j" + std::to_string(leases_.size());
    if (auto s = run(now, SubmitJob{std::move(name), spec}); !s) return s;
    leases_.emplace_back();
    if (engine_.state().fit_due()) learn(now);
    apply(engine_.upkeep(now));
  }
  watch.lap(cost_.submit_s);
  return {};
}

// Within a submission, whose time it is not.
void EngineDrive::learn(TimeMs now) {
  const double start = cpu_seconds();
  FitPtr fit = learner_.learn(engine_.state());
  const double spent = cpu_seconds() - start;
  cost_.learn_s += spent;
  cost_.submit_s -= weight(now) * spent;
  apply({{now, FitObserved{std::move(fit)}}});
}

// Before a cycle, as a controller does.
void EngineDrive::observe_tenants(TimeMs now) {
  const double start = weight(now) == 0 ? 0 : cpu_seconds();
  StandingsPtr standings = learner_.standings(engine_.state(), now);
  if (start > 0) cost_.learn_s += weight(now) * (cpu_seconds() - start);
  if (standings != nullptr) apply({{now, StandingsObserved{std::move(standings)}}});
}

Result<std::vector<Grant>> EngineDrive::cycle(TimeMs now) {
  std::vector<Grant> grants;
  asked_back_.clear();
  observe_tenants(now);
  for (std::size_t lost = 1; lost > 0;) {
    Stopwatch watch(weight(now));
    const Plan plan = engine_.plan(now);
    watch.lap(cost_.plan_s);
    ++cost_.cycles;
    cost_.turns += engine_.effort().turns;
    cost_.searches += engine_.effort().searches;
    if (plan.decisions.empty()) break;
    const engine::Commitment commitment = engine_.commit(plan, now);
    apply(commitment.events);
    watch.lap(cost_.commit_s);
    if (auto s = start(now, commitment.events, grants); !s) return tl::unexpected(s.error());
    watch.lap(cost_.report_s);
    lost = commitment.lost;
  }
  return grants;
}

// The leases of a job follow one another in the events of its placement.
Status EngineDrive::start(TimeMs now, const EventBatch& events, std::vector<Grant>& grants) {
  for (const Event& event : events) {
    if (const auto* revoking = std::get_if<LeaseRevoking>(&event.body)) ask_back(revoking->lease);
    const auto* granted = std::get_if<LeaseGranted>(&event.body);
    if (granted == nullptr) continue;
    const auto job = static_cast<std::size_t>(granted->job.value() - first_job_);
    if (grants.empty() || grants.back().job != job) grants.push_back({job, {}});
    grants.back().nodes.push_back(granted->placement.node);
    leases_[job].push_back({granted->lease, granted->epoch});
    if (auto s = run(now, ReportPrepared{granted->lease, granted->epoch}); !s) return s;
  }
  return {};
}

void EngineDrive::ask_back(LeaseId lease) {
  const JobId id = engine_.state().find_lease(lease)->job;
  const auto job = static_cast<std::size_t>(id.value() - first_job_);
  const auto known = std::find(asked_back_.begin(), asked_back_.end(), job);
  if (known == asked_back_.end()) asked_back_.push_back(job);
}

Status EngineDrive::give_back(TimeMs now, std::span<const std::size_t> jobs, Saved saved) {
  if (jobs.empty()) return {};
  Stopwatch watch(weight(now));
  const std::string checkpoint = saved == Saved::kAll ? "all" : "";
  for (const std::size_t job : jobs) {
    for (const Held& held : std::exchange(leases_[job], {})) {
      if (auto s = run(now, ReportReleased{held.lease, held.epoch, checkpoint}); !s) return s;
    }
  }
  watch.lap(cost_.report_s);
  return {};
}

Status EngineDrive::note_checkpoint(TimeMs now, std::size_t job) {
  Stopwatch watch(weight(now));
  const Held& held = leases_[job].front();
  if (auto s = run(now, ReportCheckpoint{held.lease, held.epoch, "own"}); !s) return s;
  watch.lap(cost_.report_s);
  return {};
}

Status EngineDrive::end(TimeMs now, std::span<const std::size_t> jobs) {
  if (jobs.empty()) return {};
  Stopwatch watch(weight(now));
  for (const std::size_t job : jobs) {
    for (const Held& held : std::exchange(leases_[job], {})) {
      const ReportEnded ended{held.lease, held.epoch, EndReason::kSucceeded};
      if (auto s = run(now, ended); !s) return s;
    }
  }
  watch.lap(cost_.report_s);
  return {};
}

Status EngineDrive::run(TimeMs now, CommandBody body) {
  auto events = engine_.decide({std::move(body), {}, {}}, now);
  if (!events) return tl::unexpected(events.error());
  apply(*events);
  return {};
}

void EngineDrive::apply(const EventBatch& events) {
  for (const Event& event : events) {
    engine_.apply(event);
    learner_.observe(event, engine_.state());
  }
}

}  // namespace berth::bench
