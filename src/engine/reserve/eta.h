// When leases are expected to end: by what their jobs declared, else by what was learned of their
// kind.
#pragma once

#include <vector>

#include "engine/state/cluster_state.h"

namespace berth::engine {

// Where an expectation comes from.
enum class EndBasis : std::uint8_t { kDeclared, kLearned };

struct ExpectedEnd {
  TimeMs at = kNever;
  LeaseId lease;
  EndBasis basis = EndBasis::kLearned;

  friend bool operator<(const ExpectedEnd& a, const ExpectedEnd& b) {
    return a.at != b.at ? a.at < b.at : a.lease < b.lease;
  }
};

// Never before `now`. A job that has outlived what it declared is expected to end as its kind does.
ExpectedEnd expected_end(const ClusterState& state, const Lease& lease, TimeMs now);

// Of all leases, soonest first.
std::vector<ExpectedEnd> expected_ends(const ClusterState& state, TimeMs now);

}  // namespace berth::engine
