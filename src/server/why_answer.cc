#include "server/why_answer.h"

#include <algorithm>
#include <sstream>

#include "base/check.h"
#include "base/nearest.h"
#include "codec/fleet_codec.h"
#include "codec/job_codec.h"
#include "codec/policy_codec.h"
#include "sim/report/format.h"
#include "sim/scenario/show.h"
#include "sim/scenario/show_stop.h"

namespace berth::server {
namespace {

using codec::Document;

Document text(std::string_view value) { return Document::string(std::string(value)); }

Document text_or_null(const std::string& value) {
  return value.empty() ? Document() : Document::string(value);
}

Document map_of(std::vector<codec::Member> members) {
  Document map = Document::map();
  for (codec::Member& member : members) map.add(std::move(member));
  return map;
}

codec::Member field(std::string key, Document value) {
  return {std::move(key), std::move(value), {}};
}

// How the job lost its cards; nothing of one that has not been stopped since it last started.
Document stopped_document(const AskedPlace& place, const engine::JobRecord& job) {
  const engine::Stop& stop = job.stop;
  if (stop.at == kNever) return {};
  const auto taken = sim::taken_from(place.state, job, stop.receipt);
  const auto receipt = static_cast<std::int64_t>(stop.receipt.value());
  const auto taker = [&](const Reclaim& made) {
    return text(place.sight.in_field(made.beneficiary, made.name));
  };
  return map_of({field("text", text(sim::stop_text(place.state, job, place.sight.in_text()))),
                 field("ago_ms", Document::integer(place.now - stop.at)),
                 field("reason", text(word(stop.reason))),
                 field("receipt", stop.receipt.is_none() ? Document() : Document::integer(receipt)),
                 field("for", taken ? taker(taken->receipt) : Document()),
                 field("right", taken ? text(word(taken->receipt.right)) : Document()),
                 field("grade", taken ? text(word(taken->grade)) : Document()),
                 field("cards_milli",
                       taken ? Document::integer(taken->held.cards * 1000 / kCard) : Document()),
                 field("lost_ms", taken ? Document::integer(taken->lost_ms) : Document())});
}

struct Answer {
  const engine::JobRecord& job;
  std::string queue;
  Rejections reasons;  // the primary one first
  engine::Outlook eta;
  std::string eta_text;
  std::string eta_after;  // name of the job whose end lets it start; may be empty
  std::vector<engine::Fix> fixes;
  sim::Lines stops;  // what was taken from it, and is being taken
  Document stopped;  // the same of a job that is off its cards
  DurationMs waits_ms = 0;

