#include "sim/scenario/what_if.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <utility>

#include "base/nearest.h"
#include "sim/scenario/verbs.h"
#include "sim/scenario/wording.h"

namespace berth::sim {
namespace {

// Executors answer by themselves here, faults of devices are theirs to know, and questions have no
// place among changes. All other verbs are accepted: what owners and operators do, what happens to
// nodes and tasks, and time.
constexpr std::array<std::string_view, 13> kRefused = {
    "executor", "prepared", "fail-prepare", "returned", "suspended", "fault",  "mend",
    "fleet",    "why",      "eta",          "fix",      "show",      "what-if"};

bool is_refused(std::string_view verb) {
  return std::find(kRefused.begin(), kRefused.end(), verb) != kRefused.end();
}

std::string accepted_verbs() {
  std::string text;
  for (const Verb& verb : all_verbs()) {
    if (!is_refused(verb.name)) text += (text.empty() ? "" : ", ") + std::string(verb.name);
  }
  return text;
}

Error at_command(const WhatIfCommand& command, Error error) {
  error.message = command.where + ", '" + command.text +
                  "': " + (error.field.empty() ? "" : error.field + ": ") + error.message;
  error.field.clear();
  error.line = 0;
  return error;
}

Status check(const WhatIfCommand& command) {
  const auto step = parse_step(command.text);
  if (!step) return tl::unexpected(at_command(command, step.error()));
  const std::string verb = Arguments::split(command.text)->verb();  // it can be read
  if (!is_refused(verb)) return {};
  return tl::unexpected(at_command(
      command,
      Error{ErrorCode::kInvalid,
            "'" + verb + "' asks or answers and changes nothing; accepted: " + accepted_verbs(),
            {}}));
}

// "at once", "in 5 min"
std::string when_text(TimeMs at, TimeMs from) {
  return at <= from ? "at once" : "in " + rounded_text(at - from);
}

HeldAmount held_from(const Reclaim& reclaim, const std::string& job) {
  HeldAmount held;
  for (const Victim& victim : reclaim.victims) {
    if (victim.name == job) held += victim.held();
  }
  return held;
}

const Victim& victim_of(const Reclaim& reclaim, const std::string& job) {
  return *std::find_if(reclaim.victims.begin(), reclaim.victims.end(),
                       [&](const Victim& victim) { return victim.name == job; });
}

// "gives 8 cards to C in 5 min (receipt 1): kill, loses 1 min of each, price 0.13"
std::string given_text(const JobFate& fate, const Given& given, TimeMs from) {
  const Reclaim& reclaim = *given.receipt;
  const Victim& first = victim_of(reclaim, fate.name);
  MicroMoney price = 0;
  for (const Victim& victim : reclaim.victims) {
    if (victim.name == fate.name) price = saturating_add(price, victim.price);
  }
  return "gives " + held_text(held_from(reclaim, fate.name)) + " to " + reclaim.name + " " +
         when_text(given.at, from) + " (receipt " + std::to_string(reclaim.receipt.value()) +
         "): " + std::string(berth::word(first.grade)) + ", loses " + duration_text(first.lost_ms) +
         " of each, price " + money_text(price);
}

std::string waits_text(const JobChange& change, TimeMs now) {
  const JobFate& fate = change.after;
  if (fate.promised != nullptr && !fate.promised->part_of.is_none()) {
    return "waits for the place where it goes on (receipt " +
           std::to_string(fate.promised->receipt.value()) + ")";
  }
  if (fate.promised != nullptr) {
    return "waits for receipt " + std::to_string(fate.promised->receipt.value()) + ": " +
           held_text(held_by_victims(*fate.promised)) + " by " +
           std::string(berth::word(fate.promised->right)) + ", expires in " +
           duration_text(std::max<DurationMs>(0, fate.promised->expires_at - now));
  }
  std::string text = "waits";
  if (!change.reasons.empty()) text += ": " + change.reasons.front().to_text();
  return text;
}

// Both jobs run or wait in the same way in both.
bool is_same(const JobFate& a, const JobFate& b) {
  const bool a_waits = a.phase == JobPhase::kPending;
  const bool b_waits = b.phase == JobPhase::kPending;
  return a.started_at == b.started_at && a.given.size() == b.given.size() &&
         a.stops.size() == b.stops.size() && a.back_at == b.back_at && a.ended_at == b.ended_at &&
         (a.ended_at != kNever || a_waits == b_waits);
}

bool gave(const JobFate& fate, const Given& given) {
  return std::any_of(fate.given.begin(), fate.given.end(), [&](const Given& one) {
    return one.receipt->name == given.receipt->name && one.at == given.at;
  });
}

bool was_stopped(const JobFate& fate, const Stopped& stopped) {
  return std::any_of(fate.stops.begin(), fate.stops.end(), [&](const Stopped& one) {
    return one.how == stopped.how && one.reason == stopped.reason && one.at == stopped.at;
  });
}

// "loses its place in 30 s, and 9 min of work"
std::string stopped_text(const Stopped& stopped, TimeMs from) {
  const std::string when = when_text(stopped.at, from);
  if (stopped.how == Stopped::How::kLostTasks) return "lacks tasks of its gang " + when;
  const std::string work = rounded_text(stopped.lost_ms) + " of work";
  if (stopped.how == Stopped::How::kNodeLost) {
    return "stops " + when + ", as " + stopped.node + " is lost, and loses " + work +
           "; keeps its place until the node is back or given up";
  }
  if (stopped.reason == EndReason::kLost) return "loses its place " + when + ", and " + work;
  const std::string why = stopped.reason == EndReason::kDrained
                              ? ", as the layout of its card changes"
                              : " (" + std::string(berth::word(stopped.reason)) + ")";
  return "stops " + when + why + ", and loses " + work;
}

// ", 5 min later"; nothing where it is no other time, or was never.
std::string shift_text(TimeMs then, TimeMs now) {
  if (then == kNever || now == kNever || then == now) return {};
  return ", " + rounded_text(std::abs(now - then)) + (now < then ? " earlier" : " later");
}

// Finds what is different and says it.
class Comparison {
 public:
  Comparison(Future& before, Future& after) : before_(before), after_(after) {}

