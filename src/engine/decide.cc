#include "engine/decide.h"

#include <algorithm>

#include "engine/decide_checks.h"
#include "engine/decide_lease.h"
#include "engine/decide_quotas.h"
#include "engine/decide_regeometry.h"
#include "engine/decide_tokens.h"
#include "engine/decide_trials.h"
#include "engine/placement/placer.h"
#include "engine/quota/job_quota.h"

namespace berth::engine {
namespace {

tl::unexpected<Error> no_such_role(const JobSpec& spec, const std::string& name) {
  std::string accepted;
  for (const Role& role : spec.roles) {
    accepted += (accepted.empty() ? "'" : ", '") + role.name + "'";
  }
  return invalid((name.empty() ? "is missing; " : "is '" + name + "'; ") + accepted +
                     (spec.roles.size() == 1 ? " is accepted" : " are accepted"),
                 "role");
}

// Answers declarations and requests of users; reports of executors are in decide_lease.cc.
class Decider {
 public:
  Decider(const ClusterState& state, TimeMs now) : state_(state), now_(now) {}

  Result<EventBatch> operator()(const DeclareModel& c) const {
    if (auto s = validate(c.model); !s) return tl::unexpected(s.error());
    if (auto s = unused_model(c.model); !s) return tl::unexpected(s.error());
    if (c.model.has_mig()) {
      if (auto grid = MigGeometry::create(c.model); !grid) return tl::unexpected(grid.error());
    }
    return one(ModelDeclared{std::make_shared<const GpuModel>(c.model)});
  }

  Result<EventBatch> operator()(const DeclareTopology& c) const {
    if (auto s = validate(c.topology); !s) return tl::unexpected(s.error());
    if (auto s = check_topology(state_, c.topology); !s) return tl::unexpected(s.error());
    return one(TopologyDeclared{std::make_shared<const TopologySpec>(c.topology)});
  }

  Result<EventBatch> operator()(const DeclarePartition& c) const {
    if (auto s = validate(c.partition); !s) return tl::unexpected(s.error());
    return one(PartitionDeclared{std::make_shared<const PartitionSpec>(c.partition)});
  }

  Result<EventBatch> operator()(const DeclareQueue& c) const {
    if (auto s = validate(c.queue); !s) return tl::unexpected(s.error());
    if (!c.queue.parent.empty() && state_.find_queue(c.queue.parent).is_none()) {
      return unknown_name("queue", c.queue.parent, state_.queue_names(), "parent");
    }
    if (auto s = same_family(c.queue); !s) return tl::unexpected(s.error());
    if (auto s = check_quotas(state_, c.queue); !s) return tl::unexpected(s.error());
    return one(QueueDeclared{std::make_shared<const QueueSpec>(c.queue)});
  }

  Result<EventBatch> operator()(const SetPolicy& c) const {
    if (auto s = validate(c.policy); !s) return tl::unexpected(s.error());
    const std::vector<std::string> known = score_names();
    for (std::size_t i = 0; i < c.policy.scores.size(); ++i) {
      const std::string& score = c.policy.scores[i].score;
      if (std::find(known.begin(), known.end(), score) == known.end()) {
        return unknown_name("score", score, known, "scores[" + std::to_string(i) + "].score");
      }
    }
    auto policy = std::make_shared<const PolicySpec>(c.policy);
    if (c.pool.empty()) return one(PolicySet{std::move(policy), false, {}});
    const auto pool = pool_of(state_, c.pool);
    if (!pool) return tl::unexpected(pool.error());
    if (auto s = check_trial(state_, *policy); !s) return tl::unexpected(s.error());
    return one(PolicySet{std::move(policy), true, *pool});
  }

  Result<EventBatch> operator()(const RestorePolicy& c) const {
    const Policies& policies = state_.policies();
    if (c.pool.empty()) {
      if (policies.before() != nullptr) return one(PolicySet{policies.before(), false, {}});
      return fail(ErrorCode::kConflict,
                  "there is no policy before '" + policies.everywhere()->name + "' to go back to");
    }
    const auto pool = pool_of(state_, c.pool);
    if (!pool) return tl::unexpected(pool.error());
    if (policies.trials().contains(*pool)) return one(TrialEnded{*pool});
    return fail(ErrorCode::kConflict, "no policy is on trial in pool '" + c.pool + "'", "pool");
  }

