// Who may take cards back from whom, by the shares of one flavour. Which leases go, and whether
// that is worth it, are other questions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/quota/fair_share.h"

namespace berth::engine {

// Where a queue with all below it stands. Card units.
struct Standing {
  CardUnits share = 0;  // see fair_shares
  CardUnits floor = 0;  // min(guarantee, demand): below it nothing is taken
  CardUnits owed = 0;   // short of the floor; may always be taken back
  // Short of the share; nothing when that is no more than the dead band, unless the queue is owed.
  CardUnits wanting = 0;
  CardUnits spare = 0;  // held above the larger of share and floor
};

// `held`: of each node's subtree, in the order of the nodes. `dead_band`: part of the share.
std::vector<Standing> standings(const ShareTree& tree, std::span<const CardUnits> held,
                                Ppm dead_band);

// The most that the first queue may take from the second. Where their paths part, the first must
// stand below its share and the second above, and so at each level below: what a sibling has too
// much comes before what others have. Taking no more than that leaves both on their side of their
// shares, so that the same two never take from each other until something else has changed.
CardUnits most_to_take(const ShareTree& tree, std::span<const Standing> standings,
                       std::size_t claimant, std::size_t victim);

}  // namespace berth::engine
