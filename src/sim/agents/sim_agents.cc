#include "sim/agents/sim_agents.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <utility>

#include "base/check.h"

namespace berth::sim {
namespace {

// The thread looks at its clock at least so often, should that be set by hand.
constexpr DurationMs kLongestSleepMs = 200;

std::vector<const ProcessSuspension*> suspensions(const SimAgentsInput& input) {
  std::map<std::string, const ProcessSuspension*> by_model;
  for (const GpuModel& model : input.models) {
    if (model.suspension) by_model[model.name] = &*model.suspension;
  }
  std::vector<const ProcessSuspension*> by_node;
  for (const NodeSpec& node : input.nodes) {
    const auto found = by_model.find(node.model);
    by_node.push_back(found == by_model.end() ? nullptr : found->second);
  }
  return by_node;
}

}  // namespace

// One node. Its members are under the lock of SimAgents.
class SimAgents::Node final : public agent::NodeEnd {
 public:
  Node(SimAgents& all, std::size_t at, const NodeSpec& inventory)
      : index(at), spec(inventory), token(all.input_.token), all_(all) {
    book.set_node(spec.name, spec.cards.size());
  }

  agent::Join join() override {
    const std::lock_guard lock(all_.mutex_);
    agent::Join join;
    join.token = token;
    join.instance = all_.input_.instance + "/" + std::to_string(index);
    join.term = book.term();
    join.node = spec;
    join.leases = book.held();
    return join;
  }
  TimeMs now() override { return all_.clock_.now(); }
  Status welcomed(const agent::Welcome& welcome, agent::Session& stream) override {
    const std::lock_guard lock(all_.mutex_);
    if (disk) return berth::fail(ErrorCode::kUnavailable, "the node has failed");
    if (auto s = book.welcome(welcome); !s) return s;
    ++all_.welcomes_;
    stands = true;
    stream.begin(book.unacknowledged());
    return {};
  }
  void ordered(const agent::Order& order) override {
    if (all_.input_.on_order) all_.input_.on_order(order);
    {
      const std::lock_guard lock(all_.mutex_);
      if (disk) return;  // nobody hears it any more
      all_.catch_up();
      all_.perform(*this, book.order(order, all_.physics_.now()));
    }
    all_.changed_.notify_one();
  }
  void acknowledged(std::uint64_t number) override {
    const std::lock_guard lock(all_.mutex_);
    book.acknowledge(number);
  }
  void contact(TimeMs sent_at) override {
    const std::lock_guard lock(all_.mutex_);
    book.contact(sent_at);
    all_.follow_due(*this);
  }
  void broken(const Error& /*why*/) override {
    const std::lock_guard lock(all_.mutex_);
    stands = false;
    ++all_.breaks_;
  }

  const std::size_t index;
  const NodeSpec spec;
  std::string token;
  agent::LeaseBook book;
  std::shared_ptr<agent::Session> session;
  std::optional<std::string> disk;  // the book of a node that has failed
  bool stands = false;              // its session
  TimeMs due = kNever;

 private:
  SimAgents& all_;
};

SimAgents::SimAgents(SimAgentsInput input, const ScaledClock& clock)
    : input_(std::move(input)),
      clock_(clock),
      physics_(input_.executor, input_.seed, suspensions(input_), input_.default_run_ms),
      hub_(std::make_unique<agent::SessionHub>(input_.hub)) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < input_.nodes.size(); ++i) {
    nodes_.push_back(std::make_unique<Node>(*this, i, input_.nodes[i]));
    nodes_.back()->session = hub_->open(input_.nodes[i].name, *nodes_.back());
  }
  thread_ = std::thread([this] { run(); });
}