  Result<EventBatch> operator()(const JoinNode& c) const {
    if (!state_.find_node(c.node.name).is_none()) {
      return fail(ErrorCode::kConflict, "node '" + c.node.name + "' has already joined", "name");
    }
    if (auto s = state_.check_node(c.node); !s) return tl::unexpected(s.error());
    const NodeIndex node(static_cast<std::uint32_t>(state_.nodes().size()));
    return one(NodeJoined{node, std::make_shared<const NodeSpec>(c.node)});
  }

  Result<EventBatch> operator()(const SetNodeCondition& c) const {
    auto node = find_node(c.node);
    if (!node) return tl::unexpected(node.error());
    const NodeRecord& record = state_.node(*node);
    if (record.condition == c.condition) return EventBatch{};
    if (record.condition == NodeCondition::kLost && !is_gone(c.condition)) {
      if (record.otherwise == c.condition) return EventBatch{};
      return one(NodeConditionWanted{*node, c.condition});
    }
    if (c.condition == NodeCondition::kRemoved && holds_leases(*node)) {
      return fail(ErrorCode::kConflict, "node '" + c.node + "' holds leases; drain it first",
                  "condition");
    }
    return one(NodeConditionChanged{*node, c.condition});
  }

  Result<EventBatch> operator()(const ReportNodeBack& c) const {
    auto node = find_node(c.node);
    if (!node) return tl::unexpected(node.error());
    const NodeRecord& record = state_.node(*node);
    if (record.condition != NodeCondition::kLost) return EventBatch{};
    return one(NodeConditionChanged{*node, record.otherwise});
  }

  Result<EventBatch> operator()(const SetCardHealth& c) const {
    auto node = find_node(c.node);
    if (!node) return tl::unexpected(node.error());
    const std::size_t cards = state_.node(*node).cards.size();
    if (c.card >= cards) {
      return fail(ErrorCode::kNotFound,
                  "is " + std::to_string(c.card) + "; node '" + c.node + "' has " +
                      std::to_string(cards) + " cards, counted from 0",
                  "card");
    }
    if (state_.node(*node).cards[c.card].health == c.health) return EventBatch{};
    return one(CardHealthChanged{*node, c.card, c.health});
  }

  Result<EventBatch> operator()(const SubmitJob& c) const {
    if (auto s = validate_name(c.name, "name"); !s) return tl::unexpected(s.error());
    if (c.spec == nullptr) return invalid("a job needs a spec", "spec");
    if (!state_.knows(c.spec)) {  // the same object was checked when it was first submitted
      if (auto s = check_spec(state_, *c.spec); !s) return tl::unexpected(s.error());
    }
    if (state_.find_job(c.name) != nullptr) {
      return fail(ErrorCode::kConflict, "job '" + c.name + "' exists and has not ended", "name");
    }
    return one(JobSubmitted{state_.next_job(), c.name, c.spec});
  }

  Result<EventBatch> operator()(const CancelJob& c) const {
    auto job = find_job(c.name);
    if (!job) return tl::unexpected(job.error());
    return decide_cancel(state_, **job, now_);
  }
  Result<EventBatch> operator()(const HoldJob& c) const { return user_hold(c.name, true); }
  Result<EventBatch> operator()(const UnholdJob& c) const { return user_hold(c.name, false); }

  Result<EventBatch> operator()(const ResizeJob& c) const {
    auto found = find_job(c.name);
    if (!found) return tl::unexpected(found.error());
    const JobRecord& job = **found;
    const bool runs = job.phase == JobPhase::kRunning || job.phase == JobPhase::kRepairing;
    if (!runs && job.phase != JobPhase::kPending) {
      return fail(ErrorCode::kConflict,
                  "job '" + c.name + "' is " + std::string(word(job.phase)) +
                      "; only a job that is pending or running can be resized",
                  "name");
    }
    auto spec = std::make_shared<JobSpec>(*state_.spec_of(job).spec);
    const bool is_only = c.role.empty() && spec->roles.size() == 1;
    const auto role = std::find_if(spec->roles.begin(), spec->roles.end(),
                                   [&](const Role& r) { return is_only || r.name == c.role; });
    if (role == spec->roles.end()) return no_such_role(*spec, c.role);
    const std::uint32_t before = role->count;
    role->count = c.count;
    // a job that runs is whole with what it has until it has grown
    if (runs && role->min == 0 && c.count > before) role->min = before;
    if (role->min > role->count) role->min = 0;
    if (auto s = validate(*spec); !s) return tl::unexpected(s.error());
    const auto index = static_cast<std::uint16_t>(role - spec->roles.begin());
    if (auto s = may_grow(job, index, before, c); !s) return tl::unexpected(s.error());
    EventBatch events = without_promises(job);
    events.push_back({now_, JobResized{job.id, std::move(spec)}});
    if (!runs) return events;
    for (Event& event : decide_shrink(state_, job, index, c.count, now_)) {
      events.push_back(std::move(event));
    }
    return events;
  }

