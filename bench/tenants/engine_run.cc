#include "bench/tenants/engine_run.h"

#include <map>
#include <string>
#include <utility>

#include "bench/drive/plain_jobs.h"
#include "bench/drive/timeline.h"
#include "control/learner.h"
#include "model/gpu_model.h"

namespace berth::bench::tenants {
namespace {

constexpr std::uint32_t kClockEvery = 17;

QueueSpec queue_of(const std::string& name, int nodes) {
  QueueSpec queue;
  queue.name = name;
  FlavourQuota quota;
  quota.model = kPlainModel;
  quota.guarantee = CardUnits{nodes} * kGpusPerNode * kCard;
  queue.quotas.push_back(quota);
  return queue;
}

class EngineRunner {
 public:
  explicit EngineRunner(const Sample& sample)
      : sample_(sample), timeline_(sample.jobs), drive_(learner_, kClockEvery) {}

  Status declare(const PolicySpec& policy) {
    const GpuModel model = nominal_model(kPlainModel, "unknown", "unknown", kPlainCardMib);
    if (auto s = drive_.declare(DeclareModel{model}); !s) return s;
    if (auto s = drive_.declare(SetPolicy{policy}); !s) return s;
    for (int node = 0; node < sample_.all_nodes(); ++node) {
      const std::string name = "node-" + std::to_string(1000 + node);
      if (auto s = drive_.declare(JoinNode{plain_node(name, kGpusPerNode)}); !s) return s;
    }
    for (std::size_t t = 0; t < sample_.names.size(); ++t) {
      const QueueSpec queue = queue_of(sample_.names[t], sample_.nodes[t]);
      if (auto s = drive_.declare(DeclareQueue{queue}); !s) return s;
    }
    return {};
  }

  Result<EngineRun> run() {
    starts_.assign(sample_.jobs.size(), kNever);
    while (timeline_.advance()) {
      if (auto s = instant(); !s) return tl::unexpected(s.error());
    }
    if (waiting_ > 0) return fail(ErrorCode::kInvalid, "jobs never start", "policy");
    return EngineRun{std::move(starts_), drive_.cost()};
  }

 private:
  Status instant() {
    const TimeMs now = timeline_.now();
    if (auto s = drive_.end(now, timeline_.ended()); !s) return s;
    std::vector<JobSpecPtr> arriving;
    for (const std::size_t job : timeline_.arrived()) arriving.push_back(spec(sample_.jobs[job]));
    if (auto s = drive_.submit(now, arriving); !s) return s;
    waiting_ += arriving.size();
    return waiting_ == 0 ? Status{} : cycle(now);
  }

  Status cycle(TimeMs now) {
    const auto grants = drive_.cycle(now);
    if (!grants) return tl::unexpected(grants.error());
    for (const Grant& grant : *grants) {
      starts_[grant.job] = now;
      timeline_.start(grant.job);
    }
    waiting_ -= grants->size();
    return {};
  }

  const JobSpecPtr& spec(const TraceJob& job) {
    JobSpecPtr& spec = specs_[{job.tenant, job.gpus}];
    if (spec == nullptr) spec = plain_job(sample_.names[job.tenant], job.gpus, kGpusPerNode);
    return spec;
  }

  const Sample& sample_;
  Timeline<TraceJob> timeline_;
  control::FitLearner learner_;
  EngineDrive drive_;
  Starts starts_;
  std::map<std::pair<std::size_t, int>, JobSpecPtr> specs_;  // by tenant and size
  std::size_t waiting_ = 0;                                  // jobs
};

}  // namespace

Result<EngineRun> run_engine(const Sample& sample, const PolicySpec& policy) {
  EngineRunner runner(sample);
  if (auto s = runner.declare(policy); !s) return tl::unexpected(s.error());
  return runner.run();
}

}  // namespace berth::bench::tenants
