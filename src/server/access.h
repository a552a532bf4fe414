// Who asks, and what they may: roles over kinds of requests and subtrees of queues. It keeps no
// secrets; who presents a token is found out elsewhere (token_book.h).
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "base/units.h"
#include "engine/state/cluster_state.h"
#include "model/words.h"

namespace berth::server {

enum class Role : std::uint8_t { kAdmin, kOperator, kTenant, kViewer };

// What an operation of the API needs.
enum class Need : std::uint8_t {
  kNothing,     // health, metrics of the process, this document
  kSeeFleet,    // nodes, partitions, policy, the cluster's figures
  kSeeTenants,  // jobs, leases, receipts, usage, queues: of the own subtree
  kUseQueue,    // submit, cancel, hold, resize: of the own subtree
  kOperate,     // nodes, layouts
  kAdminister   // queues, partitions, policy, tokens
};

struct Principal {
  std::string name;  // the actor of the audit trail
  Role role = Role::kViewer;
  std::string queue;           // root of its subtree; empty: the whole tree
  std::string token = {};      // id of the token it presented, where Berth issued that
  TimeMs expires_at = kNever;  // of what it presented
};

constexpr bool may(Role role, Need need) {
  switch (need) {
    case Need::kNothing:
    case Need::kSeeFleet:
    case Need::kSeeTenants:
      return true;
    case Need::kUseQueue:
      return role != Role::kViewer;
    case Need::kOperate:
      return role == Role::kAdmin || role == Role::kOperator;
    case Need::kAdminister:
      return role == Role::kAdmin;
  }
  return false;
}

// Whether the queue lies in the principal's subtree.
bool covers(const Principal& who, const engine::ClusterState& state, std::string_view queue);

}  // namespace berth::server

namespace berth {
BERTH_WORDS(server::Role, "admin", "operator", "tenant", "viewer");
BERTH_WORDS(server::Need, "nothing", "see-fleet", "see-tenants", "use-queue", "operate",
            "administer");
}  // namespace berth
