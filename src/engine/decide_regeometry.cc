#include "engine/decide_regeometry.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "engine/decide_checks.h"
#include "engine/decide_lease.h"
#include "engine/reclaim/loss.h"
#include "engine/reclaim/reclaim_rights.h"
#include "engine/sharing/regeometry.h"
#include "model/quantity_text.h"

namespace berth::engine {
namespace {

using ChangePtr = std::shared_ptr<const Regeometry>;

constexpr std::size_t kCauseBytes = 256;  // what is kept of what a node says

std::string card_text(const ClusterState& state, NodeIndex node, std::uint16_t card) {
  return state.node(node).spec->name + ":" + std::to_string(card);
}

// Instances of the old layout that the new one has no more.
MigOccupancy going_of(const Regeometry& change) {
  return layout_mask(change.before) & ~layout_mask(change.placements);
}

// What the lease holds of the card.
MigOccupancy held_on(const Lease& lease, NodeIndex node, std::uint16_t card) {
  MigOccupancy held = 0;
  if (lease.placement.node != node || !lease.holds_cards()) return held;
  for (const CardGrant& grant : lease.placement.grants) {
    if (grant.card != card || grant.mode != CardMode::kMig) continue;
    held |= MigGeometry::bit(MigPlacementIndex(grant.placement));
  }
  return held;
}

// The lease that the event takes off its cards; none: it takes none.
LeaseId freed_by(const Event& event) {
  if (const auto* released = std::get_if<LeaseReleased>(&event.body)) return released->lease;
  if (const auto* moved = std::get_if<LeaseMoved>(&event.body)) return moved->lease;
  if (const auto* suspended = std::get_if<LeaseSuspended>(&event.body)) return suspended->lease;
  return LeaseId::none();
}

// Instances that are to go and still in use, once the events have happened.
MigOccupancy in_use(const ClusterState& state, const Regeometry& change, const EventBatch& events) {
  MigOccupancy busy = state.node(change.node).cards[change.card].mig & going_of(change);
  for (const Event& event : events) {
    const LeaseId id = freed_by(event);
    const Lease* lease = id.is_none() ? nullptr : state.find_lease(id);
    if (lease != nullptr) busy &= ~held_on(*lease, change.node, change.card);
  }
  return busy;
}

std::uint64_t next_ask(const ClusterState& state, const EventBatch& events) {
  std::uint64_t next = state.ledger().next_layout_ask;
  for (const Event& event : events) {
    const auto* advanced = std::get_if<RegeometryAdvanced>(&event.body);
    if (advanced != nullptr) next = std::max(next, advanced->ask + 1);
  }
  return next;
}

// One change with the events that it adds to.
class Advance {
 public:
  Advance(const ClusterState& state, ChangePtr change, TimeMs now, EventBatch& events)
      : state_(state),
        policy_(state.policy().regeometry),
        change_(std::move(change)),
        now_(now),
        events_(events) {}

  void begin() {
    RegeometryAdvanced planned;
    add(planned, RegeometryStage::kPlanned, kNever);
    drain();
  }

  // The node is asked once nothing that goes is in use.
  void drain() {
    if (in_use(state_, *change_, events_) == 0) return switch_over();
    add({}, RegeometryStage::kDraining, saturating_add(now_, policy_.drain_ms));
    ask_again();
  }

  // Who could not be asked before: he has only started since, or has run his least time now.
  void ask_again() {
    if (policy_.drain == DrainBy::kEvicting) ask_to_leave();
  }

  void switch_over() { ask(RegeometryStage::kSwitching, {}, std::nullopt); }

  using Found = std::optional<std::vector<std::uint8_t>>;
  void restore(std::string cause, Found found) {
    ask(RegeometryStage::kRestoring, std::move(cause), std::move(found));
  }

  // The node could not restore the layout either: it is asked again when its time is over.
  void wait_on(const RegeometryState& stands, std::string cause, Found found) {
    RegeometryAdvanced event;
    event.cause = std::move(cause);
    note(std::move(found), event);
    add(std::move(event), RegeometryStage::kRestoring, stands.deadline);
  }

  void end(RegeometryStage stage, std::string cause) {
    RegeometryAdvanced event;
    event.cause = std::move(cause);
    add(std::move(event), stage, saturating_add(now_, policy_.dwell_ms));
  }

 private:
  static void note(Found found, RegeometryAdvanced& event) {
    event.was_read = found.has_value();
    if (found) event.found = std::move(*found);
  }

  void add(RegeometryAdvanced event, RegeometryStage stage, TimeMs deadline) {
    event.stage = stage;
    event.deadline = deadline;
    event.change = change_;
    event.cause.resize(std::min(event.cause.size(), kCauseBytes));
    events_.push_back({now_, std::move(event)});
  }

