#include "learn/mig_fit.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "base/rng.h"
#include "learn/mig_run.h"
#include "learn/mig_worths.h"

namespace berth::learn {
namespace {

constexpr double kJobsWeight = 0.2;  // aim = share of slots + kJobsWeight x share of jobs
constexpr int kSelectRuns = 6;       // shared runs that rank the candidates
constexpr int kFinalRuns = 48;       // fresh runs for the best of them
constexpr std::size_t kFinalists = 4;
constexpr int kSamples = 32;  // of a generation; mirrored pairs
constexpr double kFirstStep = 0.50;
constexpr double kLastStep = 0.10;

// What one training spends.
struct Budget {
  int generations = 0;
  std::size_t starts = 0;  // candidates from which an evolution starts
  int arrivals = 0;        // of one virtual run
};

// Trainings of rising effort, by the sightings at which they are due. A fleet's fits are due when
// its arrivals have grown by a half, so each happens some way past its threshold.
constexpr std::int64_t kStages[] = {350, 1800, 6000};
constexpr std::size_t kStageCount = std::size(kStages);

std::size_t stage_of(const std::vector<std::int64_t>& demand) {
  const std::int64_t sum = std::accumulate(demand.begin(), demand.end(), std::int64_t{0});
  std::size_t stage = 0;
  while (stage < kStageCount && sum >= kStages[stage] * kMigSighting) ++stage;
  return stage;
}

Budget budget_of(std::size_t stage, MigEffort effort) {
  static constexpr Budget kBudgets[3][kStageCount] = {
      {{2, 1, 4'000}, {3, 1, 4'000}, {5, 1, 6'000}},
      {{8, 1, 16'000}, {16, 1, 20'000}, {60, 1, 32'000}},
      {{10, 1, 24'000}, {20, 1, 24'000}, {60, 2, 48'000}}};
  return kBudgets[static_cast<std::size_t>(effort)]
                 [std::clamp<std::size_t>(stage, 1, kStageCount) - 1];
}

// Each demand has virtual runs of its own.
std::uint64_t seed_of(const std::vector<std::int64_t>& demand) {
  std::uint64_t seed = 0x6D696720666974ULL;
  for (const std::int64_t seen : demand) {
    seed = (seed ^ static_cast<std::uint64_t>(seen)) * 0x100000001B3ULL;
  }
  return seed;
}

// Half the sum of the differences between two mixes: 0 equal, 1 nothing in common.
double distance(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  const auto sum = [](const std::vector<std::int64_t>& v) {
    return std::max(1.0, static_cast<double>(std::accumulate(v.begin(), v.end(), std::int64_t{0})));
  };
  double total = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    total += std::abs(static_cast<double>(a[i]) / sum(a) - static_cast<double>(b[i]) / sum(b));
  }
  return total / 2;
}

// Profiles that training looks at: those that were asked for, and the plain ones.
std::vector<int> kept_profiles(const GpuModel& model, const std::vector<std::int64_t>& demand) {
  std::vector<int> kept;
  for (std::size_t k = 0; k < model.mig_profiles.size(); ++k) {
    const bool plain = model.mig_profiles[k].name.find_first_of("+-") == std::string::npos;
    if (plain || demand[k] > 0) kept.push_back(static_cast<int>(k));
  }
  return kept;
}

// A way to value the states of any grid of the model.
struct Candidate {
  std::function<std::vector<std::int32_t>(const MigGrid&)> rule;  // null: by weights
  MigWeights weights;                                             // for the kept profiles
};

class Training {
 public:
  Training(const GpuModel& model, std::vector<int> kept, const std::vector<std::int64_t>& demand,
           Budget budget)
      : model_(model),
        kept_(std::move(kept)),
        grid_(model, kept_),
        budget_(budget),
        rng_(seed_of(demand)) {
    double sum = 0;  // one more sighting of each, so that no share is nought
    for (const int k : kept_) {
      const auto seen = static_cast<double>(demand[static_cast<std::size_t>(k)]);
      mix_.push_back(seen / kMigSighting + 1);
      sum += mix_.back();
    }
    for (double& share : mix_) share /= sum;
    fleet_.arrivals = budget.arrivals;
  }

  bool possible() const { return grid_.count() > 1; }

  Candidate best(const MigWorthTable* before) {
    std::vector<Candidate> all = candidates(before);
    const std::vector<std::size_t> order = ranked(all, traces(kSelectRuns));
    std::vector<Candidate> last;
    std::vector<MigWeights> starts;
    for (const std::size_t i : order) {
      if (last.size() < kFinalists) last.push_back(all[i]);
      if (starts.size() < budget_.starts && all[i].rule == nullptr)
        starts.push_back(all[i].weights);
    }
    for (const MigWeights& start : starts) last.push_back({nullptr, evolve(start)});
    return last[ranked(last, traces(kFinalRuns)).front()];
  }

  // The candidate's worth for all profiles of the model; those not kept weigh nothing.
  std::optional<MigWorthTable> table_of(const Candidate& candidate) const {
    std::vector<int> all(model_.mig_profiles.size());
    std::iota(all.begin(), all.end(), 0);
    const MigGrid grid(model_, all);
    if (grid.count() == 0) return std::nullopt;
    MigWorthTable table;
    table.model = model_.name;
    if (candidate.rule != nullptr) {
      table.worth = candidate.rule(grid);
      return table;
    }
    MigWeights weights = candidate.weights;
    weights.per_fit.assign(all.size(), 0);
    for (std::size_t k = 0; k < kept_.size(); ++k) {
      weights.per_fit[static_cast<std::size_t>(kept_[k])] = candidate.weights.per_fit[k];
    }
    table.worth = worth_by_weights(grid, weights);
    table.weights = quantised(weights);
    return table;
  }

 private:
  static constexpr double kWeightUnits = 1e6;

  static std::vector<std::int32_t> quantised(const MigWeights& weights) {
    std::vector<double> all = weights.per_fit;
    all.push_back(weights.jobs2);
    all.push_back(weights.free2);
    double top = 1e-12;
    for (const double w : all) top = std::max(top, std::abs(w));
    std::vector<std::int32_t> result;
    for (const double w : all) {
      result.push_back(static_cast<std::int32_t>(std::lround(w / top * kWeightUnits)));
    }
    return result;
  }

  std::vector<Candidate> candidates(const MigWorthTable* before) const {
    std::vector<Candidate> all;
    all.push_back({worth_by_best_fit, {}});
    all.push_back({worth_by_conflicts, {}});
    all.push_back({nullptr, weights_by_mix(grid_, mix_, 1, 0, 0.001)});  // expected unusable slots
    for (const double by_share : {0.0, 0.5, 1.0}) {
      for (const double jobs2 : {0.0, 0.1, 0.3}) {
        all.push_back({nullptr, weights_by_mix(grid_, mix_, by_share, jobs2, 0.1)});
      }
    }
    const std::size_t profiles = model_.mig_profiles.size();
    if (before == nullptr || before->weights.size() != profiles + 2) return all;
    MigWeights weights;
    for (const int k : kept_) {
      weights.per_fit.push_back(before->weights[static_cast<std::size_t>(k)] / kWeightUnits);
    }
    weights.jobs2 = before->weights[profiles] / kWeightUnits;
    weights.free2 = before->weights[profiles + 1] / kWeightUnits;
    all.push_back({nullptr, weights});
    return all;
  }

  std::vector<MigTrace> traces(int runs) {
    std::vector<MigTrace> result;
    for (int i = 0; i < runs; ++i) result.push_back(make_mig_trace(grid_, mix_, fleet_, rng_));
    return result;
  }

  // Sum over the runs of what each worth accepts.
  std::vector<double> aims(const std::vector<std::vector<std::int32_t>>& worths,
                           const std::vector<MigTrace>& runs) const {
    constexpr std::size_t kTogether = 8;  // fleets that fit a core's cache
    std::vector<double> sums;
    for (std::size_t first = 0; first < worths.size(); first += kTogether) {
      std::vector<MigChoices> batch;
      const std::size_t last = std::min(worths.size(), first + kTogether);
      for (std::size_t i = first; i < last; ++i) batch.emplace_back(grid_, worths[i]);
      sums.resize(last, 0.0);
      for (const MigTrace& trace : runs) {
        const std::vector<MigScore> scores = run_mig(grid_, batch, trace, fleet_);
        for (std::size_t i = 0; i < scores.size(); ++i) {
          sums[first + i] += scores[i].slots + kJobsWeight * scores[i].jobs;
        }
      }
    }
    return sums;
  }

  std::vector<std::int32_t> worth_of(const Candidate& c) const {
    return c.rule != nullptr ? c.rule(grid_) : worth_by_weights(grid_, c.weights);
  }

  // Best first, the earlier candidate on a tie.
  std::vector<std::size_t> ranked(const std::vector<Candidate>& candidates,
                                  const std::vector<MigTrace>& runs) const {
    std::vector<std::vector<std::int32_t>> worths;
    for (const Candidate& c : candidates) worths.push_back(worth_of(c));
    const std::vector<double> aim = aims(worths, runs);
    std::vector<std::size_t> order(candidates.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return aim[a] > aim[b]; });
    return order;
  }

  // One generation on one fresh trace that all samples share; the better half pulls the mean.
  std::vector<double> generation(const std::vector<double>& mean, double step) {
    const std::vector<MigTrace> runs = traces(1);
    std::vector<std::vector<double>> samples(kSamples, mean);
    std::vector<std::vector<std::int32_t>> worths;
    for (std::size_t i = 0; i < kSamples; ++i) {
      for (std::size_t d = 0; d < mean.size(); ++d) {
        samples[i][d] =
            i % 2 == 1 ? 2 * mean[d] - samples[i - 1][d] : mean[d] + step * normal(rng_);
      }
      worths.push_back(worth_by_weights(grid_, from_point(grid_, samples[i])));
    }
    const std::vector<double> aim = aims(worths, runs);
    std::vector<std::pair<double, std::size_t>> rank;
    for (std::size_t i = 0; i < kSamples; ++i) rank.push_back({-aim[i], i});
    std::sort(rank.begin(), rank.end());
    constexpr std::size_t kParents = kSamples / 2;
    std::vector<double> next(mean.size(), 0);
    double total = 0;
    for (std::size_t i = 0; i < kParents; ++i) {
      const double weight = std::log(kParents + 0.5) - std::log(static_cast<double>(i) + 1);
      total += weight;
      for (std::size_t d = 0; d < mean.size(); ++d) next[d] += weight * samples[rank[i].second][d];
    }
    for (double& value : next) value /= total;
    return next;
  }

  // The step falls geometrically; the answer is the mean of the last third of the generations.
  MigWeights evolve(const MigWeights& start) {
    std::vector<double> mean = to_point(grid_, start);
    std::vector<double> tail(mean.size(), 0);
    int averaged = 0;
    for (int g = 0; g < budget_.generations; ++g) {
      const double progress = g / std::max(1.0, budget_.generations - 1.0);
      mean = generation(mean, kFirstStep * std::pow(kLastStep / kFirstStep, progress));
      if (3 * g < 2 * budget_.generations) continue;
      ++averaged;
      for (std::size_t d = 0; d < mean.size(); ++d) tail[d] += mean[d];
    }
    for (double& value : tail) value /= averaged;
    return from_point(grid_, tail);
  }

  const GpuModel& model_;
  std::vector<int> kept_;
  MigGrid grid_;
  Budget budget_;
  Rng rng_;
  std::vector<double> mix_;
  MigFleet fleet_;
};

// The change of a mix that chance does not give: small after the last stage; before it, where the
// next stage comes anyway unless old sightings are forgotten as fast, only a change of much of it.
double shift_that_matters(const std::vector<std::int64_t>& demand) {
  constexpr double kSettledShift = 0.03;
  constexpr double kEarlyShift = 0.10;  // at the last threshold; chance falls with the square root
  if (stage_of(demand) == kStageCount) return kSettledShift;
  const auto seen = static_cast<double>(std::accumulate(demand.begin(), demand.end(), 0LL));
  const double last = static_cast<double>(kStages[kStageCount - 1]) * kMigSighting;
  return kEarlyShift * std::sqrt(last / seen);
}

}  // namespace

bool mig_fit_due(const std::vector<std::int64_t>& demand, const MigWorthTable* before) {
  const std::size_t stage = stage_of(demand);
  if (before == nullptr || before->demand.size() != demand.size()) return stage > 0;
  if (stage > stage_of(before->demand)) return true;
  return stage > 0 && distance(demand, before->demand) > shift_that_matters(demand);
}

std::optional<MigWorthTable> fit_mig(const GpuModel& model, const std::vector<std::int64_t>& demand,
                                     const MigWorthTable* before, MigEffort effort) {
  const Budget budget = budget_of(stage_of(demand), effort);
  Training training(model, kept_profiles(model, demand), demand, budget);
  if (!training.possible()) return std::nullopt;
  std::optional<MigWorthTable> table = training.table_of(training.best(before));
  if (table) table->demand = demand;
  return table;
}

}  // namespace berth::learn
