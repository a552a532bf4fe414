// What fails in a run, and what the controller is told of it.
#include <algorithm>

#include "base/check.h"
#include "model/policy.h"
#include "sim/simulation.h"

namespace berth::sim {

Status Simulation::begin_failures() {
  const auto& spec = input_.settings.failures;
  if (!spec) return {};
  if (auto s = check_failures(*spec, input_.topology); !s) return s;
  failures_.emplace(*spec, input_.topology, input_.partitions, input_.nodes, input_.settings.seed);
  node_turns_.assign(input_.nodes.size(), 0);
  executor_.set_crashes(spec->crash_per_hour);
  schedule_failure(SimEventKind::kFailure, failures_->until_failure());
  schedule_failure(SimEventKind::kNotice, failures_->until_notice());
  endless_ += queue_.size();
  return {};
}

// One of a kind is always to come, whether a job is left or not.
void Simulation::schedule_failure(SimEventKind kind, DurationMs after) {
  if (after != kNever) queue_.push(saturating_add(clock_.now(), after), {kind, 0, 0});
}

Status Simulation::happen(const SimEvent& event) {
  switch (event.kind) {
    case SimEventKind::kFailure: {
      const Strike strike = failures_->strike();
      schedule_failure(SimEventKind::kFailure, failures_->until_failure());
      return fail(strike);
    }
    case SimEventKind::kNotice: {
      const NodeIndex node = failures_->noticed();
      schedule_failure(SimEventKind::kNotice, failures_->until_notice());
      return notice(node);
    }
    case SimEventKind::kNodeTaken:
      if (node_turns_[event.subject] != event.round) return {};  // it failed meanwhile
      return lose_node(event.node(), Interruption::kSpotInterruption, failures_->away(), 0);
    case SimEventKind::kNodeGivenUp:
      return node_turns_[event.subject] == event.round ? give_up(event.node()) : Status{};
    case SimEventKind::kNodeBack:
      return tell(ReportNodeBack{name_of(event.node())});
    case SimEventKind::kCardBack:
      return tell(SetCardHealth{name_of(event.node()), static_cast<std::uint16_t>(event.round),
                                CardHealth::kHealthy});
    default:
      BERTH_CHECK(false);
  }
}

Status Simulation::fail(const Strike& strike) {
  if (strike.cause == Interruption::kCardFailure) {
    return fail_card(strike.nodes.front(), strike.card, strike.repair_ms);
  }
  const DurationMs give_up = input_.settings.failures->give_up_ms;
  for (const NodeIndex node : strike.nodes) {
    if (auto s = lose_node(node, strike.cause, strike.repair_ms, give_up); !s) return s;
  }
  return {};
}

// The tasks of a card that fails are gone at once.
Status Simulation::fail_card(NodeIndex node, std::uint16_t card, DurationMs repair_ms) {
  const engine::NodeRecord& record = state().node(node);
  if (record.condition == NodeCondition::kLost) return {};
  if (record.cards[card].health != CardHealth::kHealthy) return {};
  if (auto s = tell(SetCardHealth{name_of(node), card, CardHealth::kFailed}); !s) return s;
  queue_.push(clock_.now() + repair_ms, {SimEventKind::kCardBack, card, node.value()});
  for (const LeaseId id : leases_on(node)) {
    const CardGrants& grants = state().find_lease(id)->placement.grants;
    const bool is_on_it = std::any_of(grants.begin(), grants.end(),
                                      [&](const CardGrant& grant) { return grant.card == card; });
    if (is_on_it && !state().find_lease(id)->off_cards) lose_task(id, Interruption::kCardFailure);
  }
  return give_up(node);
}

// Its tasks are dead, but the controller cannot know: their leases stay until they are known to be
// gone, at the latest when the node is back.
Status Simulation::lose_node(NodeIndex node, Interruption cause, DurationMs back_ms,
                             DurationMs give_up_ms) {
  if (state().node(node).condition == NodeCondition::kLost) return {};
  if (auto s = tell(SetNodeCondition{name_of(node), NodeCondition::kLost}); !s) return s;
  const std::uint32_t turn = ++node_turns_[node.value()];
  for (const LeaseId id : leases_on(node)) lose_task(id, cause);
  const TimeMs back = saturating_add(clock_.now(), back_ms);
  const TimeMs known = std::min(back, saturating_add(clock_.now(), give_up_ms));
  queue_.push(known, {SimEventKind::kNodeGivenUp, turn, node.value()});
  queue_.push(back, {SimEventKind::kNodeBack, turn, node.value()});
  return {};
}

void Simulation::lose_task(LeaseId id, Interruption cause) {
  const Lease& lease = *state().find_lease(id);
  const JobSpec& spec = *state().spec_of(*state().find_job(lease.job)).spec;
  executor_.lost(lease, cause, start_timeout_ms(state().policy(), spec));
  if (spec.at_most_once_ms == 0) return;
  queue_.push(saturating_add(clock_.now(), spec.at_most_once_ms), {SimEventKind::kTick, 0, 0});
}

Status Simulation::give_up(NodeIndex node) {
  for (const LeaseId id : leases_on(node)) {
    const Lease* lease = state().find_lease(id);
    if (lease == nullptr || !executor_.is_dead(*lease)) continue;
    if (auto s = tell(ReportEnded{id, lease->epoch, EndReason::kLost}); !s) return s;
  }
  schedule_due();
  return {};
}

Status Simulation::notice(NodeIndex node) {
  if (state().node(node).condition != NodeCondition::kReady) return {};
  const TimeMs deadline = saturating_add(clock_.now(), input_.settings.failures->notice_ms);
  queue_.push(deadline, {SimEventKind::kNodeTaken, node_turns_[node.value()], node.value()});
  for (const LeaseId id : leases_on(node)) executor_.noticed(*state().find_lease(id));
  return tell(NoticeInterruption{name_of(node), deadline});
}

// A copy: they change while one goes through them.
std::vector<LeaseId> Simulation::leases_on(NodeIndex node) const {
  const auto& leases = state().node(node).leases;
  return {leases.begin(), leases.end()};
}

std::string Simulation::name_of(NodeIndex node) const { return state().node(node).spec->name; }

}  // namespace berth::sim