  void ask(RegeometryStage stage, std::string cause, Found found) {
    RegeometryAdvanced event;
    event.ask = next_ask(state_, events_);
    event.cause = std::move(cause);
    note(std::move(found), event);
    add(std::move(event), stage, saturating_add(now_, policy_.switch_ms));
  }

  void ask_to_leave() {
    std::set<JobId> asked = revoked_jobs();
    for (const LeaseId id : state_.node(change_->node).leases) {
      const Lease& lease = *state_.find_lease(id);
      if ((held_on(lease, change_->node, change_->card) & going_of(*change_)) == 0) continue;
      const JobRecord& job = *state_.find_job(lease.job);
      if (asked.contains(job.id) || !may_ask(job)) continue;
      asked.insert(job.id);
      ++asked_;
      revoke_all(state_, job, EndReason::kDrained, now_, events_);
    }
  }

  // Whom the batch takes back already.
  std::set<JobId> revoked_jobs() const {
    std::set<JobId> jobs;
    for (const Event& event : events_) {
      const auto* revoking = std::get_if<LeaseRevoking>(&event.body);
      if (revoking != nullptr) jobs.insert(state_.find_lease(revoking->lease)->job);
    }
    return jobs;
  }

  // What spares a job from reclaims spares it here.
  bool may_ask(const JobRecord& job) const {
    const PolicySpec& policy = state_.policy();
    const bool runs = job.phase == JobPhase::kRunning || job.phase == JobPhase::kRepairing;
    if (!runs || state_.spec_of(job).spec->is_protected) return false;
    if (now_ < exempt_until(state_, job)) return false;
    const auto below = [](std::uint32_t count, std::uint32_t most) {
      return most == 0 || count < most;
    };
    return policy.may_use(loss_of(state_, job, now_).grade) &&
           below(count_since(state_.ledger().evictions, now_ - kHourMs) + asked_,
                 policy.evictions_per_hour);
  }

