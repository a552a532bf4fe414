#include "sim/loss_log.h"

#include <algorithm>
#include <utility>

namespace berth::sim {
namespace {

constexpr std::size_t kReceiptsShown = 200;

double as_cards(CardUnits units) { return static_cast<double>(units) / static_cast<double>(kCard); }

double as_money(MicroMoney micro) { return static_cast<double>(micro) / 1e6; }

// The leases of one job are one entry.
std::vector<VictimNote> victims_of(const Reclaim& receipt) {
  std::map<JobId, VictimNote> by_job;
  for (const Victim& victim : receipt.victims) {
    VictimNote& note = by_job[victim.job];
    note.job = victim.name;
    note.grade = victim.grade;
    note.cards += as_cards(victim.cards);
    note.lost_ms = std::max(note.lost_ms, victim.lost_ms);
    note.price += as_money(victim.price);
  }
  std::vector<VictimNote> notes;
  for (auto& [job, note] : by_job) notes.push_back(std::move(note));
  std::stable_sort(notes.begin(), notes.end(),
                   [](const VictimNote& a, const VictimNote& b) { return a.price > b.price; });
  return notes;
}

// Whether there is anything, in figures that only grow but for rounding.
template <typename Values>
bool take_growth(Values& now, const Values& before) {
  bool any = false;
  for (std::size_t i = 0; i < now.size(); ++i) {
    now[i] = std::max(now[i] - before[i], typename Values::value_type{});
    any = any || now[i] > 0;
  }
  return any;
}

}  // namespace

void LossLog::issued(const Reclaim& receipt, TimeMs now) {
  ++receipts_;
  ReceiptNote note;
  note.at_ms = now;
  note.job = receipt.name;
  note.right = receipt.right;
  note.price = as_money(receipt.price);
  note.gain = as_money(receipt.gain);
  note.victims = victims_of(receipt);
  note.cards = as_cards(cards_of_victims(receipt));
  notes_[receipt.receipt] = std::move(note);
  if (notes_.size() > 8 * kReceiptsShown) drop_cheap();
}

void LossLog::ended(ReceiptId receipt, ReceiptOutcome outcome) {
  const auto found = notes_.find(receipt);
  if (found != notes_.end()) found->second.outcome = outcome;
}

// Sorted only now and then: a run may make many.
void LossLog::drop_cheap() {
  std::vector<std::pair<double, ReceiptId>> by_price;
  for (const auto& [id, note] : notes_) by_price.emplace_back(-note.price, id);
  std::sort(by_price.begin(), by_price.end());
  for (std::size_t i = kReceiptsShown; i < by_price.size(); ++i) notes_.erase(by_price[i].second);
}

void LossLog::step(TimeMs now, const WorkBook& book) {
  LossStep all;
  all.at_ms = now;
  all.lost = hours_of(book.sums());
  std::fill_n(all.lost.spent.begin(), static_cast<std::size_t>(Spending::kCheckpoint), 0.0);
  std::copy(book.interruptions().begin(), book.interruptions().end(), all.interruptions.begin());
  std::copy(book.evictions().begin(), book.evictions().end(), all.evictions.begin());
  LossStep step = all;
  bool any = take_growth(step.lost.spent, booked_.lost.spent);
  any = take_growth(step.lost.recomputed, booked_.lost.recomputed) || any;
  any = take_growth(step.interruptions, booked_.interruptions) || any;
  any = take_growth(step.evictions, booked_.evictions) || any;
  if (any) steps_.push_back(step);
  booked_ = all;
}

void LossLog::fill(RunResult& result) const {
  result.losses = steps_;
  result.receipts = receipts_;
  for (const auto& [id, note] : notes_) result.dearest_receipts.push_back(note);
  auto& dearest = result.dearest_receipts;
  std::stable_sort(dearest.begin(), dearest.end(),
                   [](const ReceiptNote& a, const ReceiptNote& b) { return a.price > b.price; });
  if (dearest.size() > kReceiptsShown) dearest.resize(kReceiptsShown);
}

}  // namespace berth::sim
