#include "bench/topology/engine_run.h"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "bench/drive/plain_jobs.h"
#include "bench/drive/timeline.h"
#include "control/learner.h"
#include "model/gpu_model.h"

namespace berth::bench::topology {
namespace {

constexpr const char* kQueue = "all";
constexpr std::uint32_t kClockEvery = 17;

NodeSpec node_of(const Fabric& fabric, HostIndex host) {
  const HostRow& row = fabric.row(host);
  NodeSpec node = plain_node(row.name, kCardsPerHost);
  node.domains = {{"leaf", row.psw + "-" + row.asw}, {"psw", row.psw}};
  return node;
}

class EngineRunner {
 public:
  EngineRunner(const Fabric& fabric, const Sample& sample)
      : fabric_(fabric), sample_(sample), drive_(learner_, kClockEvery), tally_(fabric, sample) {}

  Status declare(const PolicySpec& policy) {
    TopologySpec topology;
    topology.levels = {"card", "island", "node", "leaf", "psw"};
    QueueSpec queue;
    queue.name = kQueue;
    const GpuModel model = nominal_model(kPlainModel, "unknown", "unknown", kPlainCardMib);
    if (auto s = drive_.declare(DeclareModel{model}); !s) return s;
    if (auto s = drive_.declare(DeclareTopology{topology}); !s) return s;
    if (auto s = drive_.declare(DeclareQueue{queue}); !s) return s;
    if (auto s = drive_.declare(SetPolicy{policy, {}}); !s) return s;
    for (HostIndex host = 0; host < fabric_.hosts(); ++host) {
      if (auto s = drive_.declare(JoinNode{node_of(fabric_, host)}); !s) return s;
      const NodeIndex node = drive_.state().find_node(fabric_.row(host).name);
      if (host_of_.size() <= node.value()) host_of_.resize(node.value() + 1);
      host_of_[node.value()] = host;
    }
    return {};
  }

  Result<EngineRun> run() {
    Timeline<Arrival> timeline(sample_);
    while (timeline.advance()) {
      if (auto s = instant(timeline); !s) return tl::unexpected(s.error());
    }
    const auto figures = tally_.figures();
    if (!figures) return tl::unexpected(figures.error());
    return EngineRun{*figures, drive_.cost()};
  }

 private:
  Status instant(Timeline<Arrival>& timeline) {
    const TimeMs now = timeline.now();
    if (auto s = drive_.end(now, timeline.ended()); !s) return s;
    arriving_.clear();
    for (const std::size_t job : timeline.arrived()) {
      JobSpecPtr& spec = specs_[sample_[job].gpus];
      if (spec == nullptr) spec = plain_job(kQueue, sample_[job].gpus, kCardsPerHost);
      arriving_.push_back(spec);
    }
    if (auto s = drive_.submit(now, arriving_); !s) return s;
    waiting_ += timeline.arrived().size();
    if (waiting_ == 0) return {};
    const auto grants = drive_.cycle(now);
    if (!grants) return tl::unexpected(grants.error());
    for (const Grant& grant : *grants) {
      hosts_.clear();
      for (const NodeIndex node : grant.nodes) hosts_.push_back(host_of_[node.value()]);
      tally_.start(grant.job, now, hosts_);
      timeline.start(grant.job);
    }
    waiting_ -= grants->size();
    return {};
  }

  const Fabric& fabric_;
  const Sample& sample_;
  control::FitLearner learner_;
  EngineDrive drive_;
  Tally tally_;
  std::vector<HostIndex> host_of_;   // by node
  std::map<int, JobSpecPtr> specs_;  // by size
  std::vector<JobSpecPtr> arriving_;
  std::vector<HostIndex> hosts_;
  std::size_t waiting_ = 0;  // jobs
};

}  // namespace

Result<EngineRun> run_engine(const Fabric& fabric, const Sample& sample, const PolicySpec& policy) {
  EngineRunner runner(fabric, sample);
  if (auto s = runner.declare(policy); !s) return tl::unexpected(s.error());
  return runner.run();
}

}  // namespace berth::bench::topology
