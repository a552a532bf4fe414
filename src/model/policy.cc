#include "model/policy.h"

namespace berth {
namespace {

Status at_most(std::int64_t value, std::int64_t most, const char* field) {
  if (value >= 0 && value <= most) return {};
  return invalid(
      "is " + std::to_string(value) + "; from 0 to " + std::to_string(most) + " is accepted",
      field);
}

}  // namespace

Status validate(const PolicySpec& policy) {
  if (auto s = validate_name(policy.name, "name"); !s) return s;
  constexpr std::int64_t kMostPpm = 1000 * kPpmOne;
  if (auto s = at_most(policy.refit_growth_ppm, kMostPpm, "refit_growth_ppm"); !s) return s;
  if (auto s = at_most(policy.locality_ppm, kMostPpm, "locality_ppm"); !s) return s;
  if (auto s = at_most(policy.reluctance_ppm, kMostPpm, "reluctance_ppm"); !s) return s;
  if (auto s = at_most(policy.dead_band_ppm, kPpmOne, "dead_band_ppm"); !s) return s;
  if (auto s = at_most(policy.migration_ppm, kPpmOne, "migration_ppm"); !s) return s;
  if (auto s = at_most(policy.lending_reserve_ppm, kPpmOne, "lending_reserve_ppm"); !s) return s;
  if (policy.price_every == 0) return invalid("is 0; at least 1 is accepted", "price_every");
  for (std::size_t i = 0; i < policy.scores.size(); ++i) {
    const std::string field = "scores[" + std::to_string(i) + "]";
    if (auto s = validate_name(policy.scores[i].score, field + ".score"); !s) return s;
    if (policy.scores[i].weight < -1'000'000 || policy.scores[i].weight > 1'000'000) {
      return invalid("is " + std::to_string(policy.scores[i].weight) +
                         "; from -1000000 to 1000000 is accepted",
                     field + ".weight");
    }
  }
  return {};
}

Status validate(const Fit& fit) {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < fit.mix.size(); ++i) {
    if (auto s = at_most(fit.mix[i].weight, kAmountLimit, "mix.weight"); !s) return s;
    total = saturating_add(total, fit.mix[i].weight);
  }
  if (auto s = at_most(total, kAmountLimit, "mix"); !s) return s;
  for (const auto* table : {&fit.hole_worth, &fit.share_value}) {
    if (!table->empty() && table->size() != kHoleSteps) {
      return invalid("a table has " + std::to_string(table->size()) + " entries; " +
                         std::to_string(kHoleSteps) + " are accepted",
                     "hole_worth");
    }
  }
  for (const std::int32_t worth : fit.hole_worth) {
    if (auto s = at_most(worth, kCardWorth, "hole_worth"); !s) return s;
  }
  for (const StrandingLine& line : fit.stranding) {
    if (auto s = at_most(line.worth_weight, 1 << 16, "stranding.worth_weight"); !s) return s;
    if (auto s = at_most(line.cpu_weight, kCpuWeightLimit, "stranding.cpu_weight"); !s) return s;
  }
  return {};
}

}  // namespace berth
