#include "server/receipt_view.h"

#include <limits>

#include "sim/scenario/wording.h"

namespace berth::codec {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
auto shown_text() { return text(65'536); }
auto count() { return integer(0, kMost); }
auto number() { return integer(kLeast, kMost); }

}  // namespace

const ObjectSchema<server::VictimView>& Describe<server::VictimView>::schema() {
  static const ObjectSchema<server::VictimView> kSchema = [] {
    using V = server::VictimView;
    ObjectSchema<V> s("victim", "What one lease gives in a reclaim.");
    s.field("job", &V::job, shown_text()).required().text("Its job.");
    s.field("node", &V::node, shown_text()).required().text("Where it is.");
    s.field("grade", &V::grade, words()).required().text("How it is asked to give.");
    s.field("ownership", &V::ownership, words()).required().text("Whose capacity it used.");
    s.field("cards_milli", &V::cards_milli, count()).required().text("Cards, in thousandths.");
    s.field("cpu_milli", &V::cpu_milli, count()).required().text("CPUs, in thousandths.");
    s.field("memory_mib", &V::memory_mib, count()).required().text("Host memory, in MiB.");
    s.field("lost_ms", &V::lost_ms, count()).required().text("Work that is lost, in ms.");
    s.field("latency_ms", &V::latency_ms, count()).required().text("Until it has given, in ms.");
    s.field("price_micro", &V::price_micro, number()).required().text("Its price, in millionths.");
    s.field("target", &V::target, shown_text()).text("Where it goes on; of a move.");
    return s;
  }();
  return kSchema;
}

const ObjectSchema<server::ReceiptView>& Describe<server::ReceiptView>::schema() {
  static const ObjectSchema<server::ReceiptView> kSchema = [] {
    using V = server::ReceiptView;
    ObjectSchema<V> s("receipt", "What was taken back for a job, from whom, and at which price.");
    s.field("receipt", &V::receipt, count()).required().text("Its number.");
    s.field("job", &V::job, shown_text()).required().text("For whom.");
    s.field("part_of", &V::part_of, count()).text("Receipt of the whole that it is a part of.");
    s.field("right", &V::right, words()).required().text("By which right.");
    s.field("outcome", &V::outcome, words()).required().text("What has become of it.");
    s.field("made_at_ms", &V::made_at_ms, count()).required().text("When, in ms.");
    s.field("expires_at_ms", &V::expires_at_ms, count())
        .required()
        .text("When the promise of the room ends, in ms.");
    s.field("ended_at_ms", &V::ended_at_ms, optional(count())).text("When it came out, in ms.");
    s.field("gain_micro", &V::gain_micro, number()).required().text("What it is worth.");
    s.field("price_micro", &V::price_micro, number()).required().text("What it takes.");
    s.field("next_best_micro", &V::next_best_micro, optional(number()))
        .text("Price of the next best way; absent: there was none.");
    s.field("place", &V::place, shown_text()).required().text("The room that it makes.");
    s.field("victims", &V::victims, list_of(object())).required().text("Who gives.");
    return s;
  }();
  return kSchema;
}

}  // namespace berth::codec

namespace berth::server {
namespace {

VictimView victim_view(const engine::ClusterState& state, const Victim& victim,
                       const Visibility& sight) {
  VictimView view;
  view.job = sight.in_field(victim.job, victim.name);
  view.node = state.node(victim.node).spec->name;
  view.grade = victim.grade;
  view.ownership = victim.ownership;
  view.cards_milli = victim.cards * 1000 / kCard;
  view.cpu_milli = victim.cpu_milli;
  view.memory_mib = victim.memory_mib;
  view.lost_ms = victim.lost_ms;
  view.latency_ms = victim.latency_ms;
  view.price_micro = victim.price;
  if (victim.goes_on()) view.target = sim::place_text(state, {victim.target});
  return view;
}

}  // namespace

ReceiptView receipt_view(const engine::ClusterState& state, const engine::ReceiptRecord& record,
                         const Visibility& sight) {
  const Reclaim& reclaim = *record.reclaim;
  ReceiptView view;
  view.receipt = static_cast<std::int64_t>(reclaim.receipt.value());
  view.job = sight.in_field(reclaim.beneficiary, reclaim.name);
  if (!reclaim.part_of.is_none()) {
    view.part_of = static_cast<std::int64_t>(reclaim.part_of.value());
  }
  view.right = reclaim.right;
  view.outcome = record.outcome;
  view.made_at_ms = reclaim.made_at;
  view.expires_at_ms = reclaim.expires_at;
  if (record.ended_at != kNever) view.ended_at_ms = record.ended_at;
  view.gain_micro = reclaim.gain;
  view.price_micro = reclaim.price;
  if (reclaim.runner_up_price) view.next_best_micro = *reclaim.runner_up_price;
  view.place = sim::place_text(state, reclaim.placement);
  for (const Victim& victim : reclaim.victims) {
    view.victims.push_back(victim_view(state, victim, sight));
  }
  return view;
}

}  // namespace berth::server
