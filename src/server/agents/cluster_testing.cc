#include "server/agents/cluster_testing.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/state/invariants.h"
#include "server/event_log.h"

namespace berth::server::testing {
namespace {

std::string text_of(agent::LeaseKey key) {
  return "lease " + std::to_string(key.lease.value()) + " epoch " + std::to_string(key.epoch);
}

class Link final : public SessionLink {
 public:
  void wake() override {}
  void end(const Error& why) override { ended = why; }
  std::optional<Error> ended;
};

}  // namespace

Status FencedJournal::append(std::uint64_t first_revision, std::span<const EventBatch> batches) {
  const auto killed = [] { return fail(ErrorCode::kUnavailable, "killed"); };
  if (is_dead_) return killed();
  if (shared_.term != term_) {
    return fail(ErrorCode::kConflict, "this process does not lead any more: its term " +
                                          std::to_string(term_) + " is over");
  }
  is_dead_ = ++writes_ == at_ && how_ != Death::kNever;
  if (!is_dead_) return shared_.memory.append(first_revision, batches);
  if (how_ == Death::kAfterTheWrite) {
    if (auto s = shared_.memory.append(first_revision, batches); !s) return s;
  }
  return killed();
}

void Follower::begin(const engine::ClusterState& state) {
  if (state.revision() > state_.revision()) state_ = engine::ClusterState(state);
}

void Follower::committed(std::uint64_t first_revision, std::vector<EventBatch> batches) {
  std::uint64_t revision = first_revision;
  for (const EventBatch& batch : batches) {
    bool is_news = false;
    for (const Event& event : batch) {
      if (revision++ < state_.revision()) continue;
      is_news = true;
      auto teller = EventTeller::begin(event, state_);
      state_.apply(event);
      note(event);
      if (!teller) continue;
      const EventView view = teller->finish(event, state_);
      told_.push_back((view.job.empty() ? view.node : view.job) + ": " + view.message);
    }
    if (!is_news) continue;
    for (const std::string& one : engine::broken_invariants(state_)) broken_.insert(one);
  }
}

void Follower::note(const Event& event) {
  events_.push_back(event);
  const auto place = [&](LeaseId lease) {
    const Lease& held = *state_.find_lease(lease);
    places_[{lease, held.epoch}] = {state_.node(held.placement.node).spec->name,
                                    held.placement.grants};
  };
  if (const auto* granted = std::get_if<LeaseGranted>(&event.body)) place(granted->lease);
  if (const auto* moved = std::get_if<LeaseMoved>(&event.body)) place(moved->lease);
}

std::size_t Follower::count(const std::string& event) const {
  return static_cast<std::size_t>(
      std::count_if(events_.begin(), events_.end(),
                    [&](const Event& one) { return event_name(one.body) == event; }));
}

Leader::Leader(SharedJournal& shared, control::testing::ManualClock& state_clock,
               control::testing::ManualClock& wall, Follower& follower)
    : term_(++shared.term),
      journal_(shared, term_),
      gateway_(ports(state_clock, wall), {term_, 1000, 5000}),
      controller_({journal_, gateway_, state_clock, metrics_, learner_, nullptr, &follower},
                  {control::FastPath::kOff, control::PlanOn::kLiveState, 1}) {
  EXPECT_TRUE(controller_.recover());
  EXPECT_TRUE(execute(BeginTerm{term_}));
  std::vector<std::string> names;
  for (const engine::NodeRecord& node : state().nodes()) {
    if (node.condition != NodeCondition::kRemoved) names.push_back(node.spec->name);
  }
  gateway_.expect(names);
}

GatewayPorts Leader::ports(control::testing::ManualClock& state_clock,
                           control::testing::ManualClock& wall) {
  return {[this](Command command, CommandDone done) {
            waiting_.push_back([this, command = std::move(command), done = std::move(done)] {
              done(controller_.execute(command));
            });
          },
          [this](const std::string& node, std::function<void(KnownNode)> answer) {
            waiting_.push_back([this, node, answer = std::move(answer)] {
              answer(known_node(controller_.state(), node));
            });
          },
          [this](NodeIndex node) { return controller_.state().node(node).spec->name; },
          [](const std::string& /*node*/, const std::string& /*token*/) -> Status { return {}; },
          [this](const std::string& line) { lines_.push_back(line); },
          state_clock,
          wall};
}

bool Leader::work() {
  if (waiting_.empty()) return false;
  const std::function<void()> first = std::move(waiting_.front());
  waiting_.pop_front();
  first();
  return true;
}

bool Leader::cycle() {
  const std::uint64_t before = state().revision();
  ++cycles_;
  const bool is_committed = controller_.run_cycle().has_value();
  return is_committed && state().revision() != before;
}

void Runner::expect(bool holds, const std::string& what, agent::LeaseKey key) {
  if (!holds) broken_.push_back(node_.name + ", " + text_of(key) + ": " + what);
}

// The journal names this node and these cards for the grant.
void Runner::mount(const agent::Grant& grant) {
  const auto place = follower_.places().find(grant.key);
  const bool is_known = place != follower_.places().end();
  expect(is_known, "nobody has granted it", grant.key);
  if (!is_known) return;
  expect(place->second == Follower::Place{node_.name, grant.cards}, "mounted elsewhere", grant.key);
}

void Runner::take(const agent::TaskAction& action, const agent::LeaseBook& book) {
  const auto found = tasks_.find(action.key);
  switch (action.kind) {
    case agent::ActionKind::kPrepare: {
      expect(prepared_.insert(action.key).second, "prepared twice", action.key);
      const agent::HeldTask* held = book.find(action.key.lease);
      if (held == nullptr) return expect(false, "prepared and not held", action.key);
      expect(!done_.contains(held->grant.job), "runs again though it has ended well", action.key);
      mount(held->grant);
      tasks_[action.key] = {Task::State::kPreparing, held->grant};
      return;
    }
    case agent::ActionKind::kStart:
      expect(started_.insert(action.key).second, "started twice", action.key);
      if (found == tasks_.end() || found->second.state != Task::State::kPrepared) {
        return expect(false, "started and not prepared", action.key);
      }
      found->second.state = Task::State::kRunning;
      return;
    default:
      stopped_.insert(action.key);
      if (found == tasks_.end()) return expect(false, "ended and not there", action.key);
      found->second.state = Task::State::kGoing;
  }
}

void Runner::follow(const agent::Outcome& outcome, const agent::LeaseBook& book) {
  for (const agent::TaskAction& action : outcome.tasks) take(action, book);
  std::set<std::uint16_t> whole;
  for (const auto& [key, task] : tasks_) {
    for (const CardGrant& card : task.grant.cards) {
      if (card.mode != CardMode::kWhole) continue;
      expect(whole.insert(card.card).second, "a card has two owners", key);
    }
  }
}

agent::Outcome Runner::prepared(agent::LeaseKey key, agent::LeaseBook& book) {
  tasks_.at(key).state = Task::State::kPrepared;
  return book.prepared(key);
}

agent::Outcome Runner::failed(agent::LeaseKey key, agent::LeaseBook& book) {
  tasks_.erase(key);
  return book.prepare_failed(key, "no image");
}

agent::Outcome Runner::ended(agent::LeaseKey key, EndReason reason, agent::LeaseBook& book) {
  const agent::Grant grant = tasks_.at(key).grant;
  if (reason == EndReason::kSucceeded && grant.spec.tasks == 1) done_.insert(grant.job);
  tasks_.erase(key);
  return book.ended(key, reason);
}

agent::Outcome Runner::released(agent::LeaseKey key, agent::LeaseBook& book) {
  tasks_.erase(key);
  return book.released(key, {});
}

// What was not told to start may be prepared anew by who remembers nothing of it.
void Runner::lose() {
  for (const auto& [key, task] : tasks_) prepared_.erase(key);
  tasks_.clear();
}

struct Agent::Session {
  std::shared_ptr<Leader> leader;
  std::shared_ptr<Link> link = std::make_shared<Link>();
  bool is_welcome = false;
  std::deque<agent::Report> reports;  // on their way
};

void Agent::connect(const std::shared_ptr<Leader>& leader) {
  disconnect();
  session_ = std::make_shared<Session>();
  session_->leader = leader;
  agent::Join join;
  join.instance = name() + "/" + std::to_string(instance_);
  join.term = book_.term();
  join.node = node_;
  join.leases = book_.held();
  leader->gateway().joined(session_->link, join);
}

bool Agent::is_connected_to(const std::shared_ptr<Leader>& leader) const {
  return session_ != nullptr && session_->leader == leader;
}

void Agent::hang_up() {
  session_ = nullptr;
  former_.clear();
}

void Agent::disconnect() {
  if (session_ == nullptr) return;
  former_.push_back(std::move(session_));
  session_ = nullptr;
}

void Agent::follow(agent::Outcome outcome) {
  runner_.follow(outcome, book_);
  if (session_ == nullptr || !session_->is_welcome) return;
  for (agent::Report& report : outcome.reports) session_->reports.push_back(std::move(report));
}

bool Agent::hear() {
  if (session_ == nullptr) return false;
  if (session_->link->ended) {
    ++refused_;
    session_ = nullptr;
    return true;
  }
  const auto message = session_->leader->gateway().next(session_->link);
  if (!message) return false;
  if (const auto* welcome = std::get_if<agent::Welcome>(&*message)) {
    if (!book_.welcome(*welcome)) {
      ++refused_;
      disconnect();
      return true;
    }
    session_->is_welcome = true;
    const std::vector<agent::Report> unacknowledged = book_.unacknowledged();
    session_->reports.assign(unacknowledged.begin(), unacknowledged.end());
  } else if (const auto* order = std::get_if<agent::Order>(&*message)) {
    const bool is_old = order->term < book_.term();
    agent::Outcome outcome = book_.order(*order, 0);
    if (is_old) ++refused_;
    EXPECT_TRUE(!is_old || outcome.tasks.empty()) << "an old term was followed";
    follow(std::move(outcome));
  } else if (const auto* acknowledged = std::get_if<agent::Acknowledged>(&*message)) {
    book_.acknowledge(acknowledged->number);
  }
  return true;
}

bool Agent::say() {
  if (session_ == nullptr || session_->reports.empty()) return false;
  const agent::Report report = std::move(session_->reports.front());
  session_->reports.pop_front();
  session_->leader->gateway().heard(session_->link, report);
  return true;
}

bool Agent::say_late(Rng& rng) {
  std::erase_if(former_, [](const auto& one) { return one->reports.empty(); });
  if (former_.empty()) return false;
  Session& session = *former_[rng.below(former_.size())];
  session.leader->gateway().heard(session.link, session.reports.front());
  session.reports.pop_front();
  return true;
}

bool Agent::advance(agent::LeaseKey key, Rng* rng) {
  switch (runner_.tasks().at(key).state) {
    case Runner::Task::State::kPreparing: {
      const bool fails = rng != nullptr && rng->below(8) == 0;
      follow(fails ? runner_.failed(key, book_) : runner_.prepared(key, book_));
      return true;
    }
    case Runner::Task::State::kGoing:
      follow(runner_.released(key, book_));
      return true;
    case Runner::Task::State::kRunning:
      if (rng == nullptr) return false;
      end(key, rng->below(4) == 0 ? EndReason::kLost : EndReason::kSucceeded);
      return true;
    case Runner::Task::State::kPrepared:
      return false;
  }
  return false;
}

bool Agent::happen() {
  for (const auto& [key, task] : std::map(runner_.tasks())) {
    if (advance(key, nullptr)) return true;
  }
  return false;
}

bool Agent::happen(Rng& rng) {
  if (runner_.tasks().empty()) return false;
  auto at = runner_.tasks().begin();
  std::advance(at, static_cast<long>(rng.below(runner_.tasks().size())));
  return advance(at->first, &rng);
}

void Agent::end(agent::LeaseKey key, EndReason reason) {
  follow(runner_.ended(key, reason, book_));
}

void Agent::restart() {
  auto loaded = agent::LeaseBook::load(book_.save());
  ASSERT_TRUE(loaded) << loaded.error().to_text();
  book_ = std::move(*loaded);
  book_.set_node(node_.name, node_.cards.size());
  disconnect();
}

void Agent::lose_disk() {
  runner_.lose();
  book_ = agent::LeaseBook();
  book_.set_node(node_.name, node_.cards.size());
  ++instance_;
  session_ = nullptr;
}

Cluster::Cluster(std::vector<NodeSpec> nodes) {
  for (NodeSpec& node : nodes) {
    agents.push_back(std::make_unique<Agent>(std::move(node), follower));
  }
  take_over();
}

void Cluster::take_over() {
  for (const auto& one : agents) one->hang_up();
  leader.reset();
  take_over_unnoticed();
}

void Cluster::take_over_unnoticed() {
  leader = std::make_shared<Leader>(shared, clock, wall, follower);
}

bool Cluster::step() {
  if (leader->is_dead()) return false;
  if (leader->work()) return true;
  for (const auto& one : agents) {
    if (one->is_connected_to(leader)) continue;
    one->connect(leader);
    return true;
  }
  for (const auto& one : agents) {
    if (one->hear() || one->say() || one->happen()) return true;
  }
  return leader->cycle();
}

std::vector<std::string> Cluster::broken() const {
  std::vector<std::string> all(follower.broken().begin(), follower.broken().end());
  for (const auto& one : agents) {
    all.insert(all.end(), one->runner().broken().begin(), one->runner().broken().end());
  }
  return all;
}

std::vector<NodeSpec> nodes(int count, std::size_t cards) {
  std::vector<NodeSpec> made;
  for (int n = 0; n < count; ++n) {
    made.push_back(berth::testing::node("n" + std::to_string(n + 1), "plain", cards));
  }
  return made;
}

void run(Cluster& cluster, CommandBody body) {
  const auto done = cluster.leader->execute(std::move(body));
  ASSERT_TRUE(done) << done.error().to_text();
}

void declare(Cluster& cluster, Mib memory_mib, QueueSpec queue) {
  run(cluster, DeclareModel{berth::testing::plain_model("plain", memory_mib)});
  run(cluster, DeclareQueue{std::move(queue)});
}

void submit(Cluster& cluster, const std::string& name, JobSpec spec) {
  run(cluster, SubmitJob{name, std::make_shared<const JobSpec>(std::move(spec))});
}

JobPhase phase_of(const Cluster& cluster, const std::string& job) {
  const engine::JobRecord* record = cluster.leader->state().find_job(job);
  EXPECT_NE(record, nullptr) << job;
  return record == nullptr ? JobPhase::kReleasing : record->phase;
}

std::vector<LeaseId> leases_of(const Cluster& cluster, const std::string& job) {
  const engine::JobRecord& record = *cluster.leader->state().find_job(job);
  return {record.leases.begin(), record.leases.end()};
}

}  // namespace berth::server::testing
