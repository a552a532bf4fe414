#include "bench/openb/contestants.h"

#include <array>
#include <string>
#include <utility>

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

class ArrivalLearner final : public control::Learner {
 public:
  FitPtr learn(const engine::ClusterState& state) override {
    std::vector<MixEntry> mix;
    const auto sightings = state.sightings();
    for (std::size_t s = 0; s < sightings.size(); ++s) {
      if (sightings[s] == 0) continue;
      const engine::Shape& shape = state.shapes().at(ShapeIndex(static_cast<std::uint32_t>(s)));
      mix.push_back({shape.request, static_cast<std::int64_t>(sightings[s])});
    }
    return fit_of(std::move(mix));
  }
};

}  // namespace

std::span<const Contestant> contestants() { return kContestants; }

PolicySpec policy_of(const Contestant& contestant) {
  PolicySpec policy;
  policy.name = contestant.name;
  policy.learn_mix = contestant.learns;
  if (!contestant.score.empty()) policy.scores.push_back({std::string(contestant.score), 1});
  return policy;
}

FitPtr fit_of(std::vector<MixEntry> mix) {
  auto fit = std::make_shared<Fit>();
  fit->mix = std::move(mix);
  return fit;
}

std::unique_ptr<control::Learner> make_learner() { return std::make_unique<ArrivalLearner>(); }

}  // namespace berth::bench::openb
