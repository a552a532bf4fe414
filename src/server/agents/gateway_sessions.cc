// How a node joins, and what becomes of its reports.
#include <algorithm>
#include <set>
#include <utility>

#include "agent/core/report_log.h"
#include "server/agents/gateway.h"

namespace berth::server {
namespace {

// Between two notes of agents that may not join, whoever they are.
constexpr DurationMs kTurnedAwayNoteMs = 10 * kSecondMs;

// Trying again may help; anything else is the last word on a report.
bool may_come_again(const Error& error) {
  return error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kCorrupt;
}

Error conflict(std::string message, std::string field) {
  return {ErrorCode::kConflict, std::move(message), std::move(field), 0};
}

// Leases name cards by their index, so another set of cards is another node.
Status same_cards(const NodeSpec& before, const NodeSpec& now) {
  if (before.model == now.model && before.cards.size() == now.cards.size()) return {};
  return fail(ErrorCode::kConflict,
              "node '" + now.name + "' has " + std::to_string(now.cards.size()) + " cards '" +
                  now.model + "'; it joined with " + std::to_string(before.cards.size()) + " '" +
                  before.model + "'; drain and remove it first",
              "inventory.cards");
}

CommandBody command_of(const agent::ReportBody& body, const std::string& node) {
  return std::visit(
      [&](const auto& report) -> CommandBody {
        using Body = std::decay_t<decltype(report)>;
        if constexpr (std::is_same_v<Body, agent::OrderRefused>) {
          return Tick{};  // never asked: a refusal is no command
        } else if constexpr (std::is_same_v<Body, ReportLayout>) {
          ReportLayout named = report;
          named.node = node;
          return named;
        } else {
          return report;
        }
      },
      body);
}

}  // namespace

Status AgentGateway::may_join(const agent::Join& join) const {
  if (join.protocol != agent::kProtocolVersion) {
    return fail(ErrorCode::kConflict,
                "is " + std::to_string(join.protocol) + "; " +
                    std::to_string(agent::kProtocolVersion) + " is spoken here",
                "protocol");
  }
  if (auto s = ports_.authenticate(join.node.name, join.token); !s) return s;
  const std::lock_guard lock(mutex_);
  if (join.term <= options_.term) return {};
  return fail(ErrorCode::kUnavailable,
              "the agent has followed term " + std::to_string(join.term) +
                  "; this server leads term " + std::to_string(options_.term),
              "term");
}

void AgentGateway::joined(const SessionPtr& session, const agent::Join& join) {
  if (auto s = may_join(join); !s) return turn_away(session, join.node.name, s.error());
  SessionPtr before;
  {
    const std::lock_guard lock(mutex_);
    Node& joining = node(join.node.name);
    before = std::exchange(joining.session, session);
    if (before != nullptr) by_session_.erase(before.get());
    by_session_[session.get()] = &joining;
    joining.stage = Stage::kJoining;
    joining.heard_at = ports_.wall_clock.now();
    joining.is_lost = false;
    joining.welcome_is_due = false;
    joining.acknowledged = 0;
    joining.echo.reset();
    joining.intake.begin(join.instance);
  }
  if (before != nullptr) {
    before->end(conflict("another session of node '" + join.node.name + "' has begun", "node"));
  }
  ports_.look_up(join.node.name,
                 [this, session, join](const KnownNode& known) { answer(session, join, known); });
}

// On the writer's thread: the orders are those of the very state that `known` was copied from.
void AgentGateway::answer(const SessionPtr& session, const agent::Join& join,
                          const KnownNode& known) {
  if (known.spec != nullptr) {
    if (auto s = same_cards(*known.spec, join.node); !s) {
      return turn_away(session, join.node.name, s.error());
    }
  }
  Commands commands;
  {
    const std::lock_guard lock(mutex_);
    Node* joining = node_of(session);
    if (joining == nullptr) return;  // another session has taken its place
    match(*joining, join, known, commands);
  }
  execute_then_welcome(session, std::move(commands));
}

// Makes what the node holds and what the state knows the same: what the state does not know is
// taken back, what the node no longer has is lost, and everything that is still to be done is told
// again.
void AgentGateway::match(Node& node, const agent::Join& join, const KnownNode& known,
                         Commands& commands) {
  std::set<agent::LeaseKey> held;
  std::set<agent::LeaseKey> leases;
  std::set<LeaseId> wanted;
  for (const agent::HeldLease& lease : join.leases) held.insert(lease.key);
  for (const KnownLease& lease : known.leases) {
    leases.insert(lease.key);
    wanted.insert(lease.key.lease);
    homes_.try_emplace(lease.key.lease, node.name);
    const bool is_to_come =
        (lease.state == LeaseState::kGranted && node.orders.awaits_prepare(lease.key)) ||
        (lease.state == LeaseState::kRevoking && node.orders.has(lease.key.lease)) ||
        node.orders.awaits_arrival(lease.key.lease);
    if (held.contains(lease.key) || is_to_come) continue;
    commands.emplace_back(ReportEnded{lease.key.lease, lease.key.epoch, EndReason::kLost});
    drop(node, lease.key.lease);
  }
  for (const agent::HeldLease& lease : join.leases) {
    if (lease.state == agent::TaskState::kEnded || leases.contains(lease.key)) continue;
    if (node.orders.awaits_leave(lease.key.lease)) wanted.insert(lease.key.lease);
    if (wanted.contains(lease.key.lease)) continue;
    wanted.insert(lease.key.lease);
    node.orders.revoke({lease.key, ReclaimGrade::kKill, std::nullopt, 0, {}}, kNever);
  }
  for (const LeaseId lease : node.orders.leases()) {
    if (!wanted.contains(lease)) drop(node, lease);
  }
  node.orders.send_all_again();
  if (known.spec == nullptr) {
    commands.emplace_back(JoinNode{join.node});
  } else if (known.condition == NodeCondition::kLost) {
    commands.emplace_back(ReportNodeBack{join.node.name});
  }
}

// They are executed in their order, so the last one's answer is that of all.
void AgentGateway::execute_then_welcome(const SessionPtr& session, Commands commands) {
  if (commands.empty()) return welcome(session);
  const std::size_t last = commands.size() - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    const auto* joining = std::get_if<JoinNode>(&commands[i]);
    const std::string name = joining == nullptr ? std::string() : joining->node.name;
    ports_.execute({std::move(commands[i]), {}, "agents"},
                   [this, session, name, is_last = i == last](const auto& result) {
                     if (!result && !name.empty()) {
                       broken(session);
                       return turn_away(session, name, result.error());
                     }
                     if (!result && may_come_again(result.error())) {
                       broken(session);
                       return session->end(result.error());
                     }
                     if (is_last) welcome(session);
                   });
  }
}

