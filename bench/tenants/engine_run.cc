#include "bench/tenants/engine_run.h"

#include <map>
#include <string>
#include <utility>

#include "bench/drive/plain_jobs.h"
#include "bench/drive/timeline.h"
#include "bench/tenants/tenant_queues.h"
#include "control/learner.h"

namespace berth::bench::tenants {
namespace {

constexpr std::uint32_t kClockEvery = 17;

class EngineRunner {
 public:
  explicit EngineRunner(const Sample& sample)
      : sample_(sample), timeline_(sample.jobs), drive_(learner_, kClockEvery) {}

  Status declare(const PolicySpec& policy) { return declare_tenants(sample_, policy, drive_); }

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
