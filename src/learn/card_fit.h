// CardFit: what a demand mix says about the worth of the free part of a card, and of CPU beside it.
// Floating point; the result is quantised and enters the engine as an event. Pure: no clock, no
// files, no randomness.
//
// Shares of a card are a cutting-stock problem. Its dual gives each share size a value: the part of
// a card that one such job is worth where cards are cut as well as the mix allows. The worth of a
// hole is the best value that can be packed into it, mixed with its plain size.
#pragma once

#include <cstdint>
#include <vector>

#include "model/policy.h"

namespace berth::learn {

// Tasks of one kind in the mix.
struct CardDemand {
  std::int64_t cpu_milli = 0;
  int cards = 0;  // 0: CPU only
  int milli = 0;  // thousandths of each card; 1000 = whole
  double weight = 0;
};

struct CardFit {
  std::vector<std::int32_t> hole_worth;   // as in Fit
  std::vector<std::int32_t> share_value;  // as in Fit
  std::vector<StrandingLine> stranding;   // as in Fit
};

CardFit fit_cards(const std::vector<CardDemand>& demand);

struct ShareDemand {
  int milli = 0;  // 1..1000, distinct, ascending
  double weight = 0;
};

// Values y >= 0 that maximise sum weight x y, where no multiset of shares that fits one card is
// worth more than one card. By column generation over patterns.
std::vector<double> cutting_stock_duals(const std::vector<ShareDemand>& demand);

}  // namespace berth::learn
