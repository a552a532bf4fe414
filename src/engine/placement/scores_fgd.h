// FGD, fragmentation gradient descent (USENIX ATC'23): a task goes where it makes the GPU share
// that the typical task cannot use grow least. The typical tasks are the mix of the state's fit.
// Source: its artifact, hkust-adsl/kubernetes-scheduler-simulator commit 8f3d641.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/placement/score.h"

namespace berth::engine {

// How much of a node's idle GPU share the tasks of a mix cannot use, each counted by its weight.
// For one kind of task that is all of it when the task cannot run there (or asks for no GPU at
// all), else the shares that are smaller than what it asks of one card.
class FragmentMeasure {
 public:
  // Weights above 2^30 in sum are scaled down.
  FragmentMeasure(const ClusterState& state, const Fit& fit);

  // In card units times weight; `free` is the idle share of each card, in any order.
  std::int64_t of(ModelIndex model, CpuMilli cpu_free, std::span<const CardUnits> free) const;
  std::int64_t total_weight() const { return total_weight_; }

 private:
  struct Task {
    CpuMilli cpu_milli = 0;
    CardUnits per_card = 0;
    std::uint32_t cards = 0;
    std::int64_t weight = 0;
  };
  struct OfModel {
    std::vector<Task> tasks;            // that accept the model
    std::int64_t weight_of_others = 0;  // of all that can never run there
  };

  std::vector<OfModel> models_;
  std::int64_t total_weight_ = 0;
};

// int(100 sigmoid(fall / 1000)) for a fall of fragmentation of `weighted` / `weight` card units;
// exact, by the points at which the integer changes.
std::int64_t gradient_score(std::int64_t weighted, std::int64_t weight);

class FragmentationGradient final : public Score {
 public:
  void refresh(const ClusterState& state) override;
  std::optional<CardChoice> choose(const ClusterState& state, const Slot& slot,
                                   const Shape& shape) const override;
  std::int64_t of(const ClusterState& state, const Slot& slot, const Shape& shape,
                  const CardChoice& choice) const override;
  // Cards of equal score: the lowest index.
  CardGrants grants_on(const ClusterState& state, NodeIndex node,
                       const Shape& shape) const override;

 private:
  std::unique_ptr<const FragmentMeasure> measure_;  // null without a fit
  std::uint64_t fit_revision_ = 0;
  std::size_t models_ = 0;
};

}  // namespace berth::engine