SimAgents::~SimAgents() {
  for (const auto& node : nodes_) node->session->drop();  // all at once, then one by one
  for (const auto& node : nodes_) node->session->close();
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void SimAgents::run() {
  std::unique_lock lock(mutex_);
  while (!is_over_) {
    catch_up();
    const TimeMs book = due_.empty() ? kNever : due_.begin()->first;
    const TimeMs next = std::min(physics_.next_at(), book);
    DurationMs sleep_ms = kLongestSleepMs;
    if (next != kNever) {
      const DurationMs left = std::max<DurationMs>(1, next - physics_.now());
      sleep_ms = std::min(sleep_ms, clock_.wall_ms(left));
    }
    changed_.wait_for(lock, std::chrono::milliseconds(sleep_ms));
  }
}

// What has happened until now, in its order: a deadline comes after what was done in time.
void SimAgents::catch_up() {
  const TimeMs now = std::max(physics_.now(), clock_.now());
  while (true) {
    const TimeMs book = due_.empty() ? kNever : due_.begin()->first;
    const TimeMs next = std::min(physics_.next_at(), book);
    if (next > now) break;
    observe(physics_.advance(std::max(next, physics_.now())));
    while (!due_.empty() && due_.begin()->first <= physics_.now()) {
      Node& node = *nodes_[due_.begin()->second];
      perform(node, node.book.tick(physics_.now()));
    }
  }
  observe(physics_.advance(now));
}

void SimAgents::observe(const Observations& seen) {
  for (const Observation& one : seen) {
    Node& node = *nodes_[one.node];
    if (node.disk) continue;  // it has failed since
    agent::Outcome outcome = std::visit(
        [&](const auto& what) -> agent::Outcome {
          using What = std::decay_t<decltype(what)>;
          if constexpr (std::is_same_v<What, ReportLayout>) {
            return node.book.layout_read(what);
          } else if constexpr (std::is_same_v<What, agent::OrderRefused>) {
            return {};  // nothing that physics does
          } else {
            const agent::LeaseKey key{what.lease, what.epoch};
            if constexpr (std::is_same_v<What, ReportPrepared>) return node.book.prepared(key);
            if constexpr (std::is_same_v<What, ReportPrepareFailed>) {
              return node.book.prepare_failed(key, what.reason);
            }
            if constexpr (std::is_same_v<What, ReportEnded>) {
              return node.book.ended(key, what.reason);
            }
            if constexpr (std::is_same_v<What, ReportReleased>) {
              return node.book.released(key, what.checkpoint);
            }
            if constexpr (std::is_same_v<What, ReportSuspended>) return node.book.suspended(key);
            if constexpr (std::is_same_v<What, ReportCheckpoint>) {
              return node.book.checkpoint(key, what.checkpoint);
            }
            if constexpr (std::is_same_v<What, ReportActivity>) {
              return node.book.activity(key, what.busy_ppm);
            }
          }
        },
        one.what);
    perform(node, std::move(outcome));
  }
}

void SimAgents::perform(Node& node, agent::Outcome outcome) {
  node.session->send(outcome.reports);
  for (const agent::Report& report : outcome.reports) {
    if (report.number == 0) ++refused_;
  }
  for (const agent::LayoutOrder& layout : outcome.layouts) {
    physics_.change_layout(node.index, layout);
  }
  for (const agent::TaskAction& action : outcome.tasks) {
    if (action.kind == agent::ActionKind::kStart) ++starts_;
    observe(physics_.act(node.index, action, node.book.find(action.key.lease)));
  }
  follow_due(node);
}

void SimAgents::follow_due(Node& node) {
  const TimeMs due = node.disk ? kNever : node.book.next_due();
  if (due == node.due) return;
  due_.erase({node.due, node.index});
  node.due = due;
  if (due != kNever) due_.insert({due, node.index});
}

// Only the network goes: it is told apart from a failure by what becomes of the tasks.
Status SimAgents::cut(const std::string& name) {
  const auto node = find(name);
  if (!node) return tl::unexpected(node.error());
  (*node)->session->close();
  return {};
}

Status SimAgents::fail(const std::string& name) {
  const auto found = find(name);
  if (!found) return tl::unexpected(found.error());
  Node& node = **found;
  {
    const std::lock_guard lock(mutex_);
    if (node.disk) {
      return berth::fail(ErrorCode::kConflict, "node '" + name + "' has failed already", "node");
    }
    catch_up();
    node.disk = node.book.save();
    physics_.lose(node.index);
    follow_due(node);
  }
  node.session->close();
  return {};
}

// A node that had failed finds in its book what ran, and that it runs no more.
Status SimAgents::bring_back(const std::string& name) {
  const auto found = find(name);
  if (!found) return tl::unexpected(found.error());
  Node& node = **found;
  {
    const std::lock_guard lock(mutex_);
    if (node.disk) {
      auto book = agent::LeaseBook::load(*node.disk);
      if (!book) return tl::unexpected(book.error());
      node.disk.reset();
      node.book = std::move(*book);
      node.book.set_node(name, node.spec.cards.size());
      std::vector<agent::LeaseKey> gone;
      for (const auto& [lease, task] : node.book.tasks()) gone.push_back(task.grant.key);
      for (const agent::LeaseKey& key : gone) perform(node, node.book.ended(key, EndReason::kLost));
      follow_due(node);
    }
  }
  node.session->open();
  return {};
}

Status SimAgents::set_token(const std::string& name, std::string token) {
  const auto node = find(name);
  if (!node) return tl::unexpected(node.error());
  const std::lock_guard lock(mutex_);
  (*node)->token = std::move(token);
  return {};
}

Status SimAgents::drop(const std::string& name) {
  const auto node = find(name);
  if (!node) return tl::unexpected(node.error());
  (*node)->session->drop();
  return {};
}

SimAgentsCounts SimAgents::counts() const {
  const std::lock_guard lock(mutex_);
  SimAgentsCounts counts;
  counts.tasks = physics_.tasks();
  counts.welcomes = welcomes_;
  counts.breaks = breaks_;
  counts.starts = starts_;
  counts.refused = refused_;
  for (const auto& node : nodes_) {
    if (node->stands) ++counts.sessions;
    counts.unacknowledged += node->book.unacknowledged().size();
  }
  return counts;
}

std::vector<agent::HeldLease> SimAgents::held(const std::string& name) const {
  const auto node = find(name);
  if (!node) return {};
  const std::lock_guard lock(mutex_);
  return (*node)->book.held();
}

Result<SimAgents::Node*> SimAgents::find(const std::string& name) const {
  for (const auto& node : nodes_) {
    if (node->spec.name == name) return node.get();
  }
  return berth::fail(ErrorCode::kNotFound, "there is no simulated node '" + name + "'", "node");
}

}  // namespace berth::sim
