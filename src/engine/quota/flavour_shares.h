// FlavourShares: the fair share of each queue in each flavour as things stand at the beginning of a
// cycle. What the cycle grants or takes changes neither what is demanded in all nor any share.
#pragma once

#include <vector>

#include "engine/quota/fair_share.h"
#include "engine/quota/job_quota.h"
#include "engine/state/cluster_state.h"

namespace berth::engine {

class FlavourShares {
 public:
  // Of a queue with all below it. Card units.
  struct Line {
    CardUnits share = 0;
    CardUnits demand = 0;  // held and waiting
  };

  FlavourShares(const ClusterState& state, AskFlavours& flavours, TimeMs now)
      : state_(state), flavours_(flavours), now_(now) {}

  // Before the cycle grants anything; once. O(lines x flavours)
  void work_out();
  const Line& of(FlavourIndex flavour, QueueIndex queue) const;

 private:
  std::vector<Line> lines_of(FlavourIndex flavour);
  std::vector<CardUnits> waiting(FlavourIndex flavour);
  void note_largest_nodes();
  bool may_ever_start(AskIndex ask);
  CardUnits held_of(const JobRecord& job, LeaseId lease, FlavourIndex flavour) const;

  const ClusterState& state_;
  AskFlavours& flavours_;
  TimeMs now_;
  std::vector<std::vector<Line>> known_;  // by flavour, by queue
  std::vector<CardUnits> largest_;        // by flavour: all cards of its largest node
};

}  // namespace berth::engine
