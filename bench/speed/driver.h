// The product's engine with what stands around it when a job arrives or ends, less the journal:
// the same decisions in the same order as the controller takes them.
// Owns: one engine and its jobs. Must never decide where a pod goes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "bench/speed/exact_placement.h"
#include "bench/speed/workload.h"
#include "control/learner.h"
#include "engine/cycle/engine.h"

namespace berth::bench::speed {

enum class Search {
  kEngine,  // the product's
  kExact,   // of the engine's own cost by a full scan: see ExactPlacement
};

// A policy of the comparison: a setting of the engine.
struct Contestant {
  std::string_view name;
  std::string_view score;  // empty: the engine's own cost, which learns the mix from the arrivals
  Search search = Search::kEngine;
};

class Driver {
 public:
  // The workload must outlive it.
  explicit Driver(const Workload& workload) : workload_(workload) {}

  Status declare(const Contestant& contestant);
  // True when the pod was placed; else it was dropped.
  bool arrive(std::uint32_t pod);
  // Ends running pod number `which`.
  void depart(std::size_t which);

  std::size_t running() const { return running_.size(); }
  std::int64_t used_milli() const { return used_milli_; }
  const engine::ClusterState& state() const { return engine_.state(); }

 private:
  struct Running {
    LeaseId lease;
    std::uint32_t pod = 0;
  };

  Status execute(CommandBody body);
  void apply(const EventBatch& events);
  EventBatch place(JobId job);

  const Workload& workload_;
  engine::Engine engine_;
  control::FitLearner learner_;
  std::optional<ExactPlacement> exact_;
  std::vector<Running> running_;
  std::int64_t used_milli_ = 0;
};

}  // namespace berth::bench::speed