  bool is_pending() const { return job.phase == JobPhase::kPending; }
  bool waits() const { return sim::is_waiting(job); }  // a suspended one for its cards
};

Answer collect(const AskedPlace& place, const engine::JobRecord& job) {
  const sim::JobNames names = place.sight.in_text();
  Answer answer{job,
                place.state.spec_of(job).spec->queue,
                place.why(job.id),
                {},
                {},
                {},
                {},
                sim::stop_lines(place.state, job, place.now, names),
                stopped_document(place, job)};
  if (!answer.waits()) return answer;
  answer.waits_ms = place.now - job.waits_since();
  answer.eta = place.eta(job.id);
  answer.eta_text = sim::eta_text(place.state, job.name, answer.eta, place.now, names);
  const engine::JobRecord* last = place.state.find_job(answer.eta.last);
  if (last != nullptr) answer.eta_after = place.sight.in_field(last->id, last->name);
  for (engine::Fix& fix : place.fixes(job.id)) {
    answer.fixes.push_back(place.sight.shown(std::move(fix)));
  }
  return answer;
}

std::string text_of(const Answer& answer, const AskedPlace& place) {
  const TimeMs now = place.now;
  std::ostringstream out;
  out << answer.job.name << " is " << word(answer.job.phase) << "\n";
  for (std::size_t i = 0; i < answer.reasons.size(); ++i) {
    out << (i == 0 ? "  because: " : "  also:    ")
        << place.sight.shown(answer.reasons[i]).to_text() << "\n";
  }
  for (const std::string& line : answer.stops) out << "  " << line << "\n";
  if (!answer.waits()) return out.str();
  out << "  eta:     " << answer.eta_text << "\n";
  if (!answer.is_pending()) return out.str();
  for (const engine::Fix& fix : answer.fixes) {
    out << "  fix:     " << sim::fix_text(fix, now, place.sight.in_text()) << "\n";
  }
  if (answer.fixes.empty()) out << "  fix:     no single change lets it start now\n";
  return out.str();
}

// What a queue of others has been given is not the caller's to know.
Document reason_document(const AskedPlace& place, const Rejection& reason) {
  const Rejection shown = place.sight.shown(reason);
  Document numbers = Document::map();
  if (!place.sight.is_of_other_queue(reason)) {
    for (const Number& number : shown.numbers) {
      numbers.add(number.name, Document::integer(number.value));
    }
  }
  return map_of({field("rule", text(word(shown.rule))), field("place", text_or_null(shown.place)),
                 field("numbers", std::move(numbers)), field("text", text(shown.to_text()))});
}

std::string_view basis_word(engine::EndBasis basis) {
  if (basis == engine::EndBasis::kDeclared) return "declared";
  return basis == engine::EndBasis::kLearned ? "learned" : "unknown";
}

// What a start takes from others; nothing where it takes nothing.
Document taken_document(const AskedPlace& place, const Reclaim* taken) {
  if (taken == nullptr) return {};
  Document victims = Document::list();
  for (const Victim& victim : taken->victims) {
    victims.append(map_of({field("job", text(place.sight.in_field(victim.job, victim.name))),
                           field("grade", text(word(victim.grade))),
                           field("cards_milli", Document::integer(victim.cards * 1000 / kCard)),
                           field("lost_ms", Document::integer(victim.lost_ms)),
                           field("price_micro", Document::integer(victim.price))}));
  }
  return map_of({field("right", text(word(taken->right))),
                 field("cards_milli", Document::integer(cards_of_victims(*taken) * 1000 / kCard)),
                 field("price_micro", Document::integer(taken->price)),
                 field("victims", std::move(victims))});
}

Document eta_document(const AskedPlace& place, const Answer& answer) {
  const TimeMs now = place.now;
  const engine::Outlook& eta = answer.eta;
  const bool starts = !eta.is_held && eta.at != kNever;
  const bool known = starts && eta.basis != engine::EndBasis::kUnknown;
  return map_of({field("text", text(answer.eta_text)),
                 field("in_ms", known ? Document::integer(std::max<DurationMs>(0, eta.at - now))
                                      : Document()),
                 field("starts_by_waiting", Document::boolean(starts)),
                 field("at_earliest", Document::boolean(eta.at_earliest)),
                 field("after_job", text_or_null(answer.eta_after)),
                 field("basis", starts ? text(basis_word(eta.basis)) : Document()),
                 field("takes", taken_document(place, eta.taken.get())),
                 field("jobs_before", Document::integer(eta.before)),
                 field("held_by_owner", Document::boolean(eta.is_held))});
}

// A command of a fix, as what is to be done and with what.
struct CommandDocument {
  Document operator()(const UnholdJob& c) const { return on_job("release", c.name); }
  Document operator()(const HoldJob& c) const { return on_job("hold", c.name); }
  Document operator()(const CancelJob& c) const { return on_job("cancel", c.name); }
  Document operator()(const SubmitJob& c) const {
    Document map = on_job("submit", c.name);
    map.add("spec", codec::to_document(*c.spec));
    return map;
  }
  Document operator()(const ResizeJob& c) const {
    Document map = on_job("resize", c.name);
    map.add("role", text(c.role));
    map.add("tasks", Document::integer(c.count));
    return map;
  }
  Document operator()(const DeclareQueue& c) const {
    return map_of(
        {field("do", text("declare-queue")), field("queue", codec::to_document(c.queue))});
  }
  Document operator()(const SetNodeCondition& c) const {
    return map_of({field("do", text("set-node-condition")), field("node", text(c.node)),
                   field("condition", text(word(c.condition)))});
  }
  Document operator()(const SetPolicy& c) const {
    Document map =
        map_of({field("do", text("set-policy")), field("policy", codec::to_document(c.policy))});
    if (!c.pool.empty()) map.add("pool", text(c.pool));
    return map;
  }
  Document operator()(const ChangeLayout& c) const {
    Document layout = Document::list();
    for (const MigInstanceSpec& instance : c.layout) {
      layout.append(map_of({field("profile", text(instance.profile)),
                            field("start", Document::integer(instance.start))}));
    }
    return map_of({field("do", text("change-layout")), field("node", text(c.node)),
                   field("card", Document::integer(c.card)), field("layout", std::move(layout))});
  }
  template <typename Other>
  Document operator()(const Other& /*command*/) const {
    BERTH_CHECK(false);  // what owners and operators do by hand is above
  }

