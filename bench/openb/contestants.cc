#include "bench/openb/contestants.h"

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "control/mix_fit.h"

namespace berth::bench::openb {
namespace {

constexpr std::array<Contestant, 8> kContestants = {{
    {"random", "random", Knowledge::kNothing, false},
    {"dotprod", "dotprod", Knowledge::kNothing, false},
    {"clustering", "clustering", Knowledge::kNothing, false},
    {"packing", "packing", Knowledge::kNothing, false},
    {"bestfit", "bestfit_fgd", Knowledge::kNothing, false},
    {"fgd", "fgd", Knowledge::kTypicalPods, false},
    {"berth", "", Knowledge::kNothing, true},
    {"berth_given", "", Knowledge::kWholeMix, false},
}};

}  // namespace

std::span<const Contestant> contestants() { return kContestants; }

PolicySpec policy_of(const Contestant& contestant) {
  PolicySpec policy;
  policy.name = contestant.name;
  policy.learn_mix = contestant.learns;
  if (!contestant.score.empty()) policy.scores.push_back({std::string(contestant.score), 1});
  return policy;
}

FitPtr given_fit(const Contestant& contestant, const engine::ClusterState& state,
                 std::vector<MixEntry> mix) {
  if (contestant.score.empty()) {
    return std::make_shared<const Fit>(control::fit_mix(state, std::move(mix)));
  }
  auto fit = std::make_shared<Fit>();
  fit->mix = std::move(mix);
  return fit;
}

FitPtr learned_fit(const engine::ClusterState& state) {
  return std::make_shared<const Fit>(control::fit_mix(state, control::sighted_mix(state)));
}

}  // namespace berth::bench::openb
