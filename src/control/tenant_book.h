// TenantBook: feeds the account of lending (learn/lending_account.h) with what happens in the state
// and says how its queues stand. It keeps nothing unless the policy asks for it.
//
// It begins anew with the first event of all. A controller that recovers reads the whole journal
// and so knows again what was waited; only where the account goes beyond what has ended, it may
// project a little otherwise than the one before.
//
// Tenants are the queues with a guarantee of whole cards that jobs are submitted to. Only jobs of
// whole cards count.
#pragma once

#include <optional>

#include "engine/state/cluster_state.h"
#include "learn/lending_account.h"
#include "model/event.h"

namespace berth::control {

class TenantBook {
 public:
  void observe(const Event& event, const engine::ClusterState& state);
  // Null unless they differ from those of the state.
  StandingsPtr standings(const engine::ClusterState& state, TimeMs now);

 private:
  void submitted(const JobSubmitted& event, const engine::ClusterState& state);

  learn::LendingAccount account_;
  TimeMs next_ = 0;  // when the standings are due
};

}  // namespace berth::control
