// A server with a writer's thread of its own, and simulated nodes that speak to it over a loopback
// socket. Tests only.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "control/controller.h"
#include "control/testing.h"
#include "engine/state/invariants.h"
#include "journal/memory_journal.h"
#include "model/testing.h"
#include "server/agents/agent_server.h"
#include "server/agents/gateway.h"
#include "sim/agents/sim_agents.h"

namespace berth::agents_testing {

namespace t = berth::testing;

class SteadyClock final : public control::Clock {
 public:
  TimeMs now() const override {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
};

// Waits for what comes from other threads; false after 10 s.
inline bool eventually(const std::function<bool()>& holds) {
  for (int i = 0; i < 5000; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

// What a server process is: the writer's thread owns the controller; everything else posts to it.
class Server {
 public:
  Server(control::Journal& journal, const control::Clock& clock, std::uint64_t term,
         server::AgentServerOptions listen = {}, DurationMs lost_after_ms = 10 * kSecondMs)
      : gateway_(ports(clock), options(term, lost_after_ms)),
        controller_({journal, gateway_, clock_copy(clock), metrics_, learner_},
                    {control::FastPath::kEveryClass, control::PlanOn::kLiveState, 1}) {
    EXPECT_TRUE(controller_.recover());
    EXPECT_TRUE(controller_.execute({BeginTerm{term}, {}, {}}));
    std::vector<std::string> names;
    for (const engine::NodeRecord& node : controller_.state().nodes()) {
      if (node.condition != NodeCondition::kRemoved) names.push_back(node.spec->name);
    }
    gateway_.expect(names);
    writer_ = std::thread([this] { write(); });
    auto agents = server::AgentServer::listen(std::move(listen), gateway_);
    EXPECT_TRUE(agents) << agents.error().to_text();
    agents_ = std::move(*agents);
  }
  ~Server() {
    agents_.reset();
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_one();
    writer_.join();
  }

  int port() const { return agents_->port(); }
  std::string address() const { return "127.0.0.1:" + std::to_string(port()); }
  server::AgentGateway& gateway() { return gateway_; }

  void post(std::function<void()> work) {
    {
      const std::lock_guard lock(mutex_);
      work_.push_back(std::move(work));
    }
    changed_.notify_one();
  }
  // On the writer's thread; waits.
  template <typename Ask>
  auto ask(Ask question) {
    using Answer = decltype(question(std::declval<control::Controller&>()));
    std::mutex done;
    std::condition_variable told;
    std::optional<Answer> answer;
    post([&] {
      Answer found = question(controller_);
      const std::lock_guard lock(done);
      answer = std::move(found);
      told.notify_one();
    });
    std::unique_lock lock(done);
    told.wait(lock, [&] { return answer.has_value(); });
    return *answer;
  }
  Result<control::Reply> execute(Command command) {
    return ask([&](control::Controller& c) {
      auto reply = c.execute(command);
      EXPECT_TRUE(c.run_cycle());
      return reply;
    });
  }
  bool holds(const std::function<bool(const engine::ClusterState&)>& what) {
    return ask([&](control::Controller& c) { return what(c.state()); });
  }
  bool until(const std::function<bool(const engine::ClusterState&)>& what) {
    return eventually([&] { return holds(what); });
  }
  bool phase_is(const std::string& job, JobPhase phase) {
    return until([&](const engine::ClusterState& state) {
      const auto* record = state.find_job(job);
      return record != nullptr && record->phase == phase;
    });
  }
  bool has_ended(const std::string& job) {
    return until([&](const engine::ClusterState& state) { return state.find_job(job) == nullptr; });
  }
  bool has_sessions(std::size_t count) {
    return eventually([&] { return gateway_.counts().sessions == count; });
  }
  // How many commands of this kind agents have sent.
  int count(const std::string& event) {
    return ask([&](control::Controller&) { return static_cast<int>(metrics_.counts[event]); });
  }
  // What agents may present from now on.
  void accept(std::set<std::string> secrets) {
    const std::lock_guard lock(secrets_mutex_);
    secrets_ = std::move(secrets);
  }
  // A server that hangs: its agents are heard, but nothing is committed.
  void pause() {
    const std::lock_guard lock(mutex_);
    is_paused_ = true;
  }
  void go_on() {
    {
      const std::lock_guard lock(mutex_);
      is_paused_ = false;
    }
    changed_.notify_one();
  }

 private:
  static server::GatewayOptions options(std::uint64_t term, DurationMs lost_after_ms) {
    return {term, 100, lost_after_ms};
  }
  // The controller wants a clock that it may not change; ports are references to non-const.
  control::Clock& clock_copy(const control::Clock& clock) {
    struct Forward final : control::Clock {
      explicit Forward(const control::Clock& given) : to(given) {}
      TimeMs now() const override { return to.now(); }
      const control::Clock& to;
    };
    forward_ = std::make_unique<Forward>(clock);
    return *forward_;
  }
  server::GatewayPorts ports(const control::Clock& clock) {
    return {[this](Command command, server::CommandDone done) {
              post([this, command = std::move(command), done = std::move(done)] {
                const auto reply = controller_.execute(command);
                EXPECT_TRUE(controller_.run_cycle());
                done(reply);
              });
            },
            [this](const std::string& node, std::function<void(server::KnownNode)> answer) {
              post([this, node, answer = std::move(answer)] {
                answer(server::known_node(controller_.state(), node));
              });
            },
            [this](NodeIndex node) { return controller_.state().node(node).spec->name; },
            [this](const std::string& /*node*/, const std::string& token) -> Status {
              const std::lock_guard lock(secrets_mutex_);
              if (secrets_.contains(token)) return {};
              return invalid("is not the token of the node", "token");
            },
            [](const std::string& /*line*/) {},
            clock,
            wall_};
  }
  void write() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return is_over_ || (!is_paused_ && !work_.empty()); });
      if (is_over_) return;
      const std::function<void()> work = std::move(work_.front());
      work_.pop_front();
      lock.unlock();
      work();
      lock.lock();
    }
  }

  SteadyClock wall_;
  std::mutex secrets_mutex_;
  std::set<std::string> secrets_ = {"secret"};
  std::unique_ptr<control::Clock> forward_;
  control::testing::CountingMetrics metrics_;
  control::testing::NoLearner learner_;
  server::AgentGateway gateway_;
  control::Controller controller_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  bool is_over_ = false;
  bool is_paused_ = false;
  std::thread writer_;
  std::unique_ptr<server::AgentServer> agents_;
};

inline void declare_tenants(Server& server) {
  ASSERT_TRUE(server.execute({DeclareModel{t::plain_model("plain", 40'000)}, {}, {}}));
  ASSERT_TRUE(server.execute({DeclareQueue{t::queue("q")}, {}, {}}));
}

inline sim::SimAgentsInput nodes_for(const std::string& address, std::size_t count,
                                     std::size_t cards = 1) {
  sim::SimAgentsInput input;
  for (std::size_t n = 0; n < count; ++n) {
    input.nodes.push_back(t::node("n" + std::to_string(n), "plain", cards));
  }
  input.models = {t::plain_model("plain", 40'000)};
  input.hub.server = address;
  input.hub.backoff_first_ms = 20;
  input.hub.backoff_most_ms = 200;
  input.token = "secret";
  input.instance = "test";
  return input;
}

inline JobSpec gang(std::uint32_t tasks, DurationMs run_ms) {
  JobSpec spec = t::job("q", t::whole(1), tasks);
  spec.run_time_ms = run_ms;
  return spec;
}

}  // namespace berth::agents_testing