  std::vector<JobChange> run(std::int64_t& elsewhere) {
    const auto without = before_.fates();
    const auto with = after_.fates();
    std::vector<JobChange> changes;
    for (const auto& [id, fate] : with) {
      const auto known = without.find(id);
      JobChange change;
      change.after = fate;
      if (known != without.end()) change.before = known->second;
      if (change.before && is_same(*change.before, fate)) {
        if (change.before->place != fate.place) ++elsewhere;
        continue;
      }
      tell(id, change);
      changes.push_back(std::move(change));
    }
    std::stable_sort(changes.begin(), changes.end(), [](const JobChange& a, const JobChange& b) {
      return rank(a) != rank(b) ? rank(a) < rank(b) : std::abs(a.shift()) > std::abs(b.shift());
    });
    return changes;
  }

 private:
  static int rank(const JobChange& change) {
    if (change.after.is_new) return 0;
    if (!change.after.given.empty() || !change.after.stops.empty()) return 1;
    return change.shift() == 0 ? 2 : 3;  // who starts in only one of both, or ends, comes first
  }

  TimeMs from() const { return after_.began(); }

  void tell(JobId id, JobChange& change) {
    const JobFate& fate = change.after;
    const bool waits = fate.ended_at == kNever && fate.phase == JobPhase::kPending;
    if (waits) change.reasons = after_.why(id);
    if (change.before) {
      const bool gives = tell_given(change);
      const bool stops = tell_stops(change);
      tell_back(change, gives || stops);
      tell_start(change);
      tell_end(change);
      return;
    }
    if (fate.started_at != kNever) {
      change.texts.push_back("starts " + when_text(fate.started_at, from()) + " on " + fate.place);
    }
    for (const Given& given : fate.given) {
      change.texts.push_back(given_text(fate, given, from()));
    }
    for (const Stopped& stopped : fate.stops) {
      change.texts.push_back(stopped_text(stopped, from()));
    }
    if (fate.ended_at != kNever) change.texts.push_back(end_text(fate));
    if (!waits) return;
    change.texts.push_back(waits_text(change, after_.now()));
    change.eta = eta_text(after_.state(), fate.name, after_.eta(id), after_.now());
    if (fate.promised == nullptr) change.texts.push_back(change.eta);
  }

