// Brings a fleet to work: so many tasks run that hardly a card is free, and jobs wait.
// Owns: the order in which the fleet is filled. Must never measure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/common/progress.h"
#include "bench/scale/cluster.h"
#include "bench/scale/jobs.h"

namespace berth::bench::scale {

inline constexpr std::size_t kFillSteps = 4;  // of progress

// Gets the cluster's news bit by bit.
using TakeNews = std::function<void(const EventBatch&)>;

// Nodes, queues, running tasks; then the jobs that wait, at which no cycle has looked yet.
void fill(
    Cluster& cluster, const Tenants& tenants, const Size& size, Draws& draws, Progress& progress,
    const TakeNews& take = [](const EventBatch&) {});

// Jobs that run, in the order of their submission.
std::vector<JobId> running_jobs(const engine::ClusterState& state);

// Cards that are given out, in percent.
double allocated_pct(const engine::ClusterState& state);

}  // namespace berth::bench::scale