void AgentGateway::welcome(const SessionPtr& session) {
  {
    const std::lock_guard lock(mutex_);
    Node* joined = node_of(session);
    if (joined == nullptr) return;
    joined->stage = Stage::kWelcomed;
    joined->welcome_is_due = true;
  }
  session->wake();
}

void AgentGateway::turn_away(const SessionPtr& session, const std::string& name, const Error& why) {
  bool is_noted = false;
  {
    const std::lock_guard lock(mutex_);
    ++turned_away_;
    const TimeMs now = ports_.wall_clock.now();
    is_noted = turned_away_ == 1 || now - turned_away_noted_at_ >= kTurnedAwayNoteMs;
    if (is_noted) turned_away_noted_at_ = now;
  }
  if (is_noted) ports_.note("node '" + name + "' may not join: " + why.to_text());
  session->end(why);
}

void AgentGateway::broken(const SessionPtr& session) {
  const std::lock_guard lock(mutex_);
  Node* left = node_of(session);
  if (left == nullptr) return;
  by_session_.erase(session.get());
  left->session = nullptr;
  left->stage = Stage::kAway;
}

std::optional<agent::FromServer> AgentGateway::next(const SessionPtr& session) {
  const std::lock_guard lock(mutex_);
  Node* to = node_of(session);
  if (to == nullptr || to->stage != Stage::kWelcomed) return std::nullopt;
  if (std::exchange(to->welcome_is_due, false)) {
    return agent::Welcome{options_.term, options_.heartbeat_ms, options_.lost_after_ms};
  }
  if (to->echo) return agent::Heartbeat{*std::exchange(to->echo, std::nullopt)};
  if (to->intake.settled() > to->acknowledged) {
    to->acknowledged = to->intake.settled();
    return agent::Acknowledged{to->acknowledged};
  }
  auto order = to->orders.next(ports_.state_clock.now());
  if (!order) return std::nullopt;
  return agent::Order{options_.term, std::move(*order)};
}

