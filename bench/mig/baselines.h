// The published rules, each as a table: for every kind and card state, what a card costs and where
// the instance goes on it. The cheapest card wins, the lowest index on a tie.
//
//   ff    lowest card, lowest start          rr    next card after the last one, lowest start
//   bf    fewest free slots, and on the card the start that leaves most (profile, start) pairs
//         open ("best index"); wf likewise with the most free slots
//   mfi   least increase of F = sum over the profiles that fit by count of free slots and slices,
//         over their starts that overlap an occupied slot, of the profile's slots
//   fgd   least increase of the free slots that the mix is expected not to be able to use: for each
//         profile those left over when as many as fit are placed greedily, weighted by the true
//         mix; 0.001 x free slots as tie-break
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/mig/protocol.h"

namespace berth::bench::mig {

struct Rule {
  static constexpr std::int32_t kNever = INT32_MAX;
  std::vector<std::int32_t> cost;   // [kind * states + state]; kNever where it does not fit
  std::vector<std::uint16_t> next;  // the state after
  std::vector<std::uint8_t> pair;
  bool round_robin = false;
};

std::vector<std::string> baseline_names();
Rule baseline(const std::string& name, const Mix& mix);

Score run_rule(const Rule& rule, const Trace& trace, Size size);

}  // namespace berth::bench::mig
