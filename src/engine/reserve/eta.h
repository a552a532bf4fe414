// When leases are expected to end: by what their jobs declared, else by what was learned of their
// kind.
#pragma once

#include <vector>

#include "engine/state/cluster_state.h"

namespace berth::engine {

// Where an expectation comes from. kUnknown: a guess, of a kind of which too few have ended.
enum class EndBasis : std::uint8_t { kDeclared, kLearned, kUnknown };

// Ended jobs of a kind from which on its run times are known.
inline constexpr std::uint64_t kJobsKnown = 3;

struct ExpectedEnd {
  TimeMs at = kNever;
  LeaseId lease;
  EndBasis basis = EndBasis::kUnknown;

  friend bool operator<(const ExpectedEnd& a, const ExpectedEnd& b) {
    return a.at != b.at ? a.at < b.at : a.lease < b.lease;
  }
};

// Never before `now`. A job that has outlived what it declared is expected to end as its kind does.
ExpectedEnd expected_end(const ClusterState& state, const Lease& lease, TimeMs now);

// When a job of the spec that starts now is expected to end; of no lease.
ExpectedEnd end_when_started(const ClusterState& state, const SpecRecord& spec, TimeMs now);

// Whether a job of the spec that starts now has ended by `until`: as it declared or, where learned
// run times count, with a probability of at least nineteen in twenty.
bool ends_before(const ClusterState& state, const SpecRecord& spec, TimeMs now, TimeMs until,
                 Backfill backfill);

// Of all leases, soonest first.
std::vector<ExpectedEnd> expected_ends(const ClusterState& state, TimeMs now);

}  // namespace berth::engine
