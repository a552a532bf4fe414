// What is told of a job that was stopped, or is about to be: by whom, what that costs it, and since
// when it waits again.
#pragma once

#include <optional>

#include "engine/state/cluster_state.h"
#include "model/plan.h"
#include "sim/scenario/show.h"

namespace berth::sim {

// What one receipt takes of one job.
struct TakenFrom {
  const Reclaim& receipt;
  HeldAmount held = {};
  ReclaimGrade grade = ReclaimGrade::kKill;
  DurationMs lost_ms = 0;  // of each card, as far as is counted
};

// None: the receipt takes nothing of it, or is no longer kept.
std::optional<TakenFrom> taken_from(const engine::ClusterState& state, const engine::JobRecord& job,
                                    ReceiptId receipt);

// Receipts that take leases of the job which have not gone yet, in their order.
std::vector<ReceiptId> takers_of(const engine::ClusterState& state, const engine::JobRecord& job);

// Why a stopped job was stopped: "8 cards taken back for p1 by guarantee (receipt 2), grade
// checkpoint-evict, 50 s of each card lost".
std::string stop_text(const engine::ClusterState& state, const engine::JobRecord& job,
                      const JobNames& names = by_name);

// "1 min 05 s since it was stopped, 32 min since it was submitted"
std::string wait_text(const engine::JobRecord& job, TimeMs now);

// "1 card of n1 is free", and its queue may hold it: when a suspended job goes on.
std::string back_text(const engine::ClusterState& state, const engine::JobRecord& job);

// All of it, of any job; empty for one that was not stopped and is not about to be.
Lines stop_lines(const engine::ClusterState& state, const engine::JobRecord& job, TimeMs now,
                 const JobNames& names = by_name);

}  // namespace berth::sim