  Result<EventBatch> operator()(const ReportPrepared& c) const {
    return decide_report(state_, c, now_);
  }
  Result<EventBatch> operator()(const ReportPrepareFailed& c) const {
    return decide_report(state_, c, now_);
  }
  Result<EventBatch> operator()(const ReportEnded& c) const {
    return decide_report(state_, c, now_);
  }
  Result<EventBatch> operator()(const ReportReleased& c) const {
    return decide_report(state_, c, now_);
  }

  Result<EventBatch> operator()(const ReportSuspended& c) const {
    return decide_report(state_, c, now_);
  }
  Result<EventBatch> operator()(const ChangeLayout& c) const {
    return decide_layout(state_, c, now_);
  }
  Result<EventBatch> operator()(const CancelLayoutChange& c) const {
    return decide_layout(state_, c, now_);
  }
  Result<EventBatch> operator()(const ReportLayout& c) const {
    return decide_layout(state_, c, now_);
  }
  Result<EventBatch> operator()(const ReportCheckpoint& c) const {
    return decide_report(state_, c, now_);
  }
  Result<EventBatch> operator()(const ReportActivity& c) const {
    return decide_report(state_, c, now_);
  }

  Result<EventBatch> operator()(const ObserveRunTimes& c) const {
    if (auto s = validate_name(c.kind, "kind"); !s) return tl::unexpected(s.error());
    if (c.times.median_ms < 0 || c.times.p90_ms < c.times.median_ms) {
      return invalid("is " + std::to_string(c.times.p90_ms) + " ms; at least the median, " +
                         std::to_string(c.times.median_ms) + " ms, is accepted",
                     "times.p90_ms");
    }
    const auto& known = state_.ledger().run_times;
    if (known.size() >= kKindsLearned && !known.contains(c.kind)) {
      return fail(ErrorCode::kLimitExceeded,
                  "run times of " + std::to_string(kKindsLearned) + " kinds are known already",
                  "kind");
    }
    return one(RunTimesObserved{c.kind, c.times});
  }

  // Nothing new starts on a node that will be taken away, and what runs there leaves it in time.
  Result<EventBatch> operator()(const NoticeInterruption& c) const {
    auto node = find_node(c.node);
    if (!node) return tl::unexpected(node.error());
    if (c.deadline < now_) return invalid("is in the past", "deadline");
    EventBatch events = one(InterruptionNoticed{*node, c.deadline});
    if (state_.node(*node).condition == NodeCondition::kReady) {
      events.push_back({now_, NodeConditionChanged{*node, NodeCondition::kCordoned}});
    }
    decide_notice(state_, *node, c.deadline, now_, events);
    return events;
  }

  Result<EventBatch> operator()(const BeginTerm& c) const {
    if (c.term <= state_.term()) {
      return fail(ErrorCode::kConflict,
                  "is " + std::to_string(c.term) + "; the term is " +
                      std::to_string(state_.term()) + " and only grows",
                  "term");
    }
    return one(TermBegan{c.term});
  }

  Result<EventBatch> operator()(const ObserveFit& c) const {
    if (c.fit == nullptr) return invalid("a fit is needed", "fit");
    if (auto s = validate(*c.fit); !s) return tl::unexpected(s.error());
    if (auto s = check_mix(state_, c.fit->mix); !s) return tl::unexpected(s.error());
    return one(FitObserved{c.fit});
  }
  Result<EventBatch> operator()(const Tick& /*c*/) const { return decide_tick(state_, now_); }
  Result<EventBatch> operator()(const IssueToken& c) const { return decide_token(state_, c, now_); }
  Result<EventBatch> operator()(const RevokeToken& c) const {
    return decide_token(state_, c, now_);
  }

 private:
  template <typename Body>
  EventBatch one(Body body) const {
    EventBatch batch;
    batch.push_back({now_, std::move(body)});
    return batch;
  }

