// What it costs to take a task, or a whole job, off its cards: by which grade, how much time of its
// cards is lost, and until when they are free. Who may be asked for it is reclaim_rights.h's
// question.
#pragma once

#include "engine/state/cluster_state.h"

namespace berth::engine {

struct Loss {
  ReclaimGrade grade = ReclaimGrade::kKill;
  DurationMs counted_ms = 0;  // lost time of each card, as far as it counts
  DurationMs real_ms = 0;     // the same with all work since the last checkpoint that is known of
  DurationMs latency_ms = 0;  // until the cards are free, at the latest
};

// The time between two checkpoints that costs a job least, all in all: the square root of twice the
// time that writing one takes times the mean time between failures (Young 1974, Daly 2006), with
// 50,000 GPU-hours between failures of one GPU (Llama 3, 2024: 419 unexpected interruptions of
// 16,384 GPUs in 54 days). No work older than that counts as lost: a job that does not save
// is not spared for it, and one that does not say when it saved is taken to have saved that long
// ago, or when it started.
DurationMs recommended_interval(const JobSpec& spec, std::uint64_t cards);

// The cheapest way to take all of a job that runs, with each lease of it; the gentler one where two
// cost the same.
Loss loss_of(const ClusterState& state, const JobRecord& job, TimeMs now);

// Of one surplus task of an elastic job: the others form anew without it.
Loss loss_of_shrinking(const JobSpec& spec);

// Ways in which a lease of the job in the place can be taken back.
LeaseCapabilities capabilities_of(const ClusterState& state, const SpecRecord& spec,
                                  const TaskPlacement& place);

// What so much time of so many cards is worth to a class. A model without a price costs one unit
// of money an hour, so that losses can be compared.
MicroMoney worth_of(const ClusterState& state, FlavourIndex flavour, JobClass job_class,
                    CardUnits cards, DurationMs ms);

// How many of the times are later than that.
std::uint32_t count_since(const std::vector<TimeMs>& times, TimeMs after);

// Longest time that a revoked task has to end, unless the job declares more for its checkpoint.
inline constexpr DurationMs kLeastGraceMs = 30 * kSecondMs;
// How long past its grace a killed task may take to be gone before it counts as stuck, and other
// room is looked for.
inline constexpr DurationMs kKillMs = 2 * kLeastGraceMs;

}  // namespace berth::engine
