// Leading: what a server has while it may write: the controller with its loop, and the gateway of
// the agents. Built from the journal when its term begins, gone with it.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/serve/ticker.h"
#include "control/control_loop.h"
#include "control/learner.h"
#include "model/token.h"
#include "server/agents/agent_server.h"
#include "sim/simulation.h"

namespace berth::cli {

struct LeadingPorts {
  control::Journal& journal;
  control::Snapshots& snapshots;
  control::Subscriber& subscriber;
  control::Clock& clock;     // of the state
  control::Clock& sessions;  // never set back or forward
  control::Metrics& metrics;
};

struct LeadingOptions {
  std::uint64_t term = 0;        // 0: the one after the last
  std::uint64_t least_term = 0;  // of that one
  std::string agents_address;
  std::string agents_token;
  std::optional<server::ServerTls> agents_tls;
  std::vector<std::string> other_agents_tokens;  // accepted as well, while secrets change
  // What a journal begins with that never had a token.
  std::vector<Token> first_tokens;
  // Issued by the first that leads with them, whatever there is.
  std::vector<Token> new_tokens;
  std::uint64_t snapshot_every = 0;
  // Called once the state is as the journal has it, before anything is decided.
  std::function<void(const engine::ClusterState&)> recovered;
  // Called once, on one of its threads, when it can write no more.
  std::function<void(const Error&)> failed;
};

// A snapshot or a compaction has failed: a warning, because the journal has it all.
void tell_trouble_of_snapshots(const Error& error);

class Leading {
 public:
  // `first`: what a cluster begins with that has nothing yet.
  static Result<std::unique_ptr<Leading>> start(const LeadingPorts& ports, LeadingOptions options,
                                                const sim::SimInput& first);
  ~Leading();
  Leading(const Leading&) = delete;
  Leading& operator=(const Leading&) = delete;

  const std::shared_ptr<control::ControlLoop>& loop() const { return loop_; }
  server::GatewayCounts agents() const { return gateway_->counts(); }
  int agents_port() const { return agents_->port(); }

 private:
  Leading(const LeadingPorts& ports, LeadingOptions options);
  server::GatewayPorts gateway_ports();
  Status recover();
  Status declare(const sim::SimInput& first);
  Status issue_tokens();
  Status listen();

  LeadingPorts ports_;
  LeadingOptions options_;
  control::FitLearner learner_;
  std::unique_ptr<server::AgentGateway> gateway_;
  std::unique_ptr<control::Controller> controller_;
  std::shared_ptr<control::ControlLoop> loop_;
  std::unique_ptr<server::AgentServer> agents_;
  std::unique_ptr<Ticker> ticker_;
};

}  // namespace berth::cli
