#include "server/redaction.h"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "server/make_views.h"

namespace berth::server {

using codec::Document;
using engine::ClusterState;

namespace {

constexpr std::string_view kJobMark = "job ";      // of a reason's place: "job a on n1"
constexpr std::string_view kQueueMark = "queue ";  // "queue a, H100-80G"

Document hidden_values(const Document& environment) {
  Document map = Document::map();
  for (const codec::Member& member : environment.members()) {
    map.add(member.key, Document::string(kHidden));
  }
  return map;
}

// The name that follows the mark; empty: the place is of something else.
std::string name_after(std::string_view mark, const std::string& place) {
  if (!place.starts_with(mark)) return {};
  return place.substr(mark.size(), place.find_first_of(" ,", mark.size()) - mark.size());
}

bool says(const Rejection& reason, std::string_view number) {
  return std::any_of(reason.numbers.begin(), reason.numbers.end(),
                     [&](const Number& one) { return one.name == number; });
}

// The queue that a reason's place names; empty: none.
std::string queue_of(const Rejection& reason) {
  if (reason.rule == Rule::kNoVictim) {
    return says(reason, "guarantee_milli") ? reason.place : std::string();
  }
  const bool names = reason.rule == Rule::kQuota || reason.rule == Rule::kFairShare;
  return names ? name_after(kQueueMark, reason.place) : std::string();
}

bool lends_more(const QueueSpec& wanted, const QueueSpec& now) {
  return !std::equal(wanted.quotas.begin(), wanted.quotas.end(), now.quotas.begin(),
                     now.quotas.end(),
                     [](const FlavourQuota& a, const FlavourQuota& b) { return a.lend == b.lend; });
}

}  // namespace

Document without_environment(const Document& document) {
  if (document.is(Document::Kind::kList)) {
    Document list = Document::list();
    for (const Document& item : document.items()) list.append(without_environment(item));
    return list;
  }
  if (!document.is(Document::Kind::kMap)) return document;
  Document map = Document::map();
  for (const codec::Member& member : document.members()) {
    const bool hides = member.key == "environment" && member.value.is(Document::Kind::kMap);
    map.add(member.key, hides ? hidden_values(member.value) : without_environment(member.value));
  }
  return map;
}

Visibility::Visibility(const Principal& who, const Reading& reading)
    : Visibility(who.queue, reading.state(), [&history = reading.history](JobId job) {
        const EndedJob* ended = history.find(job);
        return ended == nullptr ? std::string() : ended->spec->queue;
      }) {}

bool Visibility::covers(std::string_view queue) const {
  return !is_limited() || is_under(*state_, state_->find_queue(queue), root_);
}

bool Visibility::sees(JobId job) const {
  if (!is_limited()) return true;
  if (const engine::JobRecord* alive = state_->find_job(job)) {
    return covers(state_->spec_of(*alive).spec->queue);
  }
  return ended_ != nullptr && covers(ended_(job));
}

bool Visibility::concerns(const Reclaim& reclaim, const std::optional<std::string>& job) const {
  const auto is_asked = [&](JobId id, const std::string& name) {
    return (!job || name == *job) && sees(id);
  };
  return is_asked(reclaim.beneficiary, reclaim.name) ||
         std::any_of(reclaim.victims.begin(), reclaim.victims.end(),
                     [&](const Victim& one) { return is_asked(one.job, one.name); });
}

std::string Visibility::in_field(JobId job, const std::string& name) const {
  return sees(job) ? name : kOther;
}

sim::JobNames Visibility::in_text() const {
  return [this](JobId job, const std::string& name) { return sees(job) ? name : kOtherJob; };
}

std::string Visibility::queue_text(const std::string& name) const {
  if (covers(name)) return std::string(kQueueMark) + name;
  return is_under(*state_, state_->find_queue(root_), name) ? "a queue above yours"
                                                            : "a queue of another tenant";
}

// Of jobs that room is kept for: one name, or several in a row.
std::string Visibility::owners_text(const std::string& names) const {
  const engine::JobRecord* owner = state_->find_job(names);
  if (owner != nullptr && sees(owner->id)) return names;
  return owner == nullptr ? "other jobs" : kOtherJob;
}

bool Visibility::is_of_other_queue(const Rejection& reason) const {
  const std::string queue = queue_of(reason);
  return !queue.empty() && !covers(queue);
}

Rejection Visibility::shown(Rejection reason) const {
  if (!is_limited()) return reason;
  if (reason.rule == Rule::kReserved && !reason.place.empty()) {
    reason.place = owners_text(reason.place);
  } else if (reason.rule == Rule::kStuck || reason.rule == Rule::kReclaimLimit) {
    const std::string job = name_after(kJobMark, reason.place);
    const engine::JobRecord* record = state_->find_job(job);
    const bool is_own = job.empty() || (record != nullptr && sees(record->id));
    if (!is_own) reason.place.replace(0, kJobMark.size() + job.size(), kOtherJob);
  } else if (is_of_other_queue(reason)) {
    if (reason.rule == Rule::kNoVictim) return {Rule::kNoVictim, {}, {}};  // what it is guaranteed
    const std::string queue = queue_of(reason);
    reason.place.replace(0, kQueueMark.size() + queue.size(), queue_text(queue));
  }
  return reason;
}

// "raise the limits of a queue above yours": what becomes of a queue, without amounts.
std::string Visibility::change_text(const QueueSpec& wanted) const {
  const QueueSpec& now = *state_->quota().queue(state_->find_queue(wanted.name)).spec;
  const std::string queue = queue_text(wanted.name);
  if (lends_more(wanted, now)) return "let " + queue + " lend more";
  const bool pays = wanted.budget.per_month != now.budget.per_month;
  return (pays ? "raise the budget of " : "raise the limits of ") + queue;
}

engine::Fix Visibility::shown(engine::Fix fix) const {
  if (!is_limited()) return fix;
  if (!fix.awaited.is_none() && !sees(fix.awaited)) {
    fix.text = std::string("wait for ") + kOtherJob;
  }
  std::string changes;
  std::set<std::string> told;
  bool hides = false;
  for (const Command& command : fix.commands) {
    const auto* declared = std::get_if<DeclareQueue>(&command.body);
    if (declared == nullptr) continue;
    hides = hides || !covers(declared->queue.name);
    const std::string change = change_text(declared->queue);
    if (told.insert(change).second) changes += (changes.empty() ? "" : ", ") + change;
  }
  if (!hides) return fix;
  fix.text = "an operator can " + changes;
  fix.commands.clear();
  return fix;
}

EventView Visibility::shown(EventView event) const {
  const bool has_reason = event.reasons != nullptr && !event.reasons->empty();
  if (is_limited() && has_reason) event.message = waits_message(shown(event.reasons->front()));
  return event;
}

std::vector<std::string> job_names(const ClusterState& state, const Visibility& sight) {
  std::vector<std::string> names;
  for (const JobId id : state.jobs().sorted_ids()) {
    if (sight.sees(id)) names.push_back(state.find_job(id)->name);
  }
  return names;
}

}  // namespace berth::server