  static Document on_job(std::string_view what, const std::string& job) {
    return map_of({field("do", text(what)), field("job", text(job))});
  }
};

std::string_view by_word(engine::FixBy by) {
  switch (by) {
    case engine::FixBy::kOwner:
      return "owner";
    case engine::FixBy::kTime:
      return "time";
    case engine::FixBy::kRequest:
      return "request";
    case engine::FixBy::kOperator:
      return "operator";
  }
  BERTH_CHECK(false);
}

// What time brings nobody has to do; when it comes stands beside.
Document fix_document(const AskedPlace& place, const engine::Fix& fix) {
  const TimeMs now = place.now;
  const bool waits = fix.by == engine::FixBy::kTime;
  Document commands = Document::list();
  for (const Command& command : fix.commands) {
    if (!waits) commands.append(std::visit(CommandDocument{}, command.body));
  }
  const std::int64_t in_ms = waits ? std::max<DurationMs>(0, fix.at - now) : 0;
  return map_of({field("text", text(sim::fix_text(fix, now, place.sight.in_text()))),
                 field("by", text(by_word(fix.by))), field("in_ms", Document::integer(in_ms)),
                 field("basis", waits ? text(basis_word(fix.basis)) : Document()),
                 field("takes", taken_document(place, fix.taken.get())),
                 field("commands", std::move(commands))});
}

Document answer_document(const AskedPlace& place, const Answer& answer) {
  Document others = Document::list();
  for (std::size_t i = 1; i < answer.reasons.size(); ++i) {
    others.append(reason_document(place, answer.reasons[i]));
  }
  Document fixes = Document::list();
  for (const engine::Fix& fix : answer.fixes) fixes.append(fix_document(place, fix));
  const bool told = !answer.reasons.empty();
  return map_of(
      {field("job", text(answer.job.name)), field("queue", text(answer.queue)),
       field("phase", text(word(answer.job.phase))),
       field("primary_reason", told ? reason_document(place, answer.reasons.front()) : Document()),
       field("other_reasons", std::move(others)), field("stopped", answer.stopped),
       field("waits_ms", answer.waits() ? Document::integer(answer.waits_ms) : Document()),
       field("since_submission_ms", Document::integer(place.now - answer.job.submitted_at)),
       field("eta", answer.waits() ? eta_document(place, answer) : Document()),
       field("fixes", std::move(fixes))});
}

// One that is suspended waits for its cards.
struct Waiting {
  const engine::JobRecord& job;
  Rejections reasons;