  // A queue that is declared again may change all but what its charges and jobs were placed by.
  Status same_family(const QueueSpec& queue) const {
    const QueueIndex known = state_.find_queue(queue.name);
    if (known.is_none()) return {};
    const QueueSpec& before = *state_.queues()[known.value()].spec;
    const auto shown = [](const std::string& name) {
      return name.empty() ? "none" : "'" + name + "'";
    };
    const auto stays = [&](const std::string& was, const std::string& is, const char* field) {
      if (was == is) return Status{};
      return Status(fail(ErrorCode::kConflict,
                         "is " + shown(is) + "; queue '" + queue.name + "' was declared with " +
                             shown(was) + " and keeps it",
                         field));
    };
    if (auto s = stays(before.parent, queue.parent, "parent"); !s) return s;
    return stays(before.trust_domain, queue.trust_domain, "trust_domain");
  }

  // More tasks are a new demand on the quota, whether there is room for them now or not.
  Status may_grow(const JobRecord& job, std::uint16_t role, std::uint32_t before,
                  const ResizeJob& wanted) const {
    if (wanted.count <= before || job.phase == JobPhase::kPending) return {};
    const SpecRecord& spec = state_.spec_of(job);
    TaskCounts more(spec.shapes.size(), 0);
    more[role] = wanted.count - before;
    AskFlavours flavours;
    const JobAdmission admission = admit_job(state_, flavours, spec, more, now_);
    if (!admission.refusal) return {};
    return fail(
        ErrorCode::kConflict,
        std::to_string(wanted.count) + " tasks are refused: " + admission.refusal->to_text(),
        "count");
  }

  Status unused_model(const GpuModel& model) const {
    std::vector<std::string> names = model.aliases;
    names.push_back(model.name);
    for (const std::string& name : names) {
      if (!state_.find_model(name).is_none()) {
        return fail(ErrorCode::kConflict, "GPU model '" + name + "' is already declared", "name");
      }
    }
    return {};
  }

  Result<NodeIndex> find_node(const std::string& name) const {
    const NodeIndex node = state_.find_node(name);
    if (!node.is_none()) return node;
    std::vector<std::string> names;
    for (const NodeIndex n : state_.nodes_by_name()) names.push_back(state_.node(n).spec->name);
    return unknown_name("node", name, names, "node");
  }

  bool holds_leases(NodeIndex node) const {
    for (const LeaseId id : state_.leases().sorted_ids()) {
      if (state_.find_lease(id)->placement.node == node) return true;
    }
    return false;
  }

  Result<const JobRecord*> find_job(const std::string& name) const {
    const JobRecord* job = state_.find_job(name);
    if (job != nullptr) return job;
    return fail(ErrorCode::kNotFound, "'" + name + "' is not a job that waits or runs", "name");
  }

  Result<EventBatch> user_hold(const std::string& name, bool held) const {
    auto job = find_job(name);
    if (!job) return tl::unexpected(job.error());
    if ((*job)->user_held == held) return EventBatch{};
    EventBatch events = without_promises(**job);
    events.push_back({now_, JobUserHold{(*job)->id, held}});
    return events;
  }

  // What a job was promised is as it was when it asked.
  EventBatch without_promises(const JobRecord& job) const {
    EventBatch events;
    withdraw_receipt(job, now_, events);
    return events;
  }

  const ClusterState& state_;
  TimeMs now_;
};

}  // namespace

Result<EventBatch> decide(const ClusterState& state, const Command& command, TimeMs now) {
  if (now < state.now()) {
    return fail(ErrorCode::kConflict, "the clock ran backwards: " + std::to_string(now) +
                                          " ms after " + std::to_string(state.now()) + " ms");
  }
  if (!command.request_id.empty() && state.seen_request(command.request_id) != nullptr) {
    return EventBatch{};
  }
  auto events = std::visit(Decider(state, now), command.body);
  if (events) follow_layout_changes(state, now, *events);
  if (!events || events->empty()) return events;
  if (!command.request_id.empty()) {
    JobId job;
    if (const auto* submitted = std::get_if<JobSubmitted>(&events->front().body)) {
      job = submitted->job;
    }
    events->push_back({now, RequestSeen{command.request_id, job}});
  }
  if (!command.actor.empty()) {
    events->push_back({now, ActorNoted{command.actor, std::string(command_name(command.body))}});
  }
  return events;
}

}  // namespace berth::engine
