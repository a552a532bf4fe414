#include "learn/card_fit.h"

#include <algorithm>
#include <cmath>

namespace berth::learn {
namespace {

// Part of a hole's worth that is its dual; the rest is its plain size. Between pure duals, which
// treat a hole that fits no common share as nothing, and pure size, which knows no shares. Own
// measurement on the openb traces; from 0.6 to 0.9 makes no difference beyond noise.
constexpr double kDualPart = 0.75;
constexpr double kFixedPoint = 65536.0;
constexpr std::size_t kCardStep = 1000;

std::vector<ShareDemand> shares_of(const std::vector<CardDemand>& demand) {
  std::vector<double> weight(kHoleSteps, 0.0);
  for (const CardDemand& d : demand) {
    if (d.cards > 0 && d.milli > 0 && d.milli < static_cast<int>(kCardStep)) {
      weight[static_cast<std::size_t>(d.milli)] += d.weight * d.cards;
    }
  }
  std::vector<ShareDemand> shares;
  for (std::size_t milli = 1; milli < kCardStep; ++milli) {
    if (weight[milli] > 0) shares.push_back({static_cast<int>(milli), weight[milli]});
  }
  return shares;
}

std::vector<std::int32_t> plain_worth() {
  std::vector<std::int32_t> worth(kHoleSteps);
  for (std::size_t h = 0; h < kHoleSteps; ++h) {
    worth[h] = static_cast<std::int32_t>(h) * (kCardWorth / static_cast<std::int32_t>(kCardStep));
  }
  return worth;
}

void value_holes(const std::vector<ShareDemand>& shares, const std::vector<double>& y,
                 CardFit& fit) {
  std::vector<double> best(kHoleSteps, 0.0);
  for (std::size_t h = 1; h < kHoleSteps; ++h) {
    best[h] = best[h - 1];
    for (std::size_t m = 0; m < shares.size(); ++m) {
      const auto size = static_cast<std::size_t>(shares[m].milli);
      if (size <= h) best[h] = std::max(best[h], best[h - size] + y[m]);
    }
    const double size_part = (1.0 - kDualPart) * static_cast<double>(h) / kCardStep;
    const double worth = kDualPart * std::min(1.0, best[h]) + size_part;
    fit.hole_worth[h] = static_cast<std::int32_t>(std::lround(kCardWorth * worth));
  }
  fit.hole_worth[kCardStep] = kCardWorth;
  for (std::size_t m = 0; m < shares.size(); ++m) {
    fit.share_value[static_cast<std::size_t>(shares[m].milli)] =
        static_cast<std::int32_t>(std::lround(y[m] * static_cast<double>(kPpmOne)));
  }
}

// Demand per unit of card worth, in CPU.
struct CpuNeed {
  double cpu_per_card = 0;
  double weight = 0;
};

// The stranded part of a worth W beside free CPU C is the expectation over the mix of
// max(0, W - C / cpu_per_card): piecewise linear, one line for each suffix of the needs.
std::vector<StrandingLine> stranding_lines(const std::vector<CardDemand>& demand,
                                           const std::vector<std::int32_t>& share_value) {
  std::vector<CpuNeed> needs;
  double total = 0;
  for (const CardDemand& d : demand) {
    if (d.cards == 0) continue;
    const double value = d.cards *
                         static_cast<double>(share_value[static_cast<std::size_t>(d.milli)]) /
                         static_cast<double>(kPpmOne);
    if (value <= 0) continue;
    total += d.weight * value;
    if (d.cpu_milli > 0) {
      needs.push_back({static_cast<double>(d.cpu_milli) / value, d.weight * value});
    }
  }
  std::sort(needs.begin(), needs.end(),
            [](const CpuNeed& a, const CpuNeed& b) { return a.cpu_per_card > b.cpu_per_card; });
  std::vector<StrandingLine> lines;
  double weight = 0;
  double per_cpu = 0;
  for (std::size_t i = 0; i < needs.size(); ++i) {
    weight += needs[i].weight / total;
    per_cpu += needs[i].weight / total * kCardWorth / needs[i].cpu_per_card;
    if (i + 1 < needs.size() && needs[i + 1].cpu_per_card == needs[i].cpu_per_card) continue;
    const double cpu_weight = std::min(per_cpu * kFixedPoint, static_cast<double>(kCpuWeightLimit));
    lines.push_back({static_cast<std::int64_t>(needs[i].cpu_per_card),
                     std::llround(weight * kFixedPoint), std::llround(cpu_weight)});
  }
  return lines;
}

}  // namespace

CardFit fit_cards(const std::vector<CardDemand>& demand) {
  CardFit fit;
  fit.hole_worth = plain_worth();
  fit.share_value.assign(kHoleSteps, 0);
  fit.share_value[kCardStep] = static_cast<std::int32_t>(kPpmOne);
  const std::vector<ShareDemand> shares = shares_of(demand);
  if (!shares.empty()) value_holes(shares, cutting_stock_duals(shares), fit);
  fit.stranding = stranding_lines(demand, fit.share_value);
  return fit;
}

}  // namespace berth::learn
