#include "bench/quota/engine_run.h"

#include <map>
#include <utility>

#include "bench/drive/timeline.h"
#include "bench/quota/tenants.h"
#include "control/learner.h"
#include "model/policy.h"

namespace berth::bench::quota {
namespace {

class EngineRunner {
 public:
  explicit EngineRunner(const Generator& generator)
      : generator_(generator),
        workloads_(workloads_of(generator)),
        tenants_(tenants_of(generator)),
        drive_(learner_),
        admitted_at_(workloads_.size(), kNever) {}

  Status declare() {
    if (auto s = drive_.declare(DeclareTopology{tenants_.topology}); !s) return s;
    for (const PartitionSpec& partition : tenants_.partitions) {
      if (auto s = drive_.declare(DeclarePartition{partition}); !s) return s;
    }
    for (const QueueSpec& queue : tenants_.queues) {
      if (auto s = drive_.declare(DeclareQueue{queue}); !s) return s;
    }
    if (auto s = drive_.declare(SetPolicy{PolicySpec{}, {}}); !s) return s;
    for (const NodeSpec& node : tenants_.nodes) {
      if (auto s = drive_.declare(JoinNode{node}); !s) return s;
    }
    return {};
  }

  Result<EngineRun> run() {
    Timeline<Workload> instants(workloads_);
    while (instants.advance()) {
      if (auto s = instant(instants); !s) return tl::unexpected(s.error());
    }
    const auto outcome = outcome_of(generator_, workloads_, admitted_at_);
    if (!outcome) return tl::unexpected(outcome.error());
    return EngineRun{*outcome, drive_.cost()};
  }

 private:
  Status instant(Timeline<Workload>& instants) {
    const TimeMs now = instants.now();
    if (auto s = drive_.end(now, instants.ended()); !s) return s;
    created_.clear();
    for (const std::size_t i : instants.arrived()) {
      JobSpecPtr& spec = specs_[{workloads_[i].queue, workloads_[i].kind}];
      if (spec == nullptr) spec = job_of(generator_, tenants_, workloads_[i]);
      created_.push_back(spec);
    }
    if (auto s = drive_.submit(now, created_); !s) return s;
    const auto grants = drive_.cycle(now);
    if (!grants) return tl::unexpected(grants.error());
    for (const Grant& grant : *grants) {
      admitted_at_[grant.job] = now;
      instants.start(grant.job);
    }
    return {};
  }

  const Generator& generator_;
  Workloads workloads_;
  Tenants tenants_;
  control::FitLearner learner_;
  EngineDrive drive_;
  std::vector<TimeMs> admitted_at_;
  std::vector<JobSpecPtr> created_;
  std::map<std::pair<std::size_t, const WorkloadTemplate*>, JobSpecPtr> specs_;
};

}  // namespace

Result<EngineRun> run_engine(const Generator& generator) {
  EngineRunner runner(generator);
  if (auto s = runner.declare(); !s) return tl::unexpected(s.error());
  return runner.run();
}

}  // namespace berth::bench::quota
