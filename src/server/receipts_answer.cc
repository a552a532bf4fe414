#include "server/receipts_answer.h"

#include "base/nearest.h"
#include "sim/scenario/show_receipts.h"

namespace berth::server {
namespace {

using engine::ReceiptRecord;

// Of a job, as taker or giver; all of them without one.
std::vector<const ReceiptRecord*> receipts_of(const AskedPlace& place,
                                              const std::optional<std::string>& job) {
  std::vector<const ReceiptRecord*> found;
  for (const auto& [id, record] : place.state.ledger().receipts) {
    if (place.sight.concerns(*record.reclaim, job)) found.push_back(&record);
  }
  return found;
}

// That there is such a job, or was one.
Status check_job(const AskedPlace& place, const std::string& job) {
  const auto seen = place.has_seen(job);
  if (!seen) return tl::unexpected(seen.error());
  if (*seen) return {};
  const std::vector<std::string> names = job_names(place.state, place.sight);
  return fail(ErrorCode::kNotFound,
              "no job '" + job + "' was ever submitted there" +
                  suggestion(job, std::span<const std::string>(names)),
              "JOB");
}

// Of those that have come out the last are kept.
std::string none_text(const AskedPlace& place, const std::optional<std::string>& job) {
  if (!job) return "nothing has been taken back";
  const engine::Ledger& ledger = place.state.ledger();
  const std::string text = "nothing has been taken back for " + *job + ", nor from it";
  const bool forgot = ledger.next_receipt - 1 > ledger.receipts.size();
  return forgot ? text + ", in the last " + grouped(std::ssize(ledger.receipts)) + " receipts"
                : text;
}

codec::Document victim_document(const engine::ClusterState& state, const Victim& victim,
                                const Visibility& sight) {
  codec::Document one = codec::Document::map();
  one.add("job", codec::Document::string(sight.in_field(victim.job, victim.name)));
  one.add("node", codec::Document::string(state.node(victim.node).spec->name));
  one.add("grade", codec::Document::string(std::string(word(victim.grade))));
  one.add("ownership", codec::Document::string(std::string(word(victim.ownership))));
  one.add("cards_milli", codec::Document::integer(victim.cards * 1000 / kCard));
  one.add("cpu_milli", codec::Document::integer(victim.cpu_milli));
  one.add("memory_mib", codec::Document::integer(victim.memory_mib));
  one.add("lost_ms", codec::Document::integer(victim.lost_ms));
  one.add("latency_ms", codec::Document::integer(victim.latency_ms));
  one.add("price_micro", codec::Document::integer(victim.price));
  if (victim.goes_on()) {
    one.add("target", codec::Document::string(sim::place_text(state, {victim.target})));
  }
  return one;
}

}  // namespace

codec::Document receipt_document(const engine::ClusterState& state, const ReceiptRecord& record,
                                 const Visibility& sight) {
  const Reclaim& reclaim = *record.reclaim;
  codec::Document one = codec::Document::map();
  one.add("receipt", codec::Document::integer(static_cast<std::int64_t>(reclaim.receipt.value())));
  one.add("job", codec::Document::string(sight.in_field(reclaim.beneficiary, reclaim.name)));
  if (!reclaim.part_of.is_none()) {
    one.add("part_of",
            codec::Document::integer(static_cast<std::int64_t>(reclaim.part_of.value())));
  }
  one.add("right", codec::Document::string(std::string(word(reclaim.right))));
  one.add("outcome", codec::Document::string(std::string(word(record.outcome))));
  one.add("made_at_ms", codec::Document::integer(reclaim.made_at));
  one.add("expires_at_ms", codec::Document::integer(reclaim.expires_at));
  if (record.ended_at != kNever) {
    one.add("ended_at_ms", codec::Document::integer(record.ended_at));
  }
  one.add("gain_micro", codec::Document::integer(reclaim.gain));
  one.add("price_micro", codec::Document::integer(reclaim.price));
  if (reclaim.runner_up_price) {
    one.add("next_best_micro", codec::Document::integer(*reclaim.runner_up_price));
  }
  one.add("place", codec::Document::string(sim::place_text(state, reclaim.placement)));
  codec::Document victims = codec::Document::list();
  for (const Victim& victim : reclaim.victims) {
    victims.append(victim_document(state, victim, sight));
  }
  one.add("victims", std::move(victims));
  return one;
}

Result<Told> answer_receipts(const AskedPlace& place, const std::optional<std::string>& job) {
  const auto found = receipts_of(place, job);
  if (job && found.empty()) {
    if (auto s = check_job(place, *job); !s) return tl::unexpected(s.error());
  }
  const sim::JobNames names = place.sight.in_text();
  Told told{codec::Document::list(), {}};
  if (found.empty()) told.text = none_text(place, job) + "\n";
  for (const ReceiptRecord* record : found) {
    told.document.append(receipt_document(place.state, *record, place.sight));
    for (const std::string& line : sim::receipt_lines(place.state, *record, place.now, names)) {
      told.text += line + "\n";
    }
  }
  return told;
}

}  // namespace berth::server
