#include "control/controller.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "control/job_waits.h"
#include "model/format.h"

namespace berth::control {

Controller::Controller(Ports ports, ControllerOptions options)
    : ports_(ports), options_(options), planners_(options.planners) {}

Controller::Controller(Ports ports, ControllerOptions options, const engine::ClusterState& from)
    : ports_(ports),
      options_(options),
      live_(engine::ClusterState(from)),
      planners_(options.planners) {
  BERTH_CHECK(options.plan_on == PlanOn::kLiveState);
  call_again();
}

Status Controller::recover() {
  if (auto s = load_snapshot(); !s) return s;
  const std::uint64_t known = live_.state().revision();
  Status replayed = ports_.journal.replay(known, [&](const EventBatch& events) -> Status {
    for (const Event& event : events) {
      live_.apply(event);
      ports_.learner.observe(event, live_.state());
      if (options_.plan_on == PlanOn::kReplica) planners_.tell(event);
    }
    loose_.follow(events);
    tell(live_.state().revision() - events.size(), {events});
    return {};
  });
  if (!replayed) return replayed;
  call_again();
  return loose_.submitted().is_none() ? Status{} : after_submit(loose_.submitted());
}

namespace {

struct Opened {
  LooseEnds loose;
  engine::ClusterState state;
};

Result<Opened> open_snapshot(const Snapshot& snapshot) {
  ByteReader in(snapshot.bytes);
  if (auto s = read_format(in, "the snapshot"); !s) return tl::unexpected(s.error());
  Opened opened{LooseEnds::load(in), {}};
  const std::string bytes = in.text();
  if (auto s = in.finish(); !s) return tl::unexpected(s.error());
  auto state = engine::ClusterState::load(bytes);
  if (!state) return tl::unexpected(state.error());
  if (state->revision() != snapshot.revision) {
    return fail(ErrorCode::kCorrupt,
                "the snapshot of revision " + std::to_string(snapshot.revision) +
                    " holds a state of revision " + std::to_string(state->revision()));
  }
  opened.state = std::move(*state);
  return opened;
}

}  // namespace

Result<engine::ClusterState> Controller::state_of(const Snapshot& snapshot) {
  auto opened = open_snapshot(snapshot);
  if (!opened) return tl::unexpected(opened.error());
  return std::move(opened->state);
}

Snapshot snapshot_of(const engine::ClusterState& state, const LooseEnds& loose) {
  ByteWriter out;
  out.varint(kFormat);
  loose.save(out);
  out.text(state.save());
  return {state.revision(), out.take(), state.now()};
}

Status Controller::load_snapshot() {
  if (ports_.snapshots == nullptr) return {};
  const auto newest = ports_.snapshots->newest();
  if (!newest) return tl::unexpected(newest.error());
  if (!*newest) return {};
  auto opened = open_snapshot(**newest);
  if (!opened) return tl::unexpected(opened.error());
  loose_ = std::move(opened->loose);
  live_ = engine::Engine(std::move(opened->state));
  if (options_.plan_on == PlanOn::kReplica) planners_.begin(live_.state());
  if (ports_.subscriber != nullptr) ports_.subscriber->begin(live_.state());
  return {};
}

void Controller::tell(std::uint64_t first_revision, std::vector<EventBatch> batches) {
  if (ports_.subscriber != nullptr) {
    ports_.subscriber->committed(first_revision, std::move(batches));
  }
}

Status Controller::save_snapshot() {
  if (failed_) return tl::unexpected(*failed_);
  BERTH_CHECK(ports_.snapshots != nullptr);
  return ports_.snapshots->save(snapshot_of(live_.state(), loose_));
}

void Controller::call_again() {
  const engine::ClusterState& state = live_.state();
  for (const LeaseId id : state.leases().sorted_ids()) {
    const Lease& lease = state.leases().at(id);
    const JobSpec& spec = *state.spec_of(*state.find_job(lease.job)).spec;
    if (lease.state == LeaseState::kGranted) ports_.executor.prepare(lease, spec);
    if (lease.state == LeaseState::kRunning) ports_.executor.start(lease, spec);
    if (lease.state == LeaseState::kRunning && loose_.was_resumed(id)) {
      ports_.executor.resume(lease, spec);
    }
    if (lease.state == LeaseState::kRunning && loose_.was_moved(id)) {
      ports_.executor.move(lease, spec);
    }
    if (lease.state == LeaseState::kRevoking) ports_.executor.revoke(lease, lease.grade);
  }
  for (const auto& [card, change] : state.ledger().regeometries) {
    if (change.is_asked() && change.ask > 0) ask_for_layout(change, ports_.executor);
  }
}

// The wanted layout, or the one before again.
void Controller::ask_for_layout(const engine::RegeometryState& change, Executor& executor) {
  const Regeometry& layouts = *change.change;
  const bool restores = change.stage == RegeometryStage::kRestoring;
  const auto named = [&](const std::vector<std::uint8_t>& placements) {
    return live_.state().instances_of(layouts.node, placements);
  };
  executor.change_layout({change.ask, layouts.node, layouts.card,
                          named(restores ? layouts.before : layouts.placements),
                          named(change.was_read ? change.found : layouts.before)});
}

TimeMs Controller::now() const { return std::max(ports_.clock.now(), live_.state().now()); }

// A request that is seen again is answered as the first was; never one that asks for something else
// under the same id. What a job that has ended was called the state does not know.
Result<Reply> Controller::answer_again(const Command& command, JobId made) const {
  const auto* submit = std::get_if<SubmitJob>(&command.body);
  if ((submit != nullptr) == made.is_none()) {
    return fail(ErrorCode::kConflict,
                std::string("the request id was used for ") +
                    (made.is_none() ? "a command that is no submit" : "a submit") +
                    ", and this is " + std::string(command_name(command.body)) +
                    "; it needs an id of its own");
  }
  const engine::JobRecord* job = live_.state().find_job(made);
  if (job != nullptr && job->name != submit->name) {
    return fail(ErrorCode::kConflict, "the request id was used for job '" + job->name + "'; job '" +
                                          submit->name + "' needs an id of its own");
  }
  return Reply{live_.state().revision(), made, true};
}

Result<Reply> Controller::execute(const Command& command) {
  if (failed_) return tl::unexpected(*failed_);  // a request that it has seen may be lost
  if (!command.request_id.empty()) {
    if (const JobId* job = live_.state().seen_request(command.request_id)) {
      return answer_again(command, *job);
    }
  }
  auto events = live_.decide(command, now());
  if (!events) return tl::unexpected(events.error());
  Reply reply;
  if (!events->empty()) {
    if (const auto* submitted = std::get_if<JobSubmitted>(&events->front().body)) {
      reply.job = submitted->job;
    }
  }
  if (auto s = commit_events(std::move(*events)); !s) return tl::unexpected(s.error());
  if (!reply.job.is_none()) {
    if (auto s = after_submit(reply.job); !s) return tl::unexpected(s.error());
  }
  reply.revision = live_.state().revision();
  return reply;
}

Result<std::vector<Result<Reply>>> Controller::execute_all(std::span<const Command> commands) {
  if (failed_) return tl::unexpected(*failed_);
  group_.emplace();
  group_->first_revision = live_.state().revision();
  std::vector<Result<Reply>> replies;
  replies.reserve(commands.size());
  for (const Command& command : commands) replies.push_back(execute(command));
  if (auto s = commit_group(); !s) return tl::unexpected(s.error());
  return replies;
}

// The arrival has changed the mix: learn and price when due, then try the fast path.
Status Controller::after_submit(JobId id) {
  const TimeMs at = now();
  if (live_.state().fit_due()) {
    EventBatch fit;
    fit.push_back({at, FitObserved{ports_.learner.learn(live_.state())}});
    if (auto s = commit_events(std::move(fit)); !s) return s;
  }
  if (auto s = commit_events(live_.upkeep(at)); !s) return s;
  if (options_.fast_path == FastPath::kOff) return {};
  if (options_.fast_path == FastPath::kInference) {
    const engine::JobRecord& job = *live_.state().find_job(id);
    if (live_.state().spec_of(job).spec->job_class != JobClass::kInference) return {};
  }
  return commit_events(live_.place_at_once(id, at));
}

Status Controller::tick() {
  if (failed_) return tl::unexpected(*failed_);
  auto events = live_.decide({Tick{}, {}, {}}, now());
  if (!events) return tl::unexpected(events.error());
  const bool only_time = std::all_of(events->begin(), events->end(), [](const Event& event) {
    return std::holds_alternative<TimePassed>(event.body);
  });
  return only_time ? Status{} : commit_events(std::move(*events));
}

Status Controller::observe_tenants() {
  const TimeMs at = now();
  StandingsPtr standings = ports_.learner.standings(live_.state(), at);
  if (standings == nullptr) return {};
  EventBatch events;
  events.push_back({at, StandingsObserved{std::move(standings)}});
  return commit_events(std::move(events));
}

TimeMs Controller::begin_plan() {
  if (options_.plan_on == PlanOn::kReplica) planners_.take_news();
  return now();
}

Plan Controller::run_plan(TimeMs at) {
  return options_.plan_on == PlanOn::kLiveState ? live_.plan(at) : planners_.plan(at);
}

Result<std::size_t> Controller::commit(const Plan& plan) {
  engine::Commitment commitment = live_.commit(plan, now());
  if (auto s = commit_events(std::move(commitment.events)); !s) return tl::unexpected(s.error());
  return commitment.lost;
}

Status Controller::run_cycle() {
  // A round commits what the one before lost to a race, and the reasons that its placements
  // changed.
  constexpr int kMostRounds = 4;
  if (auto s = observe_tenants(); !s) return s;
  for (int round = 0; round < kMostRounds; ++round) {
    const Plan decisions = plan();
    if (decisions.decisions.empty()) return {};
    const auto lost = commit(decisions);
    if (!lost) return tl::unexpected(lost.error());
  }
  return {};
}

namespace {

// Whatever kept the journal from taking it, a term that is over too: who asked is told to ask
// again, and another leader answers. That the state forbids it nobody has found.
Error not_committed(Error error) {
  if (error.code == ErrorCode::kConflict) error.code = ErrorCode::kUnavailable;
  return error;
}

}  // namespace

Status Controller::commit_events(EventBatch events) {
  if (events.empty()) return {};
  if (group_) {
    group_->batches.push_back(events);
    apply(std::move(events), group_->calls);
    return {};
  }
  if (failed_) return tl::unexpected(*failed_);
  const std::uint64_t first_revision = live_.state().revision();
  if (auto s = ports_.journal.append(first_revision, {&events, 1}); !s) {
    return tl::unexpected(not_committed(s.error()));
  }
  if (ports_.subscriber != nullptr) tell(first_revision, {events});
  apply(std::move(events), ports_.executor);
  return {};
}

Status Controller::commit_group() {
  CommitGroup group = std::move(*group_);
  group_.reset();
  if (group.batches.empty()) return {};
  if (auto s = ports_.journal.append(group.first_revision, group.batches); !s) {
    failed_ = not_committed(s.error());
    return tl::unexpected(*failed_);
  }
  group.calls.send(ports_.executor);
  tell(group.first_revision, std::move(group.batches));
  return {};
}

void Controller::apply(EventBatch events, Executor& executor) {
  for (const Event& event : events) {
    if (const auto wait = wait_that_ends(event, live_.state())) ports_.metrics.waited(*wait);
    live_.apply(event);
    ports_.learner.observe(event, live_.state());
    ports_.metrics.count(event_name(event.body), 1);
  }
  loose_.follow(events);
  for (Event& event : events) {
    act(event, executor);
    if (options_.plan_on == PlanOn::kReplica) planners_.tell(std::move(event));
  }
}

void Controller::act(const Event& event, Executor& executor) {
  const engine::ClusterState& state = live_.state();
  if (const auto* granted = std::get_if<LeaseGranted>(&event.body)) {
    const Lease& lease = *state.find_lease(granted->lease);
    executor.prepare(lease, *state.spec_of(*state.find_job(lease.job)).spec);
  } else if (const auto* moved = std::get_if<LeaseMoved>(&event.body)) {
    const Lease& lease = *state.find_lease(moved->lease);
    executor.move(lease, *state.spec_of(*state.find_job(lease.job)).spec);
  } else if (const auto* resumed = std::get_if<LeaseResumed>(&event.body)) {
    const Lease& lease = *state.find_lease(resumed->lease);
    executor.resume(lease, *state.spec_of(*state.find_job(lease.job)).spec);
  } else if (const auto* started = std::get_if<JobStarted>(&event.body)) {
    act_on_job(started->job, executor);
  } else if (const auto* joined = std::get_if<LeaseStarted>(&event.body)) {
    const Lease& lease = *state.find_lease(joined->lease);
    executor.start(lease, *state.spec_of(*state.find_job(lease.job)).spec);
  } else if (const auto* revoking = std::get_if<LeaseRevoking>(&event.body)) {
    executor.revoke(*state.find_lease(revoking->lease), revoking->grade);
  } else if (const auto* advanced = std::get_if<RegeometryAdvanced>(&event.body)) {
    const Regeometry& change = *advanced->change;
    const engine::RegeometryState* now = state.regeometry_of(change.node, change.card);
    // what a later event of the batch has replaced is not asked for any more
    if (advanced->ask > 0 && now != nullptr && now->ask == advanced->ask) {
      ask_for_layout(*now, executor);
    }
  }
}

void Controller::act_on_job(JobId id, Executor& executor) {
  const engine::ClusterState& state = live_.state();
  const engine::JobRecord& job = *state.find_job(id);
  for (const LeaseId lease : job.leases) {
    executor.start(*state.find_lease(lease), *state.spec_of(job).spec);
  }
}

}  // namespace berth::control
