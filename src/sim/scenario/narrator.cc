#include "sim/scenario/narrator.h"

#include <algorithm>
#include <set>

#include "base/check.h"
#include "sim/scenario/arguments.h"
#include "sim/scenario/wording.h"

namespace berth::sim {
namespace {

// "m7" -> {"m", 7}; the number is none when the name has no digits at its end or leading zeros.
struct NumberedName {
  std::string stem;
  std::int64_t number = -1;
};

NumberedName split_number(const std::string& name) {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  const auto number = whole_number(std::string_view(name).substr(digits));
  if (!number || std::to_string(*number).size() != name.size() - digits) return {name, -1};
  return {name.substr(0, digits), *number};
}

std::string range_name(const NumberedName& first, std::int64_t last) {
  if (last == first.number) return first.stem + std::to_string(last);
  return first.stem + "[" + std::to_string(first.number) + "-" + std::to_string(last) + "]";
}

// Shares of one card that a single task got are one device to it.
std::string device_note(const TaskPlacement& task) {
  std::set<std::uint16_t> cards;
  for (const CardGrant& grant : task.grants) {
    if (grant.mode != CardMode::kMig) cards.insert(grant.card);
  }
  if (cards.empty() || cards.size() == task.grants.size()) return {};
  return std::to_string(task.grants.size()) + " shares of " + std::to_string(cards.size()) +
         (cards.size() == 1 ? " device" : " devices");
}

std::string joined(std::initializer_list<std::string> words) {
  std::string text;
  for (const std::string& word : words) {
    if (word.empty()) continue;
    if (!text.empty()) text += " ";
    text += word;
  }
  return text;
}

}  // namespace

Narrator::Narrator(const engine::ClusterState& state) {
  for (const JobId id : state.jobs().sorted_ids()) names_[id] = state.find_job(id)->name;
  for (const LeaseId id : state.leases().sorted_ids()) {
    const Lease& lease = *state.find_lease(id);
    if (lease.state == LeaseState::kPromised) continue;
    holdings_[id] = {name_of(lease.job), lease.placement};
  }
  for (const auto& [id, record] : state.ledger().receipts) receipts_[id] = record.reclaim->name;
}

bool Narrator::has_seen(const std::string& job) const {
  return std::any_of(names_.begin(), names_.end(),
                     [&](const auto& known) { return known.second == job; });
}

void Narrator::hear(const EventBatch& events, Detail detail) {
  for (const Event& event : events) tell(event, detail);
}

void Narrator::say(std::string line) {
  lines_.push_back({std::move(line), {}, {}, {}, {}, {}, {}});
}

void Narrator::tell(const Event& event, Detail detail) {
  if (const auto* submitted = std::get_if<JobSubmitted>(&event.body)) {
    names_[submitted->job] = submitted->name;
  } else if (const auto* held = std::get_if<JobHeld>(&event.body)) {
    add("hold", name_of(held->job), held->reasons->empty() ? "" : held->reasons->front().to_text());
  } else if (const auto* granted = std::get_if<LeaseGranted>(&event.body)) {
    tell_granted(*granted);
  } else if (const auto* prepared = std::get_if<LeasePrepared>(&event.body)) {
    if (detail == Detail::kBarrier) tell_prepared(*prepared);
  } else if (const auto* started = std::get_if<JobStarted>(&event.body)) {
    if (detail == Detail::kBarrier) add("start", name_of(started->job), {});
  } else if (const auto* revoking = std::get_if<LeaseRevoking>(&event.body)) {
    tell_revoking(*revoking, event.at);
  } else if (const auto* issued = std::get_if<ReceiptIssued>(&event.body)) {
    tell_receipt(*issued->receipt);
  } else if (const auto* promised = std::get_if<LeasePromised>(&event.body)) {
    add_task("promise", {name_of(promised->job), promised->placement}, {});
  } else if (const auto* closed = std::get_if<ReceiptEnded>(&event.body)) {
    if (closed->outcome != ReceiptOutcome::kGranted) {
      add("receipt", receipts_.at(closed->receipt), std::string(berth::word(closed->outcome)));
    }
  } else if (const auto* suspended = std::get_if<LeaseSuspended>(&event.body)) {
    add_task("suspended", holdings_.at(suspended->lease), {});
  } else if (const auto* late = std::get_if<LeaseOverdue>(&event.body)) {
    if (late->lateness == Lateness::kStuck) add_task("stuck", holdings_.at(late->lease), {});
  } else if (const auto* resumed = std::get_if<LeaseResumed>(&event.body)) {
    holdings_.at(resumed->lease).task = resumed->placement;
    add_task("resume", holdings_.at(resumed->lease), {});
  } else if (const auto* advanced = std::get_if<RegeometryAdvanced>(&event.body)) {
    tell_layout(*advanced, event.at);
  } else if (const auto* moved = std::get_if<LeaseMoved>(&event.body)) {
    tell_moved(*moved);
  } else if (const auto* released = std::get_if<LeaseReleased>(&event.body)) {
    tell_released(*released);
  } else if (const auto* reserved = std::get_if<JobReserved>(&event.body)) {
    tell_reserved(*reserved->reservation, event.at);
  } else if (const auto* unreserved = std::get_if<ReservationEnded>(&event.body)) {
    add("unreserve", name_of(unreserved->job), {});
  } else if (const auto* joined = std::get_if<LeaseStarted>(&event.body)) {
    if (detail == Detail::kBarrier) add_task("join", holdings_.at(joined->lease), {});
  } else if (const auto* repairing = std::get_if<JobRepairing>(&event.body)) {
    add("repairing", name_of(repairing->job),
        repairing->until == kNever ? "" : "within " + duration_text(repairing->until - event.at));
  } else if (const auto* repaired = std::get_if<JobRepaired>(&event.body)) {
    add("repaired", name_of(repaired->job), {});
  } else if (const auto* taken = std::get_if<DomainTaken>(&event.body)) {
    add("takes", name_of(taken->job), "from " + taken->level + " " + taken->name);
  } else if (const auto* deferred = std::get_if<PlacementDeferred>(&event.body)) {
    add(deferred->waits ? "defer" : "undefer", name_of(deferred->job), {});
  } else if (const auto* requeued = std::get_if<JobRequeued>(&event.body)) {
    add("requeue", name_of(requeued->job), std::string(berth::word(requeued->reason)));
  } else if (const auto* backoff = std::get_if<JobBackedOff>(&event.body)) {
    add("backoff", name_of(backoff->job), duration_text(backoff->until - event.at));
  } else if (const auto* ended = std::get_if<JobEnded>(&event.body)) {
    if (ended->reason != EndReason::kSucceeded) {
      add("end", name_of(ended->job), std::string(berth::word(ended->reason)));
    }
  }
}

void Narrator::tell_granted(const LeaseGranted& granted) {
  const Holding holding{name_of(granted.job), granted.placement};
  holdings_[granted.lease] = holding;
  add_task("place", holding, device_note(granted.placement));
}

void Narrator::tell_reserved(const Reserve& reservation, TimeMs now) {
  lines_.push_back({"reserve",
                    name_of(reservation.job),
                    {},
                    {},
                    "in " + duration_text(reservation.starts_at - now),
                    {},
                    reservation.nodes});
}

void Narrator::tell_prepared(const LeasePrepared& prepared) {
  const Holding& holding = holdings_.at(prepared.lease);
  add("prepared", holding.job, "task " + std::to_string(holding.task.task));
}

void Narrator::tell_revoking(const LeaseRevoking& revoking, TimeMs now) {
  const std::string within =
      revoking.deadline == kNever ? "" : "within " + duration_text(revoking.deadline - now);
  add_task("revoke", holdings_.at(revoking.lease),
           joined({std::string(berth::word(revoking.grade)), within}));
}

// "reclaim serve guarantee: 8 cards, price 0.12"
void Narrator::tell_receipt(const Reclaim& reclaim) {
  receipts_[reclaim.receipt] = reclaim.name;
  if (!reclaim.part_of.is_none()) return;  // its promises say where it goes on
  if (reclaim.victims.empty()) {
    return add("reclaim", reclaim.name,
               std::string(berth::word(reclaim.right)) + ": in room that is being given back");
  }
  std::string text = std::string(berth::word(reclaim.right)) + ": " +
                     held_text(held_by_victims(reclaim)) + ", price " + money_text(reclaim.price);
  if (reclaim.runner_up_price) text += ", next best " + money_text(*reclaim.runner_up_price);
  if (reclaim.gain > 0) text += ", gain " + money_text(reclaim.gain);
  add("reclaim", reclaim.name, text);
}

// "regeometry n1:0 draining within 30 min"
void Narrator::tell_layout(const RegeometryAdvanced& advanced, TimeMs now) {
  const bool ended = advanced.stage == RegeometryStage::kVerified ||
                     advanced.stage == RegeometryStage::kRolledBack;
  std::string text(berth::word(advanced.stage));
  if (!ended && advanced.deadline != kNever) {
    text += " within " + duration_text(advanced.deadline - now);
  }
  if (!advanced.cause.empty()) text += ": " + advanced.cause;
  lines_.push_back({"regeometry", {}, {}, {}, std::move(text), {}, {}, advanced.change});
}

void Narrator::tell_moved(const LeaseMoved& moved) {
  Holding& holding = holdings_.at(moved.lease);
  lines_.push_back({"move", holding.job, {holding.task}, {}, {}, {moved.placement}, {}});
  holding.task = moved.placement;
}

void Narrator::tell_released(const LeaseReleased& released) {
  const auto holding = holdings_.find(released.lease);
  BERTH_CHECK(holding != holdings_.end());
  add_task("release", holding->second, {});
  holdings_.erase(holding);
}

void Narrator::add_task(const std::string& verb, const Holding& holding, const std::string& tail) {
  const bool continues = !lines_.empty() && lines_.back().verb == verb &&
                         lines_.back().job == holding.job && lines_.back().tail == tail &&
                         !lines_.back().tasks.empty();
  if (!continues) lines_.push_back({verb, holding.job, {}, {}, tail, {}, {}});
  lines_.back().tasks.push_back(holding.task);
}

void Narrator::add(std::string verb, const std::string& job, std::string tail) {
  lines_.push_back({std::move(verb), job, {}, {}, std::move(tail), {}, {}});
}

const std::string& Narrator::name_of(JobId job) const { return names_.at(job); }

std::vector<std::string> Narrator::take(const engine::ClusterState& state) {
  for (Line& line : lines_) {
    line.place = place_text(state, line.tasks);
    if (line.change != nullptr) {
      const Regeometry& change = *line.change;
      line.job = state.node(change.node).spec->name + ":" + std::to_string(change.card);
      if (line.tail == berth::word(RegeometryStage::kPlanned)) {
        line.tail += ": " + layout_text(state, change.node, change.before) + " -> " +
                     layout_text(state, change.node, change.placements);
      }
    }
    for (const NodeIndex node : line.nodes) {
      line.place += (line.place.empty() ? "" : " ") + state.node(node).spec->name;
    }
    if (!line.targets.empty()) line.place += " to " + place_text(state, line.targets);
  }
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < lines_.size();) {
    const Line& line = lines_[i];
    const NumberedName first = split_number(line.job);
    std::int64_t last = first.number;
    std::size_t end = i + 1;
    for (; end < lines_.size() && last >= 0; ++end) {
      const Line& next = lines_[end];
      const NumberedName name = split_number(next.job);
      if (next.verb != line.verb || next.place != line.place || next.tail != line.tail ||
          name.stem != first.stem || name.number != last + 1) {
        break;
      }
      last = name.number;
    }
    const std::string job = last < 0 ? line.job : range_name(first, last);
    texts.push_back(joined({line.verb, job, line.place, line.tail}));
    i = end;
  }
  lines_.clear();
  return texts;
}

}  // namespace berth::sim
