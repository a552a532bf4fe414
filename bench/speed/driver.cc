#include "bench/speed/driver.h"

#include <memory>
#include <string>
#include <utility>

#include "base/check.h"
#include "bench/openb/fleet.h"

namespace berth::bench::speed {
namespace {

constexpr TimeMs kNow = 0;

}  // namespace

Status Driver::declare(const Contestant& contestant) {
  for (const GpuModel& model : openb::gpu_models(workload_.nodes, workload_.pods)) {
    if (auto s = execute(DeclareModel{model}); !s) return s;
  }
  QueueSpec queue;
  queue.name = openb::kQueue;
  if (auto s = execute(DeclareQueue{queue}); !s) return s;
  for (const openb::Node& node : workload_.nodes) {
    if (auto s = execute(JoinNode{openb::node_spec(node)}); !s) return s;
  }
  if (contestant.search == Search::kExact) exact_.emplace();
  PolicySpec policy;
  policy.name = contestant.name;
  if (contestant.score.empty()) return execute(SetPolicy{policy, {}});
  policy.learn_mix = false;
  policy.scores.push_back({std::string(contestant.score), 1});
  if (auto s = execute(SetPolicy{policy, {}}); !s) return s;
  Fit fit;
  fit.mix = workload_.typical;
  return execute(ObserveFit{std::make_shared<const Fit>(std::move(fit))});
}

bool Driver::arrive(std::uint32_t pod) {
  const JobId job = engine_.state().next_job();
  std::string name = "p" + std::to_string(job.value());
  BERTH_CHECK(execute(SubmitJob{name, workload_.specs[pod]}));
  if (engine_.state().fit_due()) {
    apply({Event{kNow, FitObserved{learner_.learn(engine_.state())}}});
  }
  apply(engine_.upkeep(kNow));
  const LeaseId lease = engine_.state().next_lease();
  const EventBatch placed = place(job);
  apply(placed);
  if (placed.empty()) {
    BERTH_CHECK(execute(CancelJob{std::move(name)}));
    return false;
  }
  running_.push_back({lease, pod});
  used_milli_ += workload_.milli[pod];
  return true;
}

EventBatch Driver::place(JobId job) {
  return exact_ ? exact_->place_at_once(engine_.state(), job, kNow)
                : engine_.place_at_once(job, kNow);
}

void Driver::depart(std::size_t which) {
  const Running ended = running_[which];
  running_[which] = running_.back();
  running_.pop_back();
  used_milli_ -= workload_.milli[ended.pod];
  BERTH_CHECK(execute(ReportEnded{ended.lease, 1, EndReason::kSucceeded}));
}

Status Driver::execute(CommandBody body) {
  const auto events = engine_.decide(Command{std::move(body), "", ""}, kNow);
  if (!events) return tl::unexpected(events.error());
  apply(*events);
  return {};
}

void Driver::apply(const EventBatch& events) {
  for (const Event& event : events) engine_.apply(event);
}

}  // namespace berth::bench::speed
