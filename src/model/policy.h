// PolicySpec: what the operator sets; Fit: what was learned outside the engine. Both enter the
// state as events, so that every decision follows from the journal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "model/job.h"
#include "model/words.h"

namespace berth {

// A score of the placement table with its weight; the sum of weight x score decides, least first.
struct ScoreWeight {
  std::string score;
  std::int32_t weight = 1;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.score, self.weight);
  }
  friend bool operator==(const ScoreWeight&, const ScoreWeight&) = default;
};

// A demand mix is a list of task shapes with weights.
struct MixEntry {
  TaskRequest shape;
  std::int64_t weight = 0;  // relative; the sum is at most kAmountLimit

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.shape, self.weight);
  }
  friend bool operator==(const MixEntry&, const MixEntry&) = default;
};

// What an hour of one card of a model costs.
struct ModelPrice {
  std::string model;
  MicroMoney per_gpu_hour = 0;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.model, self.per_gpu_hour);
  }
  friend bool operator==(const ModelPrice&, const ModelPrice&) = default;
};

// How long jobs of one kind run.
struct RunTimes {
  std::uint32_t jobs = 0;  // that it was learned from
  DurationMs median_ms = 0;
  DurationMs p90_ms = 0;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.jobs, self.median_ms, self.p90_ms);
  }
  friend bool operator==(const RunTimes&, const RunTimes&) = default;
};

// What the time of one card counts, by the class of the job that has it or waits for it.
struct ClassWeights {
  Ppm inference_ppm = 10 * kPpmOne;
  Ppm interactive_ppm = 2 * kPpmOne;
  Ppm training_ppm = kPpmOne;

  Ppm of(JobClass job_class) const {
    return job_class == JobClass::kInference     ? inference_ppm
           : job_class == JobClass::kInteractive ? interactive_ppm
                                                 : training_ppm;
  }

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.inference_ppm, self.interactive_ppm, self.training_ppm);
  }
  friend bool operator==(const ClassWeights&, const ClassWeights&) = default;
};

// When cards whose MIG layout is static take another one by themselves.
struct RegeometryPolicy {
  std::uint32_t max_cards = 0;           // that change at once in a pool; 0: none
  DurationMs dwell_ms = kHourMs;         // a card keeps its layout so long, and pays off within it
  DurationMs drain_ms = 30 * kMinuteMs;  // longest wait for instances to come free
  DurationMs switch_ms = 5 * kMinuteMs;  // longest time that a node may take for a step
  DrainBy drain = DrainBy::kWaiting;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.max_cards, self.dwell_ms, self.drain_ms, self.switch_ms, self.drain);
  }
  friend bool operator==(const RegeometryPolicy&, const RegeometryPolicy&) = default;
};

struct PolicySpec {
  std::string name = "berth";
  std::vector<ScoreWeight> scores;  // empty: the engine's own cost
  bool learn_mix = true;            // follow the arrivals; false: keep the given mix
  std::uint32_t refit_first = 32;   // arrivals before the first fit of a learned mix
  Ppm refit_growth_ppm = 500'000;   // refit when arrivals have grown by this since the last fit
  // Arrivals after which a sighting counts half; 0: never. Long against what one filling of a
  // fleet takes, so that the mix of a steady demand gets no noisier.
  std::uint32_t mix_half_life = 100'000;
  std::uint32_t price_every = 50;  // arrivals between two computations of scarcity prices
  QueueOrder order = QueueOrder::kSubmission;
  Backfill backfill = Backfill::kAny;
  OverPromise over_promise = OverPromise::kGuarantee;
  // A queue below its fair share by no more than this part of it takes nothing back.
  Ppm dead_band_ppm = kPpmOne / 20;
  Ppm locality_ppm = kPpmOne;  // weight of communication against packing
  // A gang that could start in more domains than it must waits so long for a better place, counted
  // only while it could start; 0: never.
  DurationMs locality_hold_ms = 0;
  std::vector<ReclaimRight> reclaim;  // rights that are used; none: nothing is taken
  Ppm reluctance_ppm = kPpmOne;       // reclaim only if gain > price x reluctance
  ClassWeights class_weights;
  VictimOrder victims = VictimOrder::kPrice;
  std::vector<ReclaimGrade> grades;  // that reclaims may use; none named: all
  DurationMs min_run_ms = 0;  // nothing is taken from a job that has run less, but by its owner
  DurationMs start_timeout_ms = 10 * kMinuteMs;  // 0: never
  DurationMs repair_within_ms = 10 * kMinuteMs;
  DurationMs backoff_first_ms = kSecondMs;
  DurationMs backoff_most_ms = 10 * kMinuteMs;
  DurationMs usage_half_life_ms = 24 * kHourMs;
  DurationMs reserve_after_ms = 0;  // a job that waits so long may have room kept for it
  std::uint32_t reservations = 0;   // most at the same time; 0: none
  DurationMs ageing_step_ms = 0;    // a waiting job gains one of priority in this; 0: none
  std::uint32_t ageing_most = 10;   // of priority that waiting gains
  Ppm history_ppm = 0;  // weight of decayed past usage in the share of idle capacity; 0: none
  std::uint32_t evictions_per_hour = 0;  // of all jobs; 0: unbounded
  std::uint32_t evictions_per_job = 0;   // of one job within kEvictionWindowMs; 0: unbounded
  CardUnits blast_radius = 0;            // cards reclaimed at once; 0: unbounded
  Ppm migration_ppm = 0;                 // moves per accepted job, for packing; 0: never
  std::vector<ModelPrice> prices;        // of models that cost something
  // Part of what tenants would have free alone that others leave to those who cannot well lend it;
  // 0: none, and no account is kept of how tenants fare.
  Ppm lending_reserve_ppm = 0;
  // A job that is expected to run no longer, on no more cards, may use it all the same.
  DurationMs lending_short_ms = 12 * kHourMs;
  std::uint32_t lending_small = 4;  // cards
  RegeometryPolicy regeometry;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.name, self.scores, self.learn_mix, self.refit_first, self.refit_growth_ppm,
          self.mix_half_life, self.price_every, self.order, self.backfill, self.over_promise,
          self.locality_ppm, self.locality_hold_ms, self.reluctance_ppm, self.start_timeout_ms,
          self.repair_within_ms, self.backoff_first_ms, self.backoff_most_ms,
          self.usage_half_life_ms, self.reserve_after_ms, self.reservations, self.ageing_step_ms,
          self.ageing_most, self.history_ppm, self.evictions_per_hour, self.blast_radius,
          self.migration_ppm, self.dead_band_ppm, self.prices, self.lending_reserve_ppm,
          self.lending_short_ms, self.lending_small, self.reclaim, self.class_weights,
          self.min_run_ms, self.evictions_per_job, self.victims, self.grades, self.regeometry);
  }
  bool may_use(ReclaimGrade grade) const {
    return grades.empty() || std::find(grades.begin(), grades.end(), grade) != grades.end();
  }
  friend bool operator==(const PolicySpec&, const PolicySpec&) = default;
};
// How long an eviction counts against taking from the same job again.
inline constexpr DurationMs kEvictionWindowMs = 24 * kHourMs;

