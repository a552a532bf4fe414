#include "bench/tenants/reclaim_run.h"

#include <algorithm>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "bench/drive/plain_jobs.h"
#include "bench/tenants/tenant_queues.h"
#include "control/learner.h"

namespace berth::bench::tenants {
namespace {

constexpr std::uint32_t kClockEvery = 17;

class Runner {
 public:
  Runner(const Sample& sample, Saving saving)
      : sample_(sample),
        saving_(saving),
        drive_(learner_, kClockEvery),
        works_(sample.jobs.size()) {}

  Status declare(const PolicySpec& policy) { return declare_tenants(sample_, policy, drive_); }

  Result<ReclaimRun> run() {
    run_.starts.assign(sample_.jobs.size(), kNever);
    while (advance()) {
      if (auto s = instant(); !s) return tl::unexpected(s.error());
    }
    if (waiting_ > 0) return fail(ErrorCode::kInvalid, "jobs never end", "policy");
    run_.cost = drive_.cost();
    return std::move(run_);
  }

 private:
  // In the order in which they are told at one instant.
  enum class What : std::uint8_t { kEnded, kGivenBack, kSaved };
  struct Happening {
    TimeMs at = 0;
    What what = What::kEnded;
    std::size_t job = 0;
    std::uint32_t start = 0;  // of the job, that it belongs to

    friend auto operator<=>(const Happening&, const Happening&) = default;
  };
  struct Work {
    std::uint32_t starts = 0;
    bool runs = false;
    TimeMs from = 0;       // works since
    DurationMs saved = 0;  // of its run time, when it started last
  };

  bool advance() {
    if (next_ == sample_.jobs.size() && coming_.empty()) return false;
    now_ = kNever;
    if (next_ < sample_.jobs.size()) now_ = sample_.jobs[next_].at;
    if (!coming_.empty()) now_ = std::min(now_, coming_.top().at);
    return true;
  }

  Status instant() {
    std::vector<std::size_t> ended;
    std::vector<std::size_t> given;
    while (!coming_.empty() && coming_.top().at == now_) {
      const Happening one = coming_.top();
      coming_.pop();
      const Work& work = works_[one.job];
      if (one.start != work.starts) continue;
      if (one.what == What::kGivenBack) given.push_back(one.job);
      if (!work.runs) continue;
      if (one.what == What::kEnded) ended.push_back(one.job);
      if (one.what == What::kSaved) {
        if (auto s = save(one.job); !s) return s;
      }
    }
    for (const std::size_t job : ended) end(job);
    if (auto s = drive_.end(now_, ended); !s) return s;
    const auto saved =
        saving_ == Saving::kOnRequest ? EngineDrive::Saved::kAll : EngineDrive::Saved::kNothing;
    if (auto s = drive_.give_back(now_, given, saved); !s) return s;
    if (auto s = arrive(); !s) return s;
    return waiting_ == 0 ? Status{} : cycle();
  }

  void end(std::size_t job) {
    works_[job].runs = false;
    run_.starts[job] = now_ - sample_.jobs[job].run_ms;
    --waiting_;
  }

  // Ahead of the next one.
  Status save(std::size_t job) {
    coming_.push({now_ + kHourMs, What::kSaved, job, works_[job].starts});
    return drive_.note_checkpoint(now_, job);
  }

  Status arrive() {
    std::vector<JobSpecPtr> specs;
    for (; next_ < sample_.jobs.size() && sample_.jobs[next_].at == now_; ++next_) {
      specs.push_back(spec(sample_.jobs[next_]));
    }
    waiting_ += specs.size();
    return drive_.submit(now_, specs);
  }

  Status cycle() {
    const auto grants = drive_.cycle(now_);
    if (!grants) return tl::unexpected(grants.error());
    for (const Grant& grant : *grants) start(grant.job);
    for (const std::size_t job : drive_.asked_back()) stop(job);
    return {};
  }

  void start(std::size_t job) {
    Work& work = works_[job];
    const bool again = work.starts++ > 0;
    work.runs = true;
    work.from = now_ + (again ? kRestartMs : 0);
    if (again) run_.overhead_gpu_h += gpu_hours(job, kRestartMs);
    const DurationMs left = sample_.jobs[job].run_ms - work.saved;
    coming_.push({work.from + left, What::kEnded, job, work.starts});
    if (saving_ == Saving::kHourly) {
      coming_.push({work.from + kHourMs, What::kSaved, job, work.starts});
    }
  }

  void stop(std::size_t job) {
    Work& work = works_[job];
    ++run_.evictions;
    work.runs = false;
    const DurationMs done = std::max<DurationMs>(0, now_ - work.from);
    const DurationMs kept = saving_ == Saving::kOnRequest ? done : done / kHourMs * kHourMs;
    work.saved += kept;
    run_.redone_gpu_h += gpu_hours(job, done - kept);
    const DurationMs writes = saving_ == Saving::kOnRequest && done > 0 ? kCheckpointMs : 0;
    run_.overhead_gpu_h += gpu_hours(job, writes);
    coming_.push({now_ + writes, What::kGivenBack, job, work.starts});
  }

  double gpu_hours(std::size_t job, DurationMs ms) const {
    return static_cast<double>(ms) * sample_.jobs[job].gpus / kHourMs;
  }

  const JobSpecPtr& spec(const TraceJob& job) {
    JobSpecPtr& known = specs_[{job.tenant, job.gpus}];
    if (known != nullptr) return known;
    auto made =
        std::make_shared<JobSpec>(*plain_job(sample_.names[job.tenant], job.gpus, kGpusPerNode));
    made->checkpoint.method = CheckpointMethod::kSignal;
    made->checkpoint.acknowledges = saving_ == Saving::kOnRequest;
    made->checkpoint.duration_ms = kCheckpointMs;
    made->checkpoint.restart_ms = kRestartMs;
    made->checkpoint.grace_ms = kCheckpointMs;
    if (saving_ == Saving::kHourly) made->checkpoint.interval_ms = kHourMs;
    known = std::move(made);
    return known;
  }

  const Sample& sample_;
  Saving saving_;
  control::FitLearner learner_;
  EngineDrive drive_;
  std::vector<Work> works_;
  std::map<std::pair<std::size_t, int>, JobSpecPtr> specs_;  // by tenant and size
  std::priority_queue<Happening, std::vector<Happening>, std::greater<>> coming_;
  std::size_t next_ = 0;     // to arrive
  std::size_t waiting_ = 0;  // jobs that have come and not ended
  TimeMs now_ = 0;
  ReclaimRun run_;
};

}  // namespace

Result<ReclaimRun> run_with_reclaim(const Sample& sample, const PolicySpec& policy, Saving saving) {
  Runner runner(sample, saving);
  if (auto s = runner.declare(policy); !s) return tl::unexpected(s.error());
  return runner.run();
}

}  // namespace berth::bench::tenants
