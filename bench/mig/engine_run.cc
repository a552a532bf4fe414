#include "bench/mig/engine_run.h"

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "base/check.h"
#include "engine/cycle/engine.h"

namespace berth::bench::mig {
namespace {

constexpr const char* kQueue = "all";

JobSpecPtr job_of(std::size_t kind) {
  auto spec = std::make_shared<JobSpec>();
  spec->queue = kQueue;
  spec->checkpoint.method = CheckpointMethod::kSignal;  // it can be moved
  Container container;
  container.name = "main";
  container.devices.count = 1;
  container.devices.kind = ShareKind::kMig;
  container.devices.mig_profile = card_model().mig_profiles[kind].name;
  Role role;
  role.containers.push_back(std::move(container));
  spec->roles.push_back(std::move(role));
  return spec;
}

class EngineFleet {
 public:
  EngineFleet(const PolicySpec& policy, SharedFits& fits) : fits_(fits) {
    run({DeclareModel{card_model()}, {}, {}});
    QueueSpec queue;
    queue.name = kQueue;
    run({DeclareQueue{queue}, {}, {}});
    run({SetPolicy{policy, {}}, {}, {}});
    for (int n = 0; n < kCards; ++n) {
      NodeSpec node;
      node.name = "n" + std::to_string(1000 + n);  // by name is by number
      node.model = card_model().name;
      node.cpu_milli = 64'000;
      node.memory_mib = 512 * 1024;
      node.cards.resize(1);
      node.cards[0].mig = MigRegime::kDynamic;
      run({JoinNode{std::move(node)}, {}, {}});
    }
    for (std::size_t k = 0; k < kKinds; ++k) specs_[k] = job_of(k);
  }

  bool submit(std::int32_t number, std::size_t kind) {
    const std::string name = "j" + std::to_string(number);
    const JobId job = engine_.state().next_job();
    ++now_;
    run({SubmitJob{name, specs_[kind]}, {}, {}});
    if (engine_.state().fit_due()) {
      engine_.apply({now_, FitObserved{fits_.learn(engine_.state())}});
    }
    apply(engine_.upkeep(now_));
    apply(engine_.place_at_once(job, now_));
    const auto& leases = engine_.state().find_job(job)->leases;
    if (leases.empty()) {
      run({CancelJob{name}, {}, {}});
      return false;
    }
    const LeaseId lease = leases.front();
    run({ReportPrepared{lease, 1}, {}, {}});
    leases_.resize(std::max(leases_.size(), static_cast<std::size_t>(number) + 1));
    leases_[static_cast<std::size_t>(number)] = lease;
    return true;
  }

  void end(std::int32_t number) {
    const auto at = static_cast<std::size_t>(number);
    if (at >= leases_.size() || leases_[at].is_none()) return;
    ++now_;
    run({ReportEnded{leases_[at], 1, EndReason::kSucceeded}, {}, {}});
  }

  std::int64_t moves() const { return static_cast<std::int64_t>(engine_.state().totals().moved); }

 private:
  void run(const Command& command) {
    auto events = engine_.decide(command, now_);
    BERTH_CHECK(events.has_value());
    apply(*events);
  }
  void apply(const EventBatch& events) {
    for (const Event& event : events) engine_.apply(event);
  }

  engine::Engine engine_;
  SharedFits& fits_;
  std::array<JobSpecPtr, kKinds> specs_;
  std::vector<LeaseId> leases_;  // by number of the job
  TimeMs now_ = 0;
};

}  // namespace

FitPtr SharedFits::learn(const engine::ClusterState& state) {
  FitPtr& fit = by_arrivals_[state.arrivals()];
  if (fit == nullptr) fit = learner_.learn(state);
  return fit;
}

PolicySpec policy_named(const char* name) {
  PolicySpec policy;
  policy.name = name;
  if (policy.name == "berth_migrate") policy.migration_ppm = 48'000;
  return policy;
}

Score run_engine(const Trace& trace, Size size, const PolicySpec& policy, SharedFits& fits) {
  EngineFleet fleet(policy, fits);
  Score score;
  std::int64_t moves_before = 0;
  for (const std::int32_t event : trace.events) {
    if (event < 0) {
      fleet.end(~event);
      continue;
    }
    if (event == size.warm_up) moves_before = fleet.moves();
    const bool accepted = fleet.submit(event, trace.kind[static_cast<std::size_t>(event)]);
    score.note(trace, event, size, accepted);
  }
  score.moves = fleet.moves() - moves_before;
  return score;
}

}  // namespace berth::bench::mig
