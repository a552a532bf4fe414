#include "cli/serve/leading.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/serve/log.h"
#include "server/token_secret.h"

namespace berth::cli {

void tell_trouble_of_snapshots(const Error& error) {
  log_line(LogLevel::kWarning, "keeping the journal small: " + error.to_text());
}

Leading::Leading(const LeadingPorts& ports, LeadingOptions options)
    : ports_(ports), options_(std::move(options)) {}

// Nobody reports or asks any more before the loop ends; what waits in it is refused.
Leading::~Leading() {
  ticker_.reset();
  agents_.reset();
  if (loop_) loop_->stop();
}

server::GatewayPorts Leading::gateway_ports() {
  return {[this](Command command, server::CommandDone done) {
            loop_->post(std::move(command), std::move(done));
          },
          [this](const std::string& node, std::function<void(server::KnownNode)> answer) {
            loop_->look([node, answer = std::move(answer)](const control::Controller& at) {
              answer(server::known_node(at.state(), node));
            });
          },
          [this](NodeIndex node) { return controller_->state().node(node).spec->name; },
          [this](const std::string& /*node*/, const std::string& token) -> Status {
            bool is_known = server::equal_secrets(token, options_.agents_token);
            for (const std::string& other : options_.other_agents_tokens) {
              is_known |= server::equal_secrets(token, other);  // each is looked at
            }
            return is_known ? Status{} : invalid("is not the token of agents", "token");
          },
          [](const std::string& line) { log_line(LogLevel::kWarning, line); },
          ports_.clock,
          ports_.sessions};
}

Status Leading::recover() {
  gateway_ = std::make_unique<server::AgentGateway>(gateway_ports(), server::GatewayOptions{});
  controller_ = std::make_unique<control::Controller>(
      control::Ports{ports_.journal, *gateway_, ports_.clock, ports_.metrics, learner_,
                     &ports_.snapshots, &ports_.subscriber},
      control::ControllerOptions{});
  loop_ = std::make_shared<control::ControlLoop>(
      *controller_, ports_.clock, &ports_.snapshots,
      control::LoopOptions{.snapshot_every = options_.snapshot_every});
  loop_->on_failure(options_.failed);
  loop_->on_trouble(tell_trouble_of_snapshots);
  if (auto s = controller_->recover(); !s) return s;
  if (options_.recovered) options_.recovered(controller_->state());
  const std::uint64_t next = std::max(controller_->state().term() + 1, options_.least_term);
  const std::uint64_t term = options_.term > 0 ? options_.term : next;
  gateway_->begin_term(term);
  const auto begun = controller_->execute({BeginTerm{term}, {}, {}});
  return begun ? Status{} : tl::unexpected(begun.error());
}

// One that has begun keeps what it has.
Status Leading::declare(const sim::SimInput& first) {
  if (controller_->state().model_count() > 0) return {};
  std::vector<CommandBody> bodies;
  bodies.emplace_back(SetPolicy{first.policy, {}});
  for (const GpuModel& model : first.models) bodies.emplace_back(DeclareModel{model});
  bodies.emplace_back(DeclareTopology{first.topology});
  for (const PartitionSpec& one : first.partitions) bodies.emplace_back(DeclarePartition{one});
  for (const QueueSpec& queue : first.queues) bodies.emplace_back(DeclareQueue{queue});
  for (CommandBody& body : bodies) {
    const auto done = controller_->execute({std::move(body), {}, "server"});
    if (!done) return tl::unexpected(done.error());
  }
  if (first.mix.empty()) return {};
  const ObserveFit given{control::given_fit(controller_->state(), first.mix)};
  const auto done = controller_->execute({given, {}, "server"});
  return done ? Status{} : tl::unexpected(done.error());
}

Status Leading::issue_tokens() {
  std::vector<Token> wanted = options_.new_tokens;
  if (controller_->state().ledger().tokens_issued == 0) {
    wanted.insert(wanted.end(), options_.first_tokens.begin(), options_.first_tokens.end());
  }
  for (Token& token : wanted) {
    const std::string name = token.name;
    const std::string request = "issue-token-" + token.id;  // a server may lead more than once
    const auto done = controller_->execute({IssueToken{std::move(token)}, request, "server"});
    if (!done) return tl::unexpected(done.error());
    log_line(LogLevel::kInfo, "the token of " + name + " is known from now on");
  }
  return {};
}

Status Leading::listen() {
  std::vector<std::string> names;
  for (const engine::NodeRecord& node : controller_->state().nodes()) {
    if (node.condition != NodeCondition::kRemoved) names.push_back(node.spec->name);
  }
  gateway_->expect(names);
  loop_->start();
  auto listening =
      server::AgentServer::listen({options_.agents_address, options_.agents_tls}, *gateway_);
  if (!listening) return tl::unexpected(listening.error());
  agents_ = std::move(*listening);
  ticker_ = std::make_unique<Ticker>(kSecondMs, [this] { gateway_->look(); });
  return {};
}

Result<std::unique_ptr<Leading>> Leading::start(const LeadingPorts& ports, LeadingOptions options,
                                                const sim::SimInput& first) {
  auto leading = std::unique_ptr<Leading>(new Leading(ports, std::move(options)));
  if (auto s = leading->recover(); !s) return tl::unexpected(s.error());
  if (auto s = leading->declare(first); !s) return tl::unexpected(s.error());
  if (auto s = leading->issue_tokens(); !s) return tl::unexpected(s.error());
  if (auto s = leading->listen(); !s) return tl::unexpected(s.error());
  return leading;
}

}  // namespace berth::cli
