// AgentGateway: the executor of a server. What the controller calls becomes orders to the agent of
// a node; what agents report becomes commands, and is acknowledged once they are in the journal. It
// decides nothing about jobs: it tells nodes apart that can be reached and those that cannot, and
// sees to it that a node that joins holds what the state says, and nothing else.
//
// Thread-safe. It owns no thread, no timer and no socket (agent_server.h has the stream), and it
// calls its ports and its sessions without holding its lock.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/messages.h"
#include "control/controller.h"
#include "control/ports.h"
#include "server/agents/known_node.h"
#include "server/agents/order_table.h"
#include "server/agents/report_intake.h"

namespace berth::server {

using CommandDone = std::function<void(const Result<control::Reply>&)>;

struct GatewayPorts {
  // Has the command executed and calls back once it is committed or refused. Commands are executed
  // in the order of the calls; the callback may come on any thread, also before the call returns.
  std::function<void(Command, CommandDone)> execute;
  // Answers on the writer's thread, between two commands.
  std::function<void(const std::string& node, std::function<void(KnownNode)>)> look_up;
  // The name of a node; called on the writer's thread, from inside the executor's calls.
  std::function<std::string(NodeIndex)> name_of;
  // Whether the token speaks for the node.
  std::function<Status(const std::string& node, const std::string& token)> authenticate;
  // One line for the log: what an agent refused or a node has brought along.
  std::function<void(const std::string& line)> note;
  const control::Clock& state_clock;  // of the controller: deadlines are in its time
  const control::Clock& wall_clock;   // of sessions: one that nobody sets
};

struct GatewayOptions {
  std::uint64_t term = 0;  // of this leader; orders carry it
  DurationMs heartbeat_ms = 3 * kSecondMs;
  // A node without a word for so long is lost. Three heartbeats and a bit.
  DurationMs lost_after_ms = 10 * kSecondMs;
};

// One stream, as the gateway sees it. Called by any thread; both return at once.
class SessionLink {
 public:
  virtual ~SessionLink() = default;
  // There may be something to send: AgentGateway::next says what.
  virtual void wake() = 0;
  virtual void end(const Error& why) = 0;
};
using SessionPtr = std::shared_ptr<SessionLink>;

struct GatewayCounts {
  std::size_t nodes = 0;          // known here
  std::size_t sessions = 0;       // of them welcomed
  std::size_t orders = 0;         // kept for all of them
  std::uint64_t repeated = 0;     // reports that came again
  std::uint64_t refused = 0;      // orders that an agent did not follow
  std::uint64_t turned_away = 0;  // agents that may not join
};

class AgentGateway final : public control::Executor {
 public:
  AgentGateway(GatewayPorts ports, GatewayOptions options);

  // From the controller, on the writer's thread.
  void prepare(const Lease& lease, const JobSpec& spec) override;
  void start(const Lease& lease, const JobSpec& spec) override;
  void move(const Lease& lease, const JobSpec& spec) override;
  void resume(const Lease& lease, const JobSpec& spec) override;
  void revoke(const Lease& lease, ReclaimGrade grade) override;
  void change_layout(const control::LayoutAsk& ask) override;

  // A leader has begun its term; before any session.
  void begin_term(std::uint64_t term);
  // Nodes that the state has and that should have an agent: lost, if they do not join in time.
  void expect(const std::vector<std::string>& nodes);
  // About every second: finds nodes that have been silent for too long.
  void look();

  // From sessions. A session says `joined` first.
  void joined(const SessionPtr& session, const agent::Join& join);
  void heard(const SessionPtr& session, const agent::Report& report);
  void heard(const SessionPtr& session, const agent::Heartbeat& heartbeat);
  void broken(const SessionPtr& session);
  // What the session is to send now.
  std::optional<agent::FromServer> next(const SessionPtr& session);

  GatewayCounts counts() const;

 private:
  enum class Stage : std::uint8_t { kAway, kJoining, kWelcomed };
  struct Node {
    std::string name;
    SessionPtr session;
    Stage stage = Stage::kAway;
    bool welcome_is_due = false;
    TimeMs heard_at = 0;
    bool is_lost = false;  // it was said so
    OrderTable orders;
    ReportIntake intake;
    std::uint64_t acknowledged = 0;  // sent on this session
    std::optional<std::uint64_t> echo;
  };
  struct Call {  // made once the lock is free
    SessionPtr session;
    std::optional<Error> end;  // none: wake
  };
  using Commands = std::vector<CommandBody>;

  Node& node(const std::string& name);
  Node* node_of(const SessionPtr& session);
  // Changes the orders of the node and wakes its session.
  void change(const std::string& name, const std::function<void(Node&)>& change);
  Status may_join(const agent::Join& join) const;
  void answer(const SessionPtr& session, const agent::Join& join, const KnownNode& known);
  void match(Node& node, const agent::Join& join, const KnownNode& known, Commands& commands);
  void welcome(const SessionPtr& session);
  // Ends the session of one that may not join. Not each is noted: they come again and again.
  void turn_away(const SessionPtr& session, const std::string& name, const Error& why);
  void execute_then_welcome(const SessionPtr& session, Commands commands);
  void done(const std::string& name, const std::string& instance, const agent::Report& report,
            const Result<control::Reply>& result);
  bool speaks_of_own(const Node& node, const agent::ReportBody& body) const;
  // Counts the report; false where it has been taken before.
  bool is_news(Node& from, const agent::Report& report);
  void settle(Node& node, const agent::ReportBody& body);
  void drop(Node& node, LeaseId lease);
  void leave_home(const Node& node, LeaseId lease);
  void declare_lost(const std::string& name, const KnownNode& known);
  static void make(const Call& call);

  GatewayPorts ports_;
  GatewayOptions options_;
  mutable std::mutex mutex_;
  std::map<std::string, Node> nodes_;
  std::map<const SessionLink*, Node*> by_session_;
  std::map<LeaseId, std::string> homes_;  // node that a lease was last ordered on
  std::uint64_t repeated_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t turned_away_ = 0;
  TimeMs turned_away_noted_at_ = 0;  // of the wall clock
};

}  // namespace berth::server
