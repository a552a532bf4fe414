// Tokens of the API: which are issued and revoked. Who may, what a role means and whether a token
// is over is the server's to judge.
#pragma once

#include "base/error.h"
#include "engine/state/cluster_state.h"
#include "model/event.h"

namespace berth::engine {

Result<EventBatch> decide_token(const ClusterState& state, const IssueToken& command, TimeMs now);
Result<EventBatch> decide_token(const ClusterState& state, const RevokeToken& command, TimeMs now);

}  // namespace berth::engine
