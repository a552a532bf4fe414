// The executor's calls, and which nodes can be reached; sessions are in gateway_sessions.cc.
#include "server/agents/gateway.h"

#include <utility>

#include "server/agents/task_spec.h"

namespace berth::server {

AgentGateway::AgentGateway(GatewayPorts ports, GatewayOptions options)
    : ports_(std::move(ports)), options_(options) {}

void AgentGateway::make(const Call& call) {
  if (call.session == nullptr) return;
  if (call.end) return call.session->end(*call.end);
  call.session->wake();
}

AgentGateway::Node& AgentGateway::node(const std::string& name) {
  const auto [found, is_new] = nodes_.try_emplace(name);
  if (is_new) {
    found->second.name = name;
    found->second.heard_at = ports_.wall_clock.now();
  }
  return found->second;
}

AgentGateway::Node* AgentGateway::node_of(const SessionPtr& session) {
  const auto found = by_session_.find(session.get());
  return found == by_session_.end() ? nullptr : found->second;
}

void AgentGateway::change(const std::string& name, const std::function<void(Node&)>& change) {
  Call call;
  {
    const std::lock_guard lock(mutex_);
    Node& changed = node(name);
    change(changed);
    call.session = changed.session;
  }
  make(call);
}

void AgentGateway::prepare(const Lease& lease, const JobSpec& spec) {
  const std::string name = ports_.name_of(lease.placement.node);
  change(name, [&](Node& node) {
    homes_[lease.id] = name;
    node.orders.prepare(grant_of(lease, name, spec));
  });
}

void AgentGateway::start(const Lease& lease, const JobSpec& /*spec*/) {
  const std::string name = ports_.name_of(lease.placement.node);
  change(name, [&](Node& node) {
    homes_[lease.id] = name;
    node.orders.start(key_of(lease));
  });
}

void AgentGateway::resume(const Lease& lease, const JobSpec& /*spec*/) {
  change(ports_.name_of(lease.placement.node),
         [&](Node& node) { node.orders.resume(key_of(lease), lease.placement.grants); });
}

// To another node it is two orders: the node that it leaves lets go of it.
void AgentGateway::move(const Lease& lease, const JobSpec& spec) {
  const std::string to = ports_.name_of(lease.placement.node);
  std::string from;
  change(to, [&](Node& node) {
    std::string& home = homes_[lease.id];
    if (!home.empty() && home != to) from = home;
    home = to;
    node.orders.move(grant_of(lease, to, spec), from);
  });
  if (!from.empty()) change(from, [&](Node& node) { node.orders.leave(key_of(lease)); });
}

void AgentGateway::revoke(const Lease& lease, ReclaimGrade grade) {
  const std::string name = ports_.name_of(lease.placement.node);
  agent::RevokeOrder order{key_of(lease), grade, std::nullopt, lease.image_mib, lease.receipt};
  change(name, [&](Node& node) {
    homes_[lease.id] = name;
    node.orders.revoke(std::move(order), lease.deadline);
  });
}

void AgentGateway::change_layout(const control::LayoutAsk& ask) {
  change(ports_.name_of(ask.node), [&](Node& node) {
    node.orders.layout({ask.number, ask.card, ask.wanted, ask.standing});
  });
}

void AgentGateway::begin_term(std::uint64_t term) {
  const std::lock_guard lock(mutex_);
  options_.term = term;
}

void AgentGateway::expect(const std::vector<std::string>& nodes) {
  const std::lock_guard lock(mutex_);
  for (const std::string& name : nodes) node(name);
}

// A silent session is ended: its stream may look open for long.
void AgentGateway::look() {
  std::vector<std::string> silent;
  std::vector<Call> calls;
  {
    const std::lock_guard lock(mutex_);
    const TimeMs now = ports_.wall_clock.now();
    for (auto& [name, node] : nodes_) {
      if (node.is_lost || now < saturating_add(node.heard_at, options_.lost_after_ms)) continue;
      node.is_lost = true;
      silent.push_back(name);
      if (node.session == nullptr) continue;
      const std::string said =
          "node '" + name + "' has said nothing for " + std::to_string(now - node.heard_at) + " ms";
      calls.push_back({node.session, Error{ErrorCode::kUnavailable, said, {}, 0}});
      by_session_.erase(node.session.get());
      node.session = nullptr;
      node.stage = Stage::kAway;
    }
  }
  for (const Call& call : calls) make(call);
  for (const std::string& name : silent) {
    ports_.look_up(name, [this, name](const KnownNode& known) { declare_lost(name, known); });
  }
}

// On the writer's thread. It may have come back meanwhile.
void AgentGateway::declare_lost(const std::string& name, const KnownNode& known) {
  {
    const std::lock_guard lock(mutex_);
    Node& lost = node(name);
    const bool is_news = lost.is_lost && known.spec != nullptr && !is_gone(known.condition);
    if (!is_news) return;
  }
  ports_.note("node '" + name + "' cannot be reached");
  ports_.execute({SetNodeCondition{name, NodeCondition::kLost}, {}, "agents"},
                 [this, name](const Result<control::Reply>& result) {
                   if (result) return;
                   ports_.note("node '" + name + "': " + result.error().to_text());
                   const std::lock_guard lock(mutex_);
                   node(name).is_lost = false;  // and is found silent again
                 });
}

GatewayCounts AgentGateway::counts() const {
  const std::lock_guard lock(mutex_);
  GatewayCounts counts;
  counts.nodes = nodes_.size();
  counts.repeated = repeated_;
  counts.refused = refused_;
  counts.turned_away = turned_away_;
  for (const auto& [name, node] : nodes_) {
    if (node.stage == Stage::kWelcomed) ++counts.sessions;
    counts.orders += node.orders.size();
  }
  return counts;
}

}  // namespace berth::server
