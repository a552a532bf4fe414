#include "server/event_log.h"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "engine/decide_trials.h"
#include "model/rejection.h"
#include "sim/scenario/wording.h"

namespace berth::server {
namespace {

using engine::ClusterState;

template <typename T>
constexpr bool kIsInternal =
    std::is_same_v<T, FitObserved> || std::is_same_v<T, PricesObserved> ||
    std::is_same_v<T, StandingsObserved> || std::is_same_v<T, TimePassed> ||
    std::is_same_v<T, RequestSeen> || std::is_same_v<T, ActivityObserved> ||
    std::is_same_v<T, RunTimesObserved> || std::is_same_v<T, ActorNoted>;

// The sentence for each kind of event; the job, queue and node stand beside it.
struct Sentence {
  const ClusterState& state;

  std::string operator()(const ModelDeclared& e) const {
    return "GPU model " + e.model->name + " is known";
  }
  std::string operator()(const TopologyDeclared& /*e*/) const { return "topology declared"; }
  std::string operator()(const PartitionDeclared& e) const {
    return "partition " + e.partition->name + " declared";
  }
  std::string operator()(const QueueDeclared& e) const {
    return "queue " + e.queue->name + " declared";
  }
  std::string operator()(const PolicySet& e) const {
    const std::string set = "policy " + e.policy->name + " set";
    return e.on_trial ? set + " in pool " + engine::pool_name(state, e.partition) + ", on trial"
                      : set;
  }
  std::string operator()(const TrialEnded& e) const {
    return "the trial of a policy in pool " + engine::pool_name(state, e.partition) + " has ended";
  }
  std::string operator()(const NodeJoined& e) const {
    return "joined with " + std::to_string(e.spec->cards.size()) + " cards";
  }
  std::string operator()(const NodeConditionChanged& e) const {
    return "is " + std::string(word(e.condition));
  }
  std::string operator()(const NodeConditionWanted& e) const {
    return "is lost; will be " + std::string(word(e.condition)) + " once it is back";
  }
  std::string operator()(const CardHealthChanged& e) const {
    return "card " + std::to_string(e.card) + " is " + std::string(word(e.health));
  }
  std::string operator()(const JobSubmitted& /*e*/) const { return "submitted"; }
  std::string operator()(const JobHeld& e) const {
    if (e.reasons == nullptr || e.reasons->empty()) return "waits";
    return waits_message(e.reasons->front());
  }
  std::string operator()(const JobUserHold& e) const {
    return e.held ? "held by its owner" : "released by its owner";
  }
  std::string operator()(const JobResized& /*e*/) const { return "resized"; }
  std::string operator()(const JobBackedOff& e) const {
    return "tries again in " + sim::rounded_text(std::max<DurationMs>(0, e.until - state.now()));
  }
  std::string operator()(const LeaseGranted& e) const {
    return "granted " + sim::place_text(state, {e.placement}) +
           (e.ownership == LeaseOwnership::kOwned ? "" : ", " + std::string(word(e.ownership)));
  }
  std::string operator()(const LeasePromised& e) const {
    return "is promised " + sim::place_text(state, {e.placement});
  }
  std::string operator()(const LeasePrepared& /*e*/) const { return "task prepared"; }
  std::string operator()(const JobStarted& /*e*/) const { return "started"; }
  std::string operator()(const LeaseRevoking& e) const {
    return "is taken back by " + std::string(word(e.grade)) + " (" + std::string(word(e.reason)) +
           ")";
  }
  std::string operator()(const LeaseReleased& /*e*/) const { return "devices given back"; }
  std::string operator()(const JobRequeued& e) const {
    return "waits again (" + std::string(word(e.reason)) + ")";
  }
  std::string operator()(const JobEnded& e) const { return std::string(word(e.reason)); }
  std::string operator()(const LeaseMoved& e) const {
    return "goes on at " + sim::place_text(state, {e.placement});
  }
  std::string operator()(const TermBegan& e) const {
    return "a leader took over, term " + std::to_string(e.term);
  }
  std::string operator()(const ReceiptIssued& e) const {
    const Reclaim& reclaim = *e.receipt;
    if (reclaim.victims.empty()) return "is moved to " + sim::place_text(state, reclaim.placement);
    return "takes back " + sim::held_text(held_by_victims(reclaim)) + " from " +
           std::to_string(reclaim.victims.size()) + " tasks by " +
           std::string(word(reclaim.right)) + ", receipt " +
           std::to_string(reclaim.receipt.value());
  }
  std::string operator()(const ReceiptEnded& e) const {
    return "receipt " + std::to_string(e.receipt.value()) + ": " + std::string(word(e.outcome));
  }
  std::string operator()(const JobReserved& e) const {
    return "room is kept on " + std::to_string(e.reservation->nodes.size()) + " nodes";
  }
  std::string operator()(const ReservationEnded& /*e*/) const { return "no room is kept any more"; }
  std::string operator()(const RegeometryAdvanced& e) const {
    return "card " + std::to_string(e.change->card) +
           " changes its MIG layout: " + std::string(word(e.stage)) +
           (e.cause.empty() ? "" : ", " + e.cause);
  }
  std::string operator()(const CheckpointObserved& e) const {
    return "checkpoint written" + (e.checkpoint.empty() ? "" : ": " + e.checkpoint);
  }
  std::string operator()(const InterruptionNoticed& e) const {
    return "will be taken away in " +
           sim::rounded_text(std::max<DurationMs>(0, e.deadline - state.now()));
  }
  std::string operator()(const LeaseStarted& /*e*/) const { return "a task joins"; }
  std::string operator()(const JobRepairing& /*e*/) const { return "lost tasks are replaced"; }
  std::string operator()(const JobRepaired& /*e*/) const { return "is whole again"; }
  std::string operator()(const DomainTaken& e) const {
    return "takes resources of " + e.level + " " + e.name;
  }
  std::string operator()(const PlacementDeferred& e) const {
    return e.waits ? "waits for a better place" : "does not wait for a better place any more";
  }
  std::string operator()(const LeaseSuspended& /*e*/) const { return "suspended, memory kept"; }
  std::string operator()(const LeaseResumed& /*e*/) const { return "goes on after a suspension"; }
  std::string operator()(const LeaseOverdue& /*e*/) const { return "its grace is over"; }
  std::string operator()(const TokenIssued& e) const {
    const Token& token = *e.token;
    return "token " + token.id + " of " + token.name + " issued: " + token.role +
           (token.queue.empty() ? "" : " of " + token.queue);
  }
  std::string operator()(const TokenRevoked& e) const { return "token " + e.id + " revoked"; }
  template <typename T>
    requires kIsInternal<T>
  std::string operator()(const T& /*e*/) const {
    return {};
  }
};

template <typename T>
JobId job_of(const T& e) {
  if constexpr (requires { e.job; }) return e.job;
  if constexpr (std::is_same_v<T, ReceiptIssued>) return e.receipt->beneficiary;
  if constexpr (std::is_same_v<T, JobReserved>) return e.reservation->job;
  return JobId::none();
}
template <typename T>
LeaseId lease_of(const T& e) {
  if constexpr (requires { e.lease; }) return e.lease;
  return LeaseId::none();
}
template <typename T>
NodeIndex node_of(const T& e) {
  if constexpr (requires { e.node; }) return e.node;
  if constexpr (requires { e.placement.node; }) return e.placement.node;
  if constexpr (requires { e.change->node; }) return e.change->node;
  return NodeIndex::none();
}

}  // namespace

std::optional<EventTeller> EventTeller::begin(const Event& event, const ClusterState& before) {
  EventTeller teller;
  const bool is_told = std::visit(
      [&]<typename T>(const T& body) {
        teller.job_ = job_of(body);
        teller.lease_ = lease_of(body);
        teller.node_ = node_of(body);
        if constexpr (std::is_same_v<T, ReceiptEnded>) {
          const auto& receipts = before.ledger().receipts;
          const auto found = receipts.find(body.receipt);
          if (found != receipts.end()) teller.job_ = found->second.reclaim->beneficiary;
        }
        return !kIsInternal<T>;
      },
      event.body);
  if (!is_told) return std::nullopt;
  teller.resolve(before);
  return teller;
}

EventView EventTeller::finish(const Event& event, const ClusterState& after) {
  resolve(after);
  view_.revision = static_cast<std::int64_t>(after.revision());
  view_.at = event.at;
  view_.type = event_name(event.body);
  view_.message = std::visit(Sentence{after}, event.body);
  if (const auto* held = std::get_if<JobHeld>(&event.body)) view_.reasons = held->reasons;
  return std::move(view_);
}

void EventTeller::resolve(const ClusterState& state) {
  if (const Lease* lease = lease_.is_none() ? nullptr : state.find_lease(lease_)) {
    if (job_.is_none()) job_ = lease->job;
    if (node_.is_none()) node_ = lease->placement.node;
  }
  if (view_.job.empty() && !job_.is_none()) {
    if (const engine::JobRecord* job = state.find_job(job_)) {
      view_.job = job->name;
      view_.queue = state.spec_of(*job).spec->queue;
    }
  }
  if (view_.node.empty() && !node_.is_none() && node_.value() < state.nodes().size()) {
    view_.node = state.node(node_).spec->name;
  }
}

std::string waits_message(const Rejection& reason) { return "waits: " + reason.to_text(); }

std::string actor_of(const EventBatch& batch) {
  const auto* noted = batch.empty() ? nullptr : std::get_if<ActorNoted>(&batch.back().body);
  return noted == nullptr ? std::string() : noted->actor;
}

void EventLog::add(EventView event) {
  events_.push_back(std::move(event));
  if (events_.size() <= kKept) return;
  from_ = static_cast<std::uint64_t>(events_.front().revision);
  events_.pop_front();
}

std::deque<EventView>::const_iterator EventLog::after(std::uint64_t revision) const {
  return std::upper_bound(events_.begin(), events_.end(), revision,
                          [](std::uint64_t wanted, const EventView& event) {
                            return wanted < static_cast<std::uint64_t>(event.revision);
                          });
}

}  // namespace berth::server
