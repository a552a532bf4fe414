// What a whole job asks of the quota, and whether it may have it: flavour by flavour, as a unit.
// A job that accepts several GPU models is tried first where its queue stays within its guarantee,
// then where it borrows.
#pragma once

#include <optional>
#include <vector>

#include "engine/state/cluster_state.h"

namespace berth::engine {

// One flavour in which the tasks of a role can run, and what each of them takes of it.
struct FlavourOption {
  FlavourIndex flavour;
  ModelIndex model;
  Charge per_task;
};

struct RoleFlavours {
  std::vector<FlavourOption> cards;  // empty: the role asks for no card, or no card can serve it
  FlavourIndex cpus;
  Charge cpus_per_task;
};

// The flavours of asks, worked out once each. Derived; forgetting it changes nothing.
class AskFlavours {
 public:
  const std::vector<RoleFlavours>& of(const ClusterState& state, AskIndex ask);

 private:
  std::vector<std::vector<RoleFlavours>> known_;  // by ask
  std::size_t kinds_ = 0;                         // of cards and nodes, when they were worked out
};

inline Charge times(const Charge& charge, std::uint32_t count) {
  return {saturating_mul(charge.compute, count), saturating_mul(charge.memory, count)};
}

// Tasks that are asked for now, by role.
using TaskCounts = std::vector<std::uint32_t>;

// Models that the tasks of a role may use; empty: whatever the request accepts.
using ModelChoice = std::vector<ModelIndex>;

struct JobAdmission {
  struct Attempt {
    LeaseOwnership ownership = LeaseOwnership::kOwned;
    std::vector<ModelChoice> models;  // by role; empty: no role is restricted

    friend bool operator==(const Attempt&, const Attempt&) = default;
  };
  std::vector<Attempt> attempts;     // in the order in which to try them
  std::optional<Rejection> refusal;  // when there is none
  // Of a refusal: it stays as long as nothing is eased in these queues; none among them: see
  // Admission.
  std::vector<QueueIndex> refused_by = {};
};

// What the job may do with `tasks` of each role more than it has.
JobAdmission admit_job(const ClusterState& state, AskFlavours& flavours, const SpecRecord& spec,
                       const TaskCounts& tasks, TimeMs now);

// What `count(role)` tasks of each role take of the flavour together, wherever they may use it.
template <typename Count>
Charge charge_of(const std::vector<RoleFlavours>& roles, FlavourIndex flavour, const Count& count) {
  Charge all;
  for (std::size_t r = 0; r < roles.size(); ++r) {
    for (const FlavourOption& option : roles[r].cards) {
      if (option.flavour == flavour) all += times(option.per_task, count(r));
    }
  }
  return all;
}

// Whether no quota says anything about the job: it borrows what there is.
inline bool is_unruled(const ClusterState& state, const SpecRecord& spec) {
  return state.quota().is_open(spec.home.queue) && !spec.spec->is_protected;
}

// The least that a role, or a job, must be given to start.
inline std::uint32_t least_tasks(const RoleAsk& role) {
  return role.optional ? 0 : role.elastic ? role.min : role.count;
}
TaskCounts least_tasks(const Ask& ask);

}  // namespace berth::engine
