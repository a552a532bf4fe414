#include "bench/openb/fill.h"

#include <string>
#include <utility>

#include "bench/openb/fleet.h"
#include "bench/openb/protocol.h"
#include "engine/cycle/engine.h"
#include "engine/placement/scores_fgd.h"

namespace berth::bench::openb {
namespace {

constexpr TimeMs kNow = 0;

// Fragmentation of the whole fleet, kept up node by node.
class FleetFragmentation {
 public:
  FleetFragmentation(const engine::ClusterState& state, const Fit& typical)
      : measure_(state, typical), of_node_(state.nodes().size(), 0) {
    for (std::uint32_t n = 0; n < of_node_.size(); ++n) update(state, NodeIndex(n));
  }

  void update(const engine::ClusterState& state, NodeIndex index) {
    const engine::NodeRecord& node = state.node(index);
    std::vector<CardUnits> free;
    for (const engine::CardState& card : node.cards) free.push_back(card.compute_free);
    const ModelIndex model = state.node_kind(node.kind).model;
    const std::int64_t now = measure_.of(model, node.cpu_free, free);
    sum_ += now - of_node_[index.value()];
    of_node_[index.value()] = now;
  }

  std::int64_t milli() const {
    return static_cast<std::int64_t>(sum_ / (measure_.total_weight() * kCardMilli));
  }

 private:
  engine::FragmentMeasure measure_;
  std::vector<std::int64_t> of_node_;
  __int128 sum_ = 0;
};

// The engine with what stands around it in the product, less the journal.
class Fleet {
 public:
  Status declare(const FillInput& input, const Contestant& contestant) {
    for (const GpuModel& model : gpu_models(input.nodes, input.pods)) {
      if (auto s = execute(DeclareModel{model}); !s) return s;
    }
    QueueSpec queue;
    queue.name = kQueue;
    if (auto s = execute(DeclareQueue{queue}); !s) return s;
    for (const Node& node : input.nodes) {
      if (auto s = execute(JoinNode{node_spec(node)}); !s) return s;
    }
    if (auto s = execute(SetPolicy{policy_of(contestant), {}}); !s) return s;
    if (contestant.knowledge == Knowledge::kNothing) return {};
    const bool whole = contestant.knowledge == Knowledge::kWholeMix;
    const auto& mix = whole ? input.whole : input.typical;
    return execute(ObserveFit{given_fit(contestant, engine_.state(), mix)});
  }

  // Where the pod's task went; nothing when it did not fit and was dropped.
  Result<NodeIndex> arrive(std::string name, JobSpecPtr spec) {
    const JobId job = engine_.state().next_job();
    if (auto s = execute(SubmitJob{name, std::move(spec)}); !s) return tl::unexpected(s.error());
    if (engine_.state().fit_due()) {
      if (auto s = execute(ObserveFit{learned_fit(engine_.state())}); !s) {
        return tl::unexpected(s.error());
      }
    }
    apply(engine_.upkeep(kNow));
    const EventBatch placed = engine_.place_at_once(job, kNow);
    apply(placed);
    if (!placed.empty()) return std::get<LeaseGranted>(placed.front().body).placement.node;
    if (auto s = execute(CancelJob{std::move(name)}); !s) return tl::unexpected(s.error());
    return NodeIndex::none();
  }

  const engine::ClusterState& state() const { return engine_.state(); }

 private:
  Status execute(CommandBody body) {
    auto events = engine_.decide(Command{std::move(body), "", ""}, kNow);
    if (!events) return tl::unexpected(events.error());
    apply(*events);
    return {};
  }

  void apply(const EventBatch& events) {
    for (const Event& event : events) engine_.apply(event);
  }

  engine::Engine engine_;
};

Outcome<FillRun> read(FillRun run, const AllocationCurve& allocation,
                      const AllocationCurve& fragmentation) {
  const Outcome<double> at_100 = allocation.allocation_pct(100);
  if (!at_100) return Failure(at_100.error());
  const Outcome<double> at_130 = allocation.allocation_pct(kTuningPct);
  if (!at_130) return Failure(at_130.error());
  const Outcome<double> fragments = fragmentation.allocation_pct(100);
  if (!fragments) return Failure(fragments.error());
  run.alloc_pct_at_100 = *at_100;
  run.alloc_pct_at_130 = *at_130;
  run.frag_pct_at_100 = *fragments;
  return run;
}

}  // namespace

FillInput prepare(std::vector<Node> nodes, std::vector<Pod> pods) {
  FillInput input;
  input.nodes = std::move(nodes);
  input.pods = std::move(pods);
  input.specs = job_specs(input.pods);
  input.typical = mix_of(typical_pods(input.pods));
  input.whole = mix_of(pod_shapes(input.pods));
  input.capacity_milli = gpu_capacity_milli(input.nodes);
  return input;
}

Outcome<FillRun> fill(const FillInput& input, const Contestant& contestant,
                      std::span<const std::uint32_t> order) {
  Fleet fleet;
  if (auto s = fleet.declare(input, contestant); !s) return Failure(s.error().to_text());
  Fit typical;
  typical.mix = input.typical;
  FleetFragmentation fragmentation(fleet.state(), typical);
  AllocationCurve allocated(input.capacity_milli);
  AllocationCurve fragmented(input.capacity_milli);
  FillRun run;
  std::int64_t arrived_milli = 0;
  std::int64_t allocated_milli = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Pod& pod = input.pods[order[i]];
    arrived_milli += pod.shape.total_gpu_milli();
    const auto node = fleet.arrive("pod-" + std::to_string(i), input.specs[order[i]]);
    if (!node) return Failure("pod " + pod.name + ": " + node.error().to_text());
    if (node->is_none()) {
      ++run.refused;
    } else {
      ++run.placed;
      allocated_milli += pod.shape.total_gpu_milli();
      fragmentation.update(fleet.state(), *node);
    }
    allocated.record(arrived_milli, allocated_milli);
    fragmented.record(arrived_milli, fragmentation.milli());
  }
  return read(run, allocated, fragmented);
}

}  // namespace berth::bench::openb