  bool is_suspended() const { return job.phase == JobPhase::kSuspended; }
  std::string reason_text(const AskedPlace& place) const {
    if (is_suspended()) return "goes on when " + sim::back_text(place.state, job);
    return reasons.empty() ? "fits now, the next cycle decides"
                           : place.sight.shown(reasons.front()).to_text();
  }
};

std::vector<Waiting> waiting_jobs(const AskedPlace& place) {
  std::vector<Waiting> jobs;
  for (const JobId id : place.state.jobs().sorted_ids()) {
    const engine::JobRecord& job = *place.state.find_job(id);
    if (sim::is_waiting(job) && place.sight.sees(id)) jobs.push_back({job, place.why(id)});
  }
  return jobs;
}

// How many jobs are in one of the phases, in words; empty for none.
struct Group {
  std::vector<JobPhase> phases;
  std::string_view one;
  std::string_view several;
};

std::string group_text(const AskedPlace& place, const Group& group) {
  const auto ids = place.state.jobs().sorted_ids();
  const auto count = std::count_if(ids.begin(), ids.end(), [&](JobId id) {
    const JobPhase phase = place.state.find_job(id)->phase;
    const auto& phases = group.phases;
    return place.sight.sees(id) && std::find(phases.begin(), phases.end(), phase) != phases.end();
  });
  if (count == 0) return {};
  return std::to_string(count) + " " + std::string(count == 1 ? group.one : group.several);
}

// "2 jobs wait, 1 is suspended, 3 run"
std::string heading(const AskedPlace& place) {
  std::string text = group_text(place, {{JobPhase::kPending}, "job waits", "jobs wait"});
  if (text.empty()) text = "no job waits";
  const Group groups[] = {{{JobPhase::kSuspended}, "is suspended", "are suspended"},
                          {{JobPhase::kRunning, JobPhase::kRepairing}, "runs", "run"},
                          {{JobPhase::kPreparing}, "starts", "start"},
                          {{JobPhase::kReleasing}, "is leaving", "are leaving"}};
  for (const Group& group : groups) {
    const std::string part = group_text(place, group);
    if (!part.empty()) text += ", " + part;
  }
  return text;
}

// "waits 2 min (stopped; 32 min since it was submitted)"
std::string waits_text(const Waiting& waiting, TimeMs now) {
  const engine::JobRecord& job = waiting.job;
  std::string text = waiting.is_suspended() ? "suspended " : "waits ";
  text += sim::duration_text(static_cast<double>(now - job.waits_since()));
  if (job.stop.at == kNever) return text;
  return text + " (" + (waiting.is_suspended() ? "" : "stopped; ") +
         sim::duration_text(static_cast<double>(now - job.submitted_at)) +
         " since it was submitted)";
}

std::string text_of(const AskedPlace& place, const std::vector<Waiting>& jobs) {
  std::ostringstream out;
  out << heading(place) << "\n";
  std::size_t width = 0;
  for (const Waiting& one : jobs) width = std::max(width, one.job.name.size());
  for (const Waiting& one : jobs) {
    out << "  " << one.job.name << std::string(width - one.job.name.size() + 2, ' ')
        << waits_text(one, place.now) << ": " << one.reason_text(place) << "\n";
  }
  return out.str();
}

Document list_document(const AskedPlace& place, const std::vector<Waiting>& jobs) {
  Document list = Document::list();
  for (const Waiting& waiting : jobs) {
    const bool told = !waiting.reasons.empty();
    const engine::JobRecord& job = waiting.job;
    list.append(map_of(
        {field("job", text(job.name)), field("queue", text(place.state.spec_of(job).spec->queue)),
         field("phase", text(word(job.phase))),
         field("waits_ms", Document::integer(place.now - job.waits_since())),
         field("since_submission_ms", Document::integer(place.now - job.submitted_at)),
         field("stopped", stopped_document(place, job)),
         field("primary_reason",
               told ? reason_document(place, waiting.reasons.front()) : Document())}));
  }
  const auto ids = place.state.jobs().sorted_ids();
  const auto seen =
      std::count_if(ids.begin(), ids.end(), [&](JobId id) { return place.sight.sees(id); });
  const auto others = static_cast<std::int64_t>(seen - std::ssize(jobs));
  return map_of(
      {field("waiting", std::move(list)), field("with_a_place", Document::integer(others))});
}

}  // namespace

Result<Told> answer_why(const AskedPlace& place, const std::string& name) {
  const engine::JobRecord* job = place.state.find_job(name);
  if (job == nullptr || !place.sight.sees(job->id)) {
    const std::vector<std::string> names = job_names(place.state, place.sight);
    return fail(ErrorCode::kNotFound,
                "'" + name + "' is not a job that waits or runs there" +
                    suggestion(name, std::span<const std::string>(names)),
                "JOB");
  }
  const Answer answer = collect(place, *job);
  return Told{answer_document(place, answer), text_of(answer, place)};
}

Told list_waiting(const AskedPlace& place) {
  const std::vector<Waiting> jobs = waiting_jobs(place);
  return {list_document(place, jobs), text_of(place, jobs)};
}

}  // namespace berth::server
