#include "server/receipts_answer.h"

#include "base/nearest.h"
#include "server/receipt_view.h"
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

}  // namespace

Result<Told> answer_receipts(const AskedPlace& place, const std::optional<std::string>& job) {
  const auto found = receipts_of(place, job);
  if (job && found.empty()) {
    if (auto s = check_job(place, *job); !s) return tl::unexpected(s.error());
  }
  const sim::JobNames names = place.sight.in_text();
  Told told{codec::Document::list(), {}};
  if (found.empty()) told.text = none_text(place, job) + "\n";
  for (const ReceiptRecord* record : found) {
    told.document.append(codec::to_document(receipt_view(place.state, *record, place.sight)));
    for (const std::string& line : sim::receipt_lines(place.state, *record, place.now, names)) {
      told.text += line + "\n";
    }
  }
  return told;
}

}  // namespace berth::server