  const ClusterState& state_;
  const RegeometryPolicy& policy_;
  ChangePtr change_;
  TimeMs now_;
  EventBatch& events_;
  std::uint32_t asked_ = 0;
};

// What the events of one decision say of a card and its node.
struct News {
  bool node_lost = false;
  bool node_back = false;
  bool gone = false;
  bool card_failed = false;
  bool card_well = false;
  bool noticed = false;
  bool tick = false;
  bool decided = false;  // they advance the change themselves
};

bool is_well(CardHealth health) {
  return health == CardHealth::kHealthy || health == CardHealth::kSuspect;
}

News news_of(const ClusterState& state, const Regeometry& change, const EventBatch& events) {
  News news;
  for (const Event& event : events) {
    if (std::holds_alternative<TimePassed>(event.body)) news.tick = true;
    if (const auto* node = std::get_if<NodeConditionChanged>(&event.body)) {
      if (node->node != change.node) continue;
      const bool was_lost = state.node(change.node).condition == NodeCondition::kLost;
      news.gone = node->condition == NodeCondition::kRemoved;
      news.node_lost = node->condition == NodeCondition::kLost;
      news.node_back = was_lost && !news.gone && !news.node_lost;
    } else if (const auto* card = std::get_if<CardHealthChanged>(&event.body)) {
      if (card->node != change.node || card->card != change.card) continue;
      const bool was_well = state.node(change.node).cards[change.card].is_healthy();
      news.card_failed = !is_well(card->health);
      news.card_well = !was_well && is_well(card->health);
    } else if (const auto* notice = std::get_if<InterruptionNoticed>(&event.body)) {
      news.noticed = news.noticed || notice->node == change.node;
    } else if (const auto* step = std::get_if<RegeometryAdvanced>(&event.body)) {
      const bool same = step->change->node == change.node && step->change->card == change.card;
      news.decided = news.decided || same;
    }
  }
  return news;
}

bool can_be_asked(const ClusterState& state, const Regeometry& change) {
  const NodeRecord& node = state.node(change.node);
  return node.condition != NodeCondition::kLost && node.cards[change.card].is_healthy();
}

std::string many_instances(int count) {
  return std::to_string(count) + (count == 1 ? " instance" : " instances");
}

// Nothing has been touched yet.
void follow_drain(const ClusterState& state, const RegeometryState& stands, const News& news,
                  TimeMs now, EventBatch& events) {
  Advance advance(state, stands.change, now, events);
  const auto give_up = [&](std::string cause) {
    advance.end(RegeometryStage::kRolledBack, std::move(cause));
  };
  if (news.node_lost) return give_up("the node was lost");
  if (news.card_failed) return give_up("the card failed");
  if (news.noticed) return give_up("the node will be taken away");
  if (!can_be_asked(state, *stands.change)) return;
  const int busy = std::popcount(in_use(state, *stands.change, events));
  if (busy == 0) return advance.switch_over();
  if (!news.tick) return;
  if (stands.stage == RegeometryStage::kPlanned) return advance.drain();
  if (now < stands.deadline) return advance.ask_again();
  give_up(many_instances(busy) + " did not come free in " +
          ahead_text(state.policy().regeometry.drain_ms));
}

// The node may have done anything by now.
void follow_ask(const ClusterState& state, const RegeometryState& stands, const News& news,
                TimeMs now, EventBatch& events) {
  Advance advance(state, stands.change, now, events);
  if (news.node_back) return advance.restore("the node was lost meanwhile", std::nullopt);
  if (news.card_well) return advance.restore("the card failed meanwhile", std::nullopt);
  if (!news.tick || now < stands.deadline || !can_be_asked(state, *stands.change)) return;
  const bool silent = stands.ask > 0;
  std::string cause = stands.cause;
  if (silent && cause.empty()) {
    cause = "no answer within " + ahead_text(state.policy().regeometry.switch_ms);
  }
  advance.restore(std::move(cause), stands.was_read ? std::optional(stands.found) : std::nullopt);
}

Result<NodeIndex> find_card(const ClusterState& state, const std::string& name,
                            std::uint16_t card) {
  const NodeIndex node = state.find_node(name);
  if (node.is_none()) {
    std::vector<std::string> names;
    for (const NodeIndex n : state.nodes_by_name()) names.push_back(state.node(n).spec->name);
    return unknown_name("node", name, names, "node");
  }
  const std::size_t cards = state.node(node).cards.size();
  if (card < cards) return node;
  return fail(ErrorCode::kNotFound,
              "is " + std::to_string(card) + "; node '" + name + "' has " + std::to_string(cards) +
                  " cards, counted from 0",
              "card");
}

// Who holds one of the instances; empty: nobody.
std::string holder_of(const ClusterState& state, const Regeometry& change, MigOccupancy instances) {
  for (const LeaseId id : state.node(change.node).leases) {
    const Lease& lease = *state.find_lease(id);
    if ((held_on(lease, change.node, change.card) & instances) == 0) continue;
    return state.find_job(lease.job)->name;
  }
  return {};
}

// What was found instead of what was asked for.
std::string shortfall(const RegeometryState& stands, MigOccupancy asked, MigOccupancy found,
                      const std::string& error) {
  if (!error.empty()) return error;
  if (!stands.cause.empty() && stands.stage == RegeometryStage::kRestoring) return stands.cause;
  return "planned " + many_instances(std::popcount(asked)) + ", found " +
         std::to_string(std::popcount(found & asked)) + " of them";
}

}  // namespace

Status may_change_layout(const ClusterState& state, const Regeometry& change) {
  const NodeRecord& node = state.node(change.node);
  const CardState& card = node.cards[change.card];
  const CardKind& kind = state.card_kind(card.kind);
  const std::string name = card_text(state, change.node, change.card);
  const auto refuse = [&](const std::string& why, const char* field) {
    return Status(fail(ErrorCode::kConflict, name + " " + why, field));
  };
  if (kind.regime != MigRegime::kStatic) {
    return refuse("has no static MIG layout; a card of the static regime is accepted", "card");
  }
  const RegeometryState* under_way = state.regeometry_of(change.node, change.card);
  if (under_way != nullptr) {
    return refuse("is changing its layout already (" + std::string(word(under_way->stage)) + ")",
                  "card");
  }
  if (node.condition == NodeCondition::kLost) return refuse("is on a node that is lost", "node");
  if (state.ledger().interruptions.contains(change.node)) {
    return refuse("is on a node that will be taken away", "node");
  }
  if (!card.is_healthy()) return refuse("is " + std::string(word(card.health)), "card");
  if (card.promises > 0) return refuse("is promised to a job that takes room back", "card");
  if (kind.layout != layout_mask(change.before)) return refuse("has another layout", "layout");
  if (state.card_kind_count() + 2 > kCardKindsLimit) {
    return Status(fail(ErrorCode::kLimitExceeded,
                       "the fleet has cards of " + std::to_string(state.card_kind_count()) +
                           " kinds and layouts already",
                       "layout"));
  }
  return {};
}

void begin_layout_change(const ClusterState& state, const Regeometry& change, TimeMs now,
                         EventBatch& events) {
  Advance(state, std::make_shared<const Regeometry>(change), now, events).begin();
}

void follow_layout_changes(const ClusterState& state, TimeMs now, EventBatch& events) {
  for (const auto& [card, stands] : state.ledger().regeometries) {
    const News news = news_of(state, *stands.change, events);
    if (news.decided || news.gone) continue;
    if (stands.is_asked()) {
      follow_ask(state, stands, news, now, events);
    } else {
      follow_drain(state, stands, news, now, events);
    }
  }
}

bool is_to_go(const ClusterState& state, const Lease& lease) {
  if (state.ledger().regeometries.empty()) return false;
  const auto& grants = lease.placement.grants;
  return std::any_of(grants.begin(), grants.end(), [&](const CardGrant& grant) {
    const RegeometryState* change = state.regeometry_of(lease.placement.node, grant.card);
    return change != nullptr && grant.mode == CardMode::kMig &&
           (going_of(*change->change) & MigGeometry::bit(MigPlacementIndex(grant.placement))) != 0;
  });
}

Result<EventBatch> decide_layout(const ClusterState& state, const ChangeLayout& wish, TimeMs now) {
  const auto node = find_card(state, wish.node, wish.card);
  if (!node) return tl::unexpected(node.error());
  Regeometry change{*node, wish.card, {}, {}};
  const CardKind& kind = state.card_kind(state.node(*node).cards[wish.card].kind);
  if (kind.regime == MigRegime::kStatic) {
    const auto layout = state.read_layout(*node, wish.layout, "layout");
    if (!layout) return tl::unexpected(layout.error());
    change.placements = layout_placements(*layout);
    change.before = layout_placements(state.layout_of(*node, wish.card));
  }
  if (auto s = may_change_layout(state, change); !s) return tl::unexpected(s.error());
  EventBatch events;
  if (change.placements != change.before) begin_layout_change(state, change, now, events);
  return events;
}

Result<EventBatch> decide_layout(const ClusterState& state, const CancelLayoutChange& wish,
                                 TimeMs now) {
  const auto node = find_card(state, wish.node, wish.card);
  if (!node) return tl::unexpected(node.error());
  const RegeometryState* stands = state.regeometry_of(*node, wish.card);
  const std::string name = wish.node + ":" + std::to_string(wish.card);
  if (stands == nullptr) {
    return fail(ErrorCode::kConflict, name + " does not change its layout", "card");
  }
  if (stands->stage == RegeometryStage::kRestoring) {
    return fail(ErrorCode::kConflict, name + " is restoring the layout before already", "card");
  }
  EventBatch events;
  Advance advance(state, stands->change, now, events);
  if (stands->is_asked()) {
    advance.restore("cancelled", std::nullopt);
  } else {
    advance.end(RegeometryStage::kRolledBack, "cancelled");
  }
  return events;
}

Result<EventBatch> decide_layout(const ClusterState& state, const ReportLayout& report,
                                 TimeMs now) {
  const auto node = find_card(state, report.node, report.card);
  if (!node) return tl::unexpected(node.error());
  const RegeometryState* stands = state.regeometry_of(*node, report.card);
  const std::string name = report.node + ":" + std::to_string(report.card);
  if (stands == nullptr || stands->ask == 0 || stands->ask != report.ask) {
    const std::string waits = stands == nullptr || stands->ask == 0
                                  ? "waits for no answer"
                                  : "waits for that to ask " + std::to_string(stands->ask);
    return fail(ErrorCode::kConflict,
                "is " + std::to_string(report.ask) + "; card " + name + " " + waits, "ask");
  }
  const auto layout = state.read_layout(*node, report.layout, "layout");
  if (!layout) return tl::unexpected(layout.error());
  const Regeometry& change = *stands->change;
  const MigOccupancy missing = state.node(*node).cards[report.card].mig & ~*layout;
  if (missing != 0) {
    return fail(ErrorCode::kConflict,
                "lacks an instance that job '" + holder_of(state, change, missing) +
                    "' holds; the end of its task is reported first",
                "layout");
  }
  const MigOccupancy wanted = layout_mask(change.placements);
  const MigOccupancy before = layout_mask(change.before);
  const bool restores = stands->stage == RegeometryStage::kRestoring;
  EventBatch events;
  Advance advance(state, stands->change, now, events);
  std::string cause = shortfall(*stands, restores ? before : wanted, *layout, report.error);
  if (*layout == wanted) {
    advance.end(RegeometryStage::kVerified, {});
  } else if (*layout == before) {
    if (restores && !stands->cause.empty()) cause = stands->cause;
    advance.end(RegeometryStage::kRolledBack, std::move(cause));
  } else if (restores) {
    advance.wait_on(*stands, std::move(cause), layout_placements(*layout));
  } else {
    advance.restore(std::move(cause), layout_placements(*layout));
  }
  return events;
}

}  // namespace berth::engine