// Worth of each occupancy of a model's MIG grid, in worth units (larger keeps more demand
// possible). Index = the geometry's state number.
struct MigWorthTable {
  std::string model;
  std::vector<std::int32_t> worth;
  // What it was trained on and the weights that it was made of; the next training starts there.
  std::vector<std::int64_t> demand;  // instances of each profile, in 1/1024
  std::vector<std::int32_t>
      weights;  // per profile, then jobs^2 and free^2; empty: not of that form

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.model, self.worth, self.demand, self.weights);
  }
  friend bool operator==(const MigWorthTable&, const MigWorthTable&) = default;
};

// One line of the stranded-worth function: worth x `worth_weight` - CPU milli x `cpu_weight`, both
// in 1/65536. The function is the highest of its lines; this one is the highest below
// `cpu_per_card` CPU milli for each card's worth of free room.
struct StrandingLine {
  std::int64_t cpu_per_card = 0;
  std::int64_t worth_weight = 0;
  std::int64_t cpu_weight = 0;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.cpu_per_card, self.worth_weight, self.cpu_weight);
  }
  friend bool operator==(const StrandingLine&, const StrandingLine&) = default;
};

// What a demand mix means for placement. Computed in floating point outside the engine, quantised,
// and committed as an event.
struct Fit {
  std::vector<MixEntry> mix;
  // Worth of a hole of k thousandths of a card, k = 0..1000, in 1/64 thousandth of a card.
  std::vector<std::int32_t> hole_worth;
  // Dual value of a share of k thousandths, k = 0..1000, in millionths of a card.
  std::vector<std::int32_t> share_value;
  // Falling `cpu_per_card`; empty: no worth is stranded by want of CPU.
  std::vector<StrandingLine> stranding;
  std::vector<MigWorthTable> mig;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.mix, self.hole_worth, self.share_value, self.stranding, self.mig);
  }
  friend bool operator==(const Fit&, const Fit&) = default;
};
using FitPtr = std::shared_ptr<const Fit>;
inline constexpr std::size_t kHoleSteps = 1001;
inline constexpr std::int32_t kCardWorth = 64'000;  // of a whole free card, as in hole_worth
inline constexpr std::int64_t kCpuWeightLimit = std::int64_t{1} << 32;

// Scarcity prices: how dear each resource is, given what is free and what the mix wants. Computed
// in integers from the state and committed as an event, so that a reloaded state decides alike.
struct Prices {
  std::vector<std::int64_t> model;  // per GPU model, in the order of declaration
  std::vector<std::int64_t> block;  // per block size 2, 4, 8
  std::int64_t cpu = 0;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.model, self.block, self.cpu);
  }
  friend bool operator==(const Prices&, const Prices&) = default;
};

// How long after its grant a job must have started, or gives its devices back; 0: for ever.
inline DurationMs start_timeout_ms(const PolicySpec& policy, const JobSpec& job) {
  return job.start_timeout_ms > 0 ? job.start_timeout_ms : policy.start_timeout_ms;
}

Status validate(const PolicySpec& policy);
Status validate(const Fit& fit);

}  // namespace berth