  // What it gives now, and what it need not give any more; whether it gives anything more.
  bool tell_given(JobChange& change) const {
    const JobFate& fate = change.after;
    bool gives = false;
    for (const Given& given : fate.given) {
      if (gave(*change.before, given)) continue;
      change.texts.push_back(given_text(fate, given, from()));
      gives = true;
    }
    for (const Given& given : change.before->given) {
      if (gave(fate, given)) continue;
      change.texts.push_back("need not give " + held_text(held_from(*given.receipt, fate.name)) +
                             " to " + given.receipt->name + " " + when_text(given.at, from()));
    }
    return gives;
  }

  // The same of what no receipt takes.
  bool tell_stops(JobChange& change) const {
    bool stops = false;
    for (const Stopped& stopped : change.after.stops) {
      if (was_stopped(*change.before, stopped)) continue;
      change.texts.push_back(stopped_text(stopped, from()));
      stops = stops || stopped.how != Stopped::How::kNodeLost;
    }
    for (const Stopped& stopped : change.before->stops) {
      if (was_stopped(change.after, stopped)) continue;
      change.texts.push_back("does not stop " + when_text(stopped.at, from()));
    }
    return stops;
  }

  // When a job that was stopped, now or before, goes on.
  void tell_back(JobChange& change, bool stops) const {
    const JobFate& fate = change.after;
    const TimeMs then = change.before->back_at;
    if (fate.back_at != kNever && (stops || fate.back_at != then)) {
      std::string text = "goes on " + when_text(fate.back_at, from()) + " on " + fate.back_place +
                         shift_text(then, fate.back_at);
      if (then == kNever && fate.was_off) text += "; it would still wait";
      change.texts.push_back(std::move(text));
    }
    if (fate.ended_at != kNever) return;
    if (stops && fate.phase == JobPhase::kPending) {
      change.texts.push_back("then " + waits_text(change, after_.now()));
    } else if (stops && fate.phase == JobPhase::kSuspended) {
      change.texts.push_back("then waits suspended for cards of its node");
    } else if (fate.back_at == kNever && then != kNever) {
      const bool suspended = fate.phase == JobPhase::kSuspended;
      if (suspended || fate.phase == JobPhase::kPending) {
        change.texts.push_back((suspended ? "stays suspended" : waits_text(change, after_.now())) +
                               "; it would go on " + when_text(then, from()));
      }
    }
  }

  void tell_start(JobChange& change) const {
    const TimeMs then = change.before->started_at;
    const TimeMs now = change.after.started_at;
    if (then == now) return;
    if (now == kNever && change.after.ended_at != kNever) return;  // its end says it
    if (now == kNever) {
      change.texts.push_back(waits_text(change, after_.now()) + "; it would start " +
                             when_text(then, from()));
      return;
    }
    change.texts.push_back("starts " + when_text(now, from()) + " on " + change.after.place +
                           (then == kNever ? "; it would wait" : shift_text(then, now)));
  }

  void tell_end(JobChange& change) const {
    const JobFate& fate = change.after;
    const TimeMs then = change.before->ended_at;
    // who starts at another time ends at another time
    const bool undisturbed = fate.given.empty() && fate.stops.empty();
    if (change.shift() != 0 && undisturbed && fate.ended == EndReason::kSucceeded) return;
    const bool never_started = !fate.ran && fate.started_at == kNever;
    if (then == fate.ended_at || (fate.ended_at == kNever && never_started)) return;
    if (fate.ended_at != kNever) {
      const bool done = fate.ended == EndReason::kSucceeded;
      change.texts.push_back(end_text(fate) + (done ? shift_text(then, fate.ended_at) : ""));
    } else {
      change.texts.push_back("has not ended; it would end " + when_text(then, from()));
    }
  }

  std::string end_text(const JobFate& fate) const {
    const std::string how = fate.ended == EndReason::kSucceeded
                                ? ""
                                : " (" + std::string(berth::word(fate.ended)) + ")";
    return "ends " + when_text(fate.ended_at, from()) + how;
  }

