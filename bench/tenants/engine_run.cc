#include "bench/tenants/engine_run.h"

#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <utility>

#include "control/learner.h"
#include "model/gpu_model.h"

namespace berth::bench::tenants {
namespace {

constexpr const char* kModel = "card";
constexpr Mib kCardMib = 80 * 1024;
constexpr std::uint32_t kClockEvery = 17;

Role role_of(const std::string& name, int tasks, int gpus) {
  Container container;
  container.name = "main";
  container.devices.count = static_cast<std::uint32_t>(gpus);
  Role role;
  role.name = name;
  role.count = static_cast<std::uint32_t>(tasks);
  role.containers.push_back(std::move(container));
  return role;
}

JobSpecPtr spec_of(const std::string& queue, int gpus) {
  auto spec = std::make_shared<JobSpec>();
  spec->queue = queue;
  const int whole = gpus / kGpusPerNode;
  const int rest = gpus % kGpusPerNode;
  if (whole > 0) spec->roles.push_back(role_of("main", whole, kGpusPerNode));
  if (rest > 0) spec->roles.push_back(role_of(whole > 0 ? "rest" : "main", 1, rest));
  return spec;
}

QueueSpec queue_of(const std::string& name, int nodes) {
  QueueSpec queue;
  queue.name = name;
  FlavourQuota quota;
  quota.model = kModel;
  quota.guarantee = CardUnits{nodes} * kGpusPerNode * kCard;
  queue.quotas.push_back(quota);
  return queue;
}

NodeSpec node_of(int number) {
  NodeSpec node;
  node.name = "node-" + std::to_string(1000 + number);
  node.model = kModel;
  node.cpu_milli = 128'000;
  node.memory_mib = 2 * 1024 * 1024;
  node.cards.resize(kGpusPerNode);
  return node;
}

class EngineRunner {
 public:
  explicit EngineRunner(const Sample& sample) : sample_(sample), drive_(learner_, kClockEvery) {}

  Status declare(const PolicySpec& policy) {
    const GpuModel model = nominal_model(kModel, "unknown", "unknown", kCardMib);
    if (auto s = drive_.declare(DeclareModel{model}); !s) return s;
    if (auto s = drive_.declare(SetPolicy{policy}); !s) return s;
    for (int node = 0; node < sample_.all_nodes(); ++node) {
      if (auto s = drive_.declare(JoinNode{node_of(node)}); !s) return s;
    }
    for (std::size_t t = 0; t < sample_.names.size(); ++t) {
      const QueueSpec queue = queue_of(sample_.names[t], sample_.nodes[t]);
      if (auto s = drive_.declare(DeclareQueue{queue}); !s) return s;
    }
    return {};
  }

  Result<EngineRun> run() {
    starts_.assign(sample_.jobs.size(), kNever);
    while (next_ < sample_.jobs.size() || !ends_.empty()) {
      if (auto s = instant(); !s) return tl::unexpected(s.error());
    }
    if (waiting_ > 0) return fail(ErrorCode::kInvalid, "jobs never start", "policy");
    return EngineRun{std::move(starts_), drive_.cost()};
  }

 private:
  using End = std::pair<TimeMs, std::size_t>;

  Status instant() {
    TimeMs now = next_ < sample_.jobs.size() ? sample_.jobs[next_].at : kNever;
    if (!ends_.empty()) now = std::min(now, ends_.top().first);
    std::vector<std::size_t> ended;
    for (; !ends_.empty() && ends_.top().first == now; ends_.pop()) {
      ended.push_back(ends_.top().second);
    }
    if (auto s = drive_.end(now, ended); !s) return s;
    std::vector<JobSpecPtr> arriving;
    for (; next_ < sample_.jobs.size() && sample_.jobs[next_].at == now; ++next_) {
      arriving.push_back(spec(sample_.jobs[next_]));
    }
    if (auto s = drive_.submit(now, arriving); !s) return s;
    waiting_ += arriving.size();
    return waiting_ == 0 ? Status{} : cycle(now);
  }

  Status cycle(TimeMs now) {
    const auto grants = drive_.cycle(now);
    if (!grants) return tl::unexpected(grants.error());
    for (const Grant& grant : *grants) {
      starts_[grant.job] = now;
      ends_.emplace(now + sample_.jobs[grant.job].run_ms, grant.job);
    }
    waiting_ -= grants->size();
    return {};
  }

  const JobSpecPtr& spec(const TraceJob& job) {
    JobSpecPtr& spec = specs_[{job.tenant, job.gpus}];
    if (spec == nullptr) spec = spec_of(sample_.names[job.tenant], job.gpus);
    return spec;
  }

  const Sample& sample_;
  control::FitLearner learner_;
  EngineDrive drive_;
  Starts starts_;
  std::map<std::pair<std::size_t, int>, JobSpecPtr> specs_;  // by tenant and size
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::size_t next_ = 0;     // to arrive
  std::size_t waiting_ = 0;  // jobs
};

}  // namespace

Result<EngineRun> run_engine(const Sample& sample, const PolicySpec& policy) {
  EngineRunner runner(sample);
  if (auto s = runner.declare(policy); !s) return tl::unexpected(s.error());
  return runner.run();
}

}  // namespace berth::bench::tenants
