#include "sim/scenario/session.h"

#include <algorithm>
#include <utility>

#include "sim/quota_warnings.h"
#include "sim/scenario/verbs.h"

namespace berth::sim {

// Keeps the records and tells the narrator of every batch.
class Session::TappedJournal final : public control::Journal {
 public:
  TappedJournal(Narrator& narrator, const ScriptedExecutor& executor)
      : narrator_(narrator), executor_(executor) {}

  Status append(std::uint64_t first_revision, const EventBatch& events) override {
    if (auto s = kept_.append(first_revision, events); !s) return s;
    narrator_.hear(events, executor_.mode() == ScriptedExecutor::Mode::kManual
                               ? Narrator::Detail::kBarrier
                               : Narrator::Detail::kPlaces);
    return {};
  }
  Status replay(const std::function<Status(const EventBatch&)>& visit) const override {
    return kept_.replay(visit);
  }

  // Continues from the bytes alone.
  Status reopen() {
    auto opened = journal::MemoryJournal::open(kept_.bytes());
    if (!opened) return tl::unexpected(opened.error());
    kept_ = std::move(*opened);
    return {};
  }

 private:
  Narrator& narrator_;
  const ScriptedExecutor& executor_;
  journal::MemoryJournal kept_;
};

class Session::NoMetrics final : public control::Metrics {
 public:
  void count(std::string_view /*name*/, std::uint64_t /*by*/) override {}
};

Session::Session(const std::vector<GpuModel>& catalog)
    : catalog_(catalog),
      journal_(std::make_unique<TappedJournal>(narrator_, executor_)),
      metrics_(std::make_unique<NoMetrics>()) {
  make_controller();
}

Session::~Session() = default;

void Session::make_controller() {
  const control::Ports ports{*journal_, executor_, clock_, *metrics_, learner_};
  controller_ = std::make_unique<control::Controller>(ports, control::ControllerOptions{});
}

const engine::ClusterState& Session::state() const { return controller_->state(); }

TimeMs Session::now() const { return clock_.now(); }

Status Session::execute(const Command& command) {
  const auto reply = controller_->execute(command);
  if (!reply) say("refused: " + reply.error().to_text());
  return settle();
}

Status Session::run_cycle() {
  if (auto s = controller_->run_cycle(); !s) return s;
  return settle();
}

Status Session::advance(DurationMs by) {
  clock_.advance(saturating_add(clock_.now(), by));
  return execute(Command{Tick{}, {}, {}});
}

Status Session::settle() {
  while (const auto report = executor_.next_report(node_view())) {
    const auto reply = controller_->execute(*report);
    if (!reply) return tl::unexpected(reply.error());
  }
  return {};
}

Status Session::answer(const ScriptedExecutor::Task& task) {
  return execute(executor_.answer(task, node_view()));
}

ScriptedExecutor::NodeView Session::node_view() const {
  return [this](NodeIndex index) {
    const engine::NodeRecord& node = state().node(index);
    return std::pair(node.spec->name, node.condition);
  };
}

Status Session::join_model(const std::string& name) {
  if (!state().find_model(name).is_none()) return {};
  for (const GpuModel& model : catalog_) {
    const bool is_alias =
        std::find(model.aliases.begin(), model.aliases.end(), name) != model.aliases.end();
    if (model.name == name || is_alias) return execute(Command{DeclareModel{model}, {}, {}});
  }
  return {};
}

std::vector<std::string> Session::model_names() const {
  std::vector<std::string> names = state().model_names();
  for (const GpuModel& model : catalog_) names.push_back(model.name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Status Session::run_line(std::string_view line) {
  const auto step = parse_step(line);
  if (!step) return tl::unexpected(step.error());
  return step->run(*this);
}

std::vector<std::string> Session::take_transcript() { return narrator_.take(state()); }

std::vector<std::string> Session::take_warnings() {
  const std::vector<std::string> before = std::exchange(warned_, promise_warnings(state()));
  std::vector<std::string> lines;
  for (const std::string& warning : warned_) {
    if (std::find(before.begin(), before.end(), warning) != before.end()) continue;
    lines.push_back("warn " + warning);
  }
  return lines;
}

Rejections Session::why(JobId job) { return controller_->why(job); }

Plan Session::plan() { return controller_->plan(); }

Status Session::restart() {
  controller_.reset();
  if (auto s = journal_->reopen(); !s) return s;
  make_controller();
  return controller_->recover();
}

Result<engine::ClusterState> Session::replayed() const {
  engine::ClusterState state;
  const Status status = journal_->replay([&state](const EventBatch& events) -> Status {
    for (const Event& event : events) state.apply(event);
    return {};
  });
  if (!status) return tl::unexpected(status.error());
  return state;
}

Result<engine::ClusterState> Session::reloaded() const {
  return engine::ClusterState::load(state().save());
}

}  // namespace berth::sim