  Future& before_;
  Future& after_;
};

void add_stops(const Future& future, Amounts& amounts) {
  for (const auto& [id, fate] : future.fates()) {
    bool any = false;
    for (const Stopped& stopped : fate.stops) {
      if (stopped.how == Stopped::How::kLostTasks) continue;
      any = true;
      amounts.stopped_gpu_hours += static_cast<double>(stopped.cards) / static_cast<double>(kCard) *
                                   static_cast<double>(stopped.lost_ms) /
                                   static_cast<double>(kHourMs);
    }
    if (any) ++amounts.stopped;
  }
}

Amounts amounts_of(const Future& future) {
  Amounts amounts;
  amounts.cards = static_cast<double>(future.cards_held()) / static_cast<double>(kCard);
  amounts.mean_cards = future.mean_cards_held();
  amounts.waiting = static_cast<std::int64_t>(future.state().pending().size());
  for (const auto& receipt : future.receipts()) {
    std::set<JobId> jobs;
    for (const Victim& victim : receipt->victims) {
      jobs.insert(victim.job);
      amounts.lost_gpu_hours += static_cast<double>(victim.cards) / static_cast<double>(kCard) *
                                static_cast<double>(victim.lost_ms) / static_cast<double>(kHourMs);
    }
    amounts.interrupted += static_cast<std::int64_t>(jobs.size());
  }
  for (const auto& [id, fate] : future.fates()) {
    const bool is_there = fate.ended_at == kNever;
    if (is_there && fate.phase == JobPhase::kSuspended) ++amounts.suspended;
  }
  add_stops(future, amounts);
  return amounts;
}

double fleet_cards(const engine::ClusterState& state) {
  double cards = 0;
  for (const engine::NodeRecord& node : state.nodes()) {
    if (node.condition != NodeCondition::kRemoved) cards += static_cast<double>(node.cards.size());
  }
  return cards;
}

std::vector<QueueChange> queue_changes(const Future& before, const Future& after) {
  std::vector<QueueChange> changes;
  for (const NamedShare& share : queue_shares_now(after.state())) {
    changes.push_back({share.name, 0, share.held_cards, 0, share.fair_cards});
  }
  for (const NamedShare& share : queue_shares_now(before.state())) {
    for (QueueChange& change : changes) {
      if (change.name != share.name) continue;
      change.held_before = share.held_cards;
      change.fair_before = share.fair_cards;
    }
  }
  return changes;
}

}  // namespace

std::vector<WhatIfCommand> what_if_commands(const std::string& name, std::string_view text) {
  std::vector<WhatIfCommand> commands;
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    ++number;
    constexpr std::string_view kBlanks = " \t\r";
    const std::size_t first = line.find_first_not_of(kBlanks);
    if (first == std::string_view::npos || line[first] == '#') continue;
    line = line.substr(first, line.find_last_not_of(kBlanks) - first + 1);
    commands.push_back({name + ":" + std::to_string(number), std::string(line)});
  }
  return commands;
}

Status check_what_if(std::span<const WhatIfCommand> commands) {
  for (const WhatIfCommand& command : commands) {
    if (auto s = check(command); !s) return s;
  }
  return {};
}

Result<WhatIf> what_if(const std::vector<GpuModel>& catalog, const Moment& from,
                       std::span<const WhatIfCommand> commands, std::optional<DurationMs> horizon) {
  if (auto s = check_what_if(commands); !s) return tl::unexpected(s.error());
  Future after(catalog, from);
  for (const WhatIfCommand& command : commands) {
    if (auto s = after.carry_out(command.text); !s) {
      return tl::unexpected(at_command(command, s.error()));
    }
  }
  const TimeMs told = after.now();
  const Status played = horizon ? after.play(saturating_add(told, *horizon))
                                : after.play_until_quiet(saturating_add(told, kQuietWithin));
  if (!played) return tl::unexpected(played.error());
  Future before(catalog, from);
  if (auto s = before.play(after.now()); !s) return tl::unexpected(s.error());
  WhatIf answer;
  answer.at = from.now;
  answer.played = after.now() - from.now;
  answer.fleet_cards = fleet_cards(after.state());
  answer.jobs = Comparison(before, after).run(answer.elsewhere);
  answer.queues = queue_changes(before, after);
  answer.before = amounts_of(before);
  answer.after = amounts_of(after);
  answer.guessed_ends = after.guessed_ends();
  answer.was_cut_short = after.was_cut_short() || before.was_cut_short();
  return answer;
}

}  // namespace berth::sim
