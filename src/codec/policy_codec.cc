#include "codec/policy_codec.h"

#include "codec/job_codec.h"

namespace berth::codec {
namespace {

constexpr std::int64_t kCountLimit = 1'000'000'000;

auto any_ratio() { return ppm(0, 1000 * kPpmOne); }
auto any_count() { return integer(0, kCountLimit); }

void add_placement(ObjectSchema<PolicySpec>& s) {
  s.field("name", &PolicySpec::name, name()).required().text("Name of the policy.");
  s.field("scores", &PolicySpec::scores,
          map_by(&ScoreWeight::score, &ScoreWeight::weight, name(), integer(-1'000'000, 1'000'000))
              .at_most(64))
      .when_absent("the engine's own cost")
      .text("Weights of placement scores; the least sum decides.");
  s.field("learn_mix", &PolicySpec::learn_mix, flag())
      .text("Follow the arrivals; false: keep the given mix.");
  s.field("refit_first", &PolicySpec::refit_first, any_count())
      .text("Arrivals before the first fit of a learned mix.");
  s.field("refit_growth", &PolicySpec::refit_growth_ppm, any_ratio())
      .member("refit_growth_ppm")
      .text("Fit again when arrivals have grown by this, or half a half-life has passed.");
  s.field("mix_half_life", &PolicySpec::mix_half_life, any_count().unit("arrivals"))
      .text("Arrivals after which a sighting counts half; 0: never.");
  s.field("price_every", &PolicySpec::price_every, integer(1, kCountLimit))
      .text("Arrivals between two computations of scarcity prices.");
  s.field("dead_band", &PolicySpec::dead_band_ppm, ppm(0, kPpmOne))
      .member("dead_band_ppm")
      .text(
          "A queue below its fair share by no more than this part of it takes nothing back; what "
          "it is guaranteed it may always take back.");
  s.field("locality", &PolicySpec::locality_ppm, any_ratio())
      .member("locality_ppm")
      .text(
          "Weight of communication against packing where a group spans nodes: where the topology "
          "states bandwidths, the part of its cards' worth that a gang loses with all of it; 0: "
          "rules apart, nobody cares where in the fleet tasks lie.");
  s.field("migration", &PolicySpec::migration_ppm, ppm(0, kPpmOne))
      .member("migration_ppm")
      .text("Moves per accepted job, for packing; 0: never.");
}

void add_order_and_reclaim(ObjectSchema<PolicySpec>& s) {
  s.field("order", &PolicySpec::order, words())
      .text(
          "submission: inside a queue by time, between queues the lowest share first; "
          "predicted-gpu-time: the job that is expected to take the least run time x GPUs first, "
          "inside a queue and between queues; attained-service: the job that has run least "
          "so far first, by levels that double from an hour on, inside a queue and between queues, "
          "those that keep their queue within its guarantee before all others. The "
          "order of a queue comes before this inside it.");
  s.field("lending_reserve", &PolicySpec::lending_reserve_ppm, ppm(0, kPpmOne))
      .member("lending_reserve_ppm")
      .text(
          "Part of what tenants would have free alone on their guarantees that others leave to "
          "those who have waited almost as long as alone, or longer; the latter go first. 0: "
          "none.");
  s.field("lending_short", &PolicySpec::lending_short_ms, any_duration())
      .member("lending_short_ms")
      .text("A job that is expected to run no longer may use what is left to others, if small.");
  s.field("lending_small", &PolicySpec::lending_small, integer(0, 1'000'000).unit("cards"))
      .text("Most cards of such a job.");
  s.field("backfill", &PolicySpec::backfill, words())
      .text(
          "Who may start in room that is kept: nobody, jobs that declared a run time that ends "
          "before, or those whose learned run times say so, too.");
  s.field("over_promise", &PolicySpec::over_promise, words())
      .text("Who keeps capacity when more is promised than exists.")
      .not_used_yet();
  s.field("reclaim", &PolicySpec::reclaim, list_of(words()).sized(0, 5))
      .when_absent("nothing is taken back")
      .text(
          "Rights by which running work gives capacity back, in the order in which they are tried. "
          "guarantee: to a queue that is below what it is guaranteed, from those above; share: to "
          "one below its fair share; rank: to inference or interactive work from borrowed work of "
          "a lower class, and to higher priority inside one queue; service: among borrowers, to "
          "work that has had less service; consolidation: to whoever finds no room though enough "
          "is "
          "free in all, by moving what is in the way.");
  s.field("victims", &PolicySpec::victims, words())
      .text("Who is taken from first: what loses least, or what started last.");
  s.field("grades", &PolicySpec::grades, list_of(words()).sized(0, 8))
      .when_absent("all that a job declares and its GPU model is measured for")
      .text(
          "Ways in which reclaims may take cards back; of suspend, shrink, checkpoint-evict and "
          "kill the gentlest that costs least is used. What is not named is never used, but that "
          "whoever does not give way in time is killed.");
  s.field("class_weights", &PolicySpec::class_weights, object())
      .when_absent("inference 10, interactive 2, training 1")
      .text("What a card's time counts, by class, in gains and prices of reclaims.");
  s.field("min_run", &PolicySpec::min_run_ms, any_duration())
      .member("min_run_ms")
      .text("Nothing is taken from a job that has run less, but by the owner of a guarantee.");
  s.field("evictions_per_job", &PolicySpec::evictions_per_job, any_count())
      .text("Most times that one job is interrupted within 24 h; 0: unbounded.");
  s.field("reluctance", &PolicySpec::reluctance_ppm, any_ratio())
      .member("reluctance_ppm")
      .text(
          "Reclaim only if the gain is above the price times this; the owner of a guarantee need "
          "not gain.");
  s.field("evictions_per_hour", &PolicySpec::evictions_per_hour, any_count())
      .text("Most jobs that reclaims interrupt within an hour; 0: unbounded.");
  s.field("prices", &PolicySpec::prices,
          map_by(&ModelPrice::model, &ModelPrice::per_gpu_hour, text(64), any_money()).at_most(256))
      .text("What an hour of one card costs, by GPU model; budgets are counted in it.");
  s.field("blast_radius", &PolicySpec::blast_radius, any_cards())
      .text("Most cards that are being reclaimed at one time; 0: unbounded.");
}

ObjectSchema<RegeometryPolicy> regeometry_schema() {
  ObjectSchema<RegeometryPolicy> s("regeometry", "Cards that take another MIG layout.");
  s.field("max_cards", &RegeometryPolicy::max_cards, any_count())
      .text(
          "Most cards of a GPU model and partition whose layout changes at the same time because "
          "work waits for another one; 0: none does by itself.");
  s.field("dwell", &RegeometryPolicy::dwell_ms, any_duration())
      .member("dwell_ms")
      .text("A card keeps its layout at least so long; a change must pay off within it.");
  s.field("drain", &RegeometryPolicy::drain, words())
      .text(
          "What becomes of work in instances that are to go: it ends by itself, or (evicting) is "
          "asked to leave unless it is protected or limits of reclaims spare it.");
  s.field("drain_within", &RegeometryPolicy::drain_ms, any_duration())
      .member("drain_ms")
      .text("Longest wait for those instances; then the card keeps its layout.");
  s.field("switch_within", &RegeometryPolicy::switch_ms, duration(kSecondMs, 24 * kHourMs))
      .member("switch_ms")
      .text("Longest time for the node to carry a change out; then the layout before is restored.");
  return s;
}

void add_times(ObjectSchema<PolicySpec>& s) {
  s.field("start_timeout", &PolicySpec::start_timeout_ms, any_duration())
      .member("start_timeout_ms")
      .text(
          "A job whose tasks are not all prepared so long after its grant gives its devices back "
          "and "
          "waits again; 0: never.");
  s.field("repair_within", &PolicySpec::repair_within_ms, any_duration())
      .member("repair_within_ms")
      .text("A task that was lost is replaced within this, or its job starts over.");
  s.field("backoff_first", &PolicySpec::backoff_first_ms, any_duration())
      .member("backoff_first_ms")
      .text("Wait after the first failure of a job.");
  s.field("backoff_most", &PolicySpec::backoff_most_ms, any_duration())
      .member("backoff_most_ms")
      .text("Longest wait after failures.");
  s.field("usage_half_life", &PolicySpec::usage_half_life_ms, any_duration())
      .member("usage_half_life_ms")
      .text("Time after which past usage counts half.");
  s.field("history", &PolicySpec::history_ppm, ppm(0, 1000 * kPpmOne))
      .member("history_ppm")
      .text("Weight of decayed past usage in a queue's share of idle capacity; 0: none.");
  s.field("locality_hold", &PolicySpec::locality_hold_ms, any_duration())
      .member("locality_hold_ms")
      .text(
          "A gang that could start in more domains than it must waits so long for a better place.");
  s.field("reserve_after", &PolicySpec::reserve_after_ms, any_duration())
      .member("reserve_after_ms")
      .text("Room is kept for the first job that finds none once it has waited so long.");
  s.field("reservations", &PolicySpec::reservations, integer(0, 1000))
      .text("Most jobs that room is kept for at the same time; 0: none.");
  s.field("ageing_step", &PolicySpec::ageing_step_ms, any_duration())
      .member("ageing_step_ms")
      .text("A job that waits gains one of priority in this time; 0: none.");
  s.field("ageing_most", &PolicySpec::ageing_most, integer(0, 1'000'000))
      .text("Most priority that waiting gains.");
}

ObjectSchema<ClassWeights> class_weights_schema() {
  ObjectSchema<ClassWeights> s("class_weights", "What the time of a card counts, by class.");
  s.field("inference", &ClassWeights::inference_ppm, any_ratio())
      .member("inference_ppm")
      .text("Work with a latency target.");
  s.field("interactive", &ClassWeights::interactive_ppm, any_ratio())
      .member("interactive_ppm")
      .text("Work that somebody waits for.");
  s.field("training", &ClassWeights::training_ppm, any_ratio())
      .member("training_ppm")
      .text("Batch work.");
  return s;
}

ObjectSchema<PolicySpec> policy_schema() {
  ObjectSchema<PolicySpec> s("policy", "How the scheduler decides.");
  add_placement(s);
  add_order_and_reclaim(s);
  add_times(s);
  s.field("regeometry", &PolicySpec::regeometry, object())
      .when_absent("layouts change only when an operator says so")
      .text("When cards whose MIG layout is static take another one.");
  s.rule([](const PolicySpec& policy) { return validate(policy); });
  return s;
}

ObjectSchema<MixEntry> mix_entry_schema() {
  ObjectSchema<MixEntry> s("mix_entry", "A task shape and how often it comes.");
  s.field("weight", &MixEntry::weight, integer(0, kAmountLimit))
      .required()
      .text("Relative to the other entries.");
  s.field("shape", &MixEntry::shape, object()).required().text("The task.");
  return s;
}

Status validate_total(const MixFile& file) {
  std::int64_t total = 0;
  for (const MixEntry& entry : file.mix) total = saturating_add(total, entry.weight);
  if (total > 0 && total <= kAmountLimit) return {};
  return invalid("the weights add up to " + std::to_string(total) + "; a sum from 1 to " +
                     std::to_string(kAmountLimit) + " is accepted",
                 "mix");
}

ObjectSchema<MixFile> mix_file_schema() {
  ObjectSchema<MixFile> s("mix", "A demand mix: what jobs typically ask for.");
  s.field("mix", &MixFile::mix, list_of(object()).sized(1, 100'000)).required().text("Shapes.");
  s.rule(&validate_total);
  return s;
}

}  // namespace

const ObjectSchema<ClassWeights>& Describe<ClassWeights>::schema() {
  static const ObjectSchema<ClassWeights> kSchema = class_weights_schema();
  return kSchema;
}
const ObjectSchema<RegeometryPolicy>& Describe<RegeometryPolicy>::schema() {
  static const ObjectSchema<RegeometryPolicy> kSchema = regeometry_schema();
  return kSchema;
}
const ObjectSchema<PolicySpec>& Describe<PolicySpec>::schema() {
  static const ObjectSchema<PolicySpec> kSchema = policy_schema();
  return kSchema;
}
const ObjectSchema<MixEntry>& Describe<MixEntry>::schema() {
  static const ObjectSchema<MixEntry> kSchema = mix_entry_schema();
  return kSchema;
}
const ObjectSchema<MixFile>& Describe<MixFile>::schema() {
  static const ObjectSchema<MixFile> kSchema = mix_file_schema();
  return kSchema;
}

}  // namespace berth::codec
