// FlavourShares: the fair share of each queue in a flavour as things stand, worked out once each
// and only where somebody asks. Made for one cycle, before it grants anything.
#pragma once

#include <optional>
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

  const Line& of(FlavourIndex flavour, QueueIndex queue);

 private:
  std::vector<Line> lines_of(FlavourIndex flavour);
  std::vector<CardUnits> waiting(FlavourIndex flavour);
  CardUnits held_of(const JobRecord& job, LeaseId lease, FlavourIndex flavour) const;

  const ClusterState& state_;
  AskFlavours& flavours_;
  TimeMs now_;
  std::vector<std::optional<std::vector<Line>>> known_;  // by flavour, by queue
};

}  // namespace berth::engine