void AgentGateway::heard(const SessionPtr& session, const agent::Heartbeat& heartbeat) {
  {
    const std::lock_guard lock(mutex_);
    Node* from = node_of(session);
    if (from == nullptr) return;
    from->heard_at = ports_.wall_clock.now();
    from->echo = heartbeat.number;
  }
  session->wake();
}

void AgentGateway::heard(const SessionPtr& session, const agent::Report& report) {
  std::string name;
  std::string instance;
  bool is_own = true;
  {
    const std::lock_guard lock(mutex_);
    Node* from = node_of(session);
    if (from == nullptr || from->stage != Stage::kWelcomed) return;  // it comes again
    from->heard_at = ports_.wall_clock.now();
    name = from->name;
    instance = from->intake.instance();
    is_own = speaks_of_own(*from, report.body);
    if (!is_news(*from, report)) return;
  }
  if (const auto* refused = std::get_if<agent::OrderRefused>(&report.body)) {
    return ports_.note("node '" + name + "' refused an order for lease " +
                       std::to_string(refused->key.lease.value()) + ": " + refused->reason);
  }
  if (!is_own) return done(name, instance, report, control::Reply{});
  ports_.execute({command_of(report.body, name), {}, "agents"},
                 [this, name, instance, report](const Result<control::Reply>& result) {
                   done(name, instance, report, result);
                 });
}

// A node speaks of leases that it was given. What it says of any other is late, or not for it to
// say: it is acknowledged, so that it does not come again, and changes nothing.
bool AgentGateway::speaks_of_own(const Node& node, const agent::ReportBody& body) const {
  if (std::holds_alternative<ReportLayout>(body)) return true;
  if (std::holds_alternative<agent::OrderRefused>(body)) return true;
  const LeaseId lease = agent::key_of(body).lease;
  const auto home = homes_.find(lease);
  return (home != homes_.end() && home->second == node.name) || node.orders.has(lease);
}

bool AgentGateway::is_news(Node& from, const agent::Report& report) {
  if (std::holds_alternative<agent::OrderRefused>(report.body)) {
    ++refused_;
    return true;
  }
  if (from.intake.take(report.number) == Arrival::kRepeated) {
    ++repeated_;
    return false;
  }
  // it was told to start before it was prepared, as an agent that began anew may be
  if (const auto* prepared = std::get_if<ReportPrepared>(&report.body)) {
    if (from.orders.awaits_start({prepared->lease, prepared->epoch})) {
      from.orders.send_again(prepared->lease);
    }
  }
  return true;
}

void AgentGateway::done(const std::string& name, const std::string& instance,
                        const agent::Report& report, const Result<control::Reply>& result) {
  Call call;
  {
    const std::lock_guard lock(mutex_);
    Node& from = node(name);
    const bool counts = from.intake.instance() == instance;
    call.session = from.session;
    if (!result && may_come_again(result.error())) {
      if (counts) from.intake.give_back(report.number);
      call.end = result.error();
    } else {
      if (counts) from.intake.settle(report.number);
      settle(from, report.body);
    }
  }
  make(call);
}

// A lease that lives on elsewhere keeps its home.
void AgentGateway::leave_home(const Node& node, LeaseId lease) {
  const auto home = homes_.find(lease);
  const bool is_here = home != homes_.end() && home->second == node.name;
  if (is_here && !node.orders.has(lease)) homes_.erase(home);
}

void AgentGateway::drop(Node& node, LeaseId lease) {
  node.orders.drop(lease);
  leave_home(node, lease);
}

void AgentGateway::settle(Node& node, const agent::ReportBody& body) {
  if (agent::is_final(body)) {
    const agent::LeaseKey key = agent::key_of(body);
    node.orders.settle(key);
    leave_home(node, key.lease);
  } else if (const auto* layout = std::get_if<ReportLayout>(&body)) {
    node.orders.settle_layout(layout->card, layout->ask);
  }
}

}  // namespace berth::server
