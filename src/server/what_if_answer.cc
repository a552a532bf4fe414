#include "server/what_if_answer.h"

#include <cmath>

namespace berth::server {
namespace {

using codec::Document;

Document text(std::string_view value) { return Document::string(std::string(value)); }

Document thousandths(double value) { return Document::integer(std::llround(value * 1000)); }

// Since the question; nothing for what does not happen.
Document since(TimeMs at, TimeMs question) {
  return at == kNever ? Document() : Document::integer(std::max<DurationMs>(0, at - question));
}

Document given_document(const sim::JobFate& fate, const sim::Given& given, TimeMs question) {
  CardUnits cards = 0;
  MicroMoney price = 0;
  DurationMs lost = 0;
  ReclaimGrade grade = ReclaimGrade::kKill;
  for (const Victim& victim : given.receipt->victims) {
    if (victim.name != fate.name) continue;
    cards += victim.cards;
    price = saturating_add(price, victim.price);
    lost = std::max(lost, victim.lost_ms);
    grade = victim.grade;
  }
  Document one = Document::map();
  one.add("receipt", Document::integer(static_cast<std::int64_t>(given.receipt->receipt.value())));
  one.add("to", text(given.receipt->name));
  one.add("in_ms", since(given.at, question));
  one.add("grade", text(word(grade)));
  one.add("cards_milli", Document::integer(cards * 1000 / kCard));
  one.add("lost_ms", Document::integer(lost));
  one.add("price_micro", Document::integer(price));
  return one;
}

std::string_view word_of(sim::Stopped::How how) {
  if (how == sim::Stopped::How::kNodeLost) return "node-lost";
  return how == sim::Stopped::How::kLostTasks ? "lacks-tasks" : "off-its-cards";
}

Document stopped_document(const sim::Stopped& stopped, TimeMs question) {
  Document one = Document::map();
  one.add("how", text(word_of(stopped.how)));
  one.add("reason", text(word(stopped.reason)));
  one.add("in_ms", since(stopped.at, question));
  one.add("cards_milli", Document::integer(stopped.cards * 1000 / kCard));
  one.add("lost_ms", Document::integer(stopped.lost_ms));
  one.add("node", stopped.node.empty() ? Document() : text(stopped.node));
  return one;
}

Document fate_document(const sim::JobFate& fate, TimeMs question) {
  Document gives = Document::list();
  for (const sim::Given& given : fate.given) gives.append(given_document(fate, given, question));
  Document stops = Document::list();
  for (const sim::Stopped& one : fate.stops) stops.append(stopped_document(one, question));
  const bool is_there = fate.ended_at == kNever;
  Document map = Document::map();
  map.add("ran", Document::boolean(fate.ran));
  map.add("starts_in_ms", since(fate.started_at, question));
  map.add("place", fate.place.empty() ? Document() : text(fate.place));
  map.add("gives", std::move(gives));
  map.add("stops", std::move(stops));
  map.add("goes_on_in_ms", since(fate.back_at, question));
  map.add("goes_on_place", fate.back_place.empty() ? Document() : text(fate.back_place));
  map.add("ends_in_ms", since(fate.ended_at, question));
  map.add("end", is_there ? Document() : text(word(fate.ended)));
  map.add("phase", is_there ? text(word(fate.phase)) : Document());
  return map;
}

Document job_document(const sim::JobChange& change, TimeMs question) {
  Document texts = Document::list();
  for (const std::string& line : change.texts) texts.append(text(line));
  Document map = Document::map();
  map.add("job", text(change.after.name));
  map.add("queue", text(change.after.queue));
  map.add("is_new", Document::boolean(change.after.is_new));
  map.add("without", change.before ? fate_document(*change.before, question) : Document());
  map.add("with", fate_document(change.after, question));
  map.add("reason", change.reasons.empty() ? Document() : text(change.reasons.front().to_text()));
  map.add("eta", change.eta.empty() ? Document() : text(change.eta));
  map.add("texts", std::move(texts));
  return map;
}

Document amounts_document(const sim::Amounts& amounts) {
  Document map = Document::map();
  map.add("cards_milli", thousandths(amounts.cards));
  map.add("mean_cards_milli", thousandths(amounts.mean_cards));
  map.add("waiting_jobs", Document::integer(amounts.waiting));
  map.add("suspended_jobs", Document::integer(amounts.suspended));
  map.add("interrupted_jobs", Document::integer(amounts.interrupted));
  map.add("lost_gpu_hours_milli", thousandths(amounts.lost_gpu_hours));
  map.add("stopped_jobs", Document::integer(amounts.stopped));
  map.add("stopped_gpu_hours_milli", thousandths(amounts.stopped_gpu_hours));
  return map;
}

Document queue_document(const sim::QueueChange& queue) {
  Document map = Document::map();
  map.add("queue", text(queue.name));
  map.add("held_without_milli", thousandths(queue.held_before));
  map.add("held_with_milli", thousandths(queue.held_after));
  map.add("fair_without_milli", thousandths(queue.fair_before));
  map.add("fair_with_milli", thousandths(queue.fair_after));
  return map;
}

Document document_of(const sim::WhatIf& answer) {
  Document jobs = Document::list();
  for (const sim::JobChange& change : answer.jobs) jobs.append(job_document(change, answer.at));
  Document queues = Document::list();
  for (const sim::QueueChange& queue : answer.queues) queues.append(queue_document(queue));
  Document map = Document::map();
  map.add("at_ms", Document::integer(answer.at));
  map.add("played_ms", Document::integer(answer.played));
  map.add("fleet_cards_milli", thousandths(answer.fleet_cards));
  map.add("jobs", std::move(jobs));
  map.add("elsewhere", Document::integer(answer.elsewhere));
  map.add("without", amounts_document(answer.before));
  map.add("with", amounts_document(answer.after));
  map.add("queues", std::move(queues));
  map.add("guessed_ends", Document::integer(answer.guessed_ends));
  map.add("was_cut_short", Document::boolean(answer.was_cut_short));
  return map;
}

}  // namespace

Told told(const sim::WhatIf& answer) {
  std::string lines;
  for (const std::string& line : sim::what_if_lines(answer)) lines += line + "\n";
  return {document_of(answer), std::move(lines)};
}

}  // namespace berth::server
