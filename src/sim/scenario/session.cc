#include "sim/scenario/session.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "sim/quota_warnings.h"
#include "sim/scenario/verbs.h"

namespace berth::sim {

// Keeps the records and tells the narrator of every batch. Behind a moment that was copied nothing
// can be kept: events are handed on instead.
class Session::TappedJournal final : public control::Journal {
 public:
  enum class Keeps : std::uint8_t { kRecords, kNews };

  TappedJournal(Narrator& narrator, const ScriptedExecutor& executor, Keeps keeps)
      : narrator_(narrator), executor_(executor), keeps_(keeps) {}

  Status append(std::uint64_t first_revision, std::span<const EventBatch> batches) override {
    if (keeps_ == Keeps::kRecords) {
      if (auto s = kept_.append(first_revision, batches); !s) return s;
    }
    for (const EventBatch& events : batches) {
      if (keeps_ == Keeps::kNews) news_.insert(news_.end(), events.begin(), events.end());
      narrator_.hear(events, executor_.mode() == ScriptedExecutor::Mode::kManual
                                 ? Narrator::Detail::kBarrier
                                 : Narrator::Detail::kPlaces);
    }
    return {};
  }
  Status replay(std::uint64_t after,
                const std::function<Status(const EventBatch&)>& visit) const override {
    BERTH_CHECK(keeps_ == Keeps::kRecords);
    return kept_.replay(after, visit);
  }
  std::vector<Event> take_news() { return std::exchange(news_, {}); }

  // Continues from the bytes alone.
  Status reopen() {
    BERTH_CHECK(keeps_ == Keeps::kRecords);
    auto opened = journal::MemoryJournal::open(kept_.bytes());
    if (!opened) return tl::unexpected(opened.error());
    kept_ = std::move(*opened);
    return {};
  }

 private:
  Narrator& narrator_;
  const ScriptedExecutor& executor_;
  Keeps keeps_;
  journal::MemoryJournal kept_;
  std::vector<Event> news_;
};

class Session::NoMetrics final : public control::Metrics {
 public:
  void count(std::string_view /*name*/, std::uint64_t /*by*/) override {}
};

Session::Session(const std::vector<GpuModel>& catalog)
    : catalog_(catalog),
      journal_(
          std::make_unique<TappedJournal>(narrator_, executor_, TappedJournal::Keeps::kRecords)),
      metrics_(std::make_unique<NoMetrics>()) {
  make_controller();
}

Session::Session(const std::vector<GpuModel>& catalog, const Moment& from)
    : catalog_(catalog),
      narrator_(from.state),
      journal_(std::make_unique<TappedJournal>(narrator_, executor_, TappedJournal::Keeps::kNews)),
      metrics_(std::make_unique<NoMetrics>()),
      learner_(from.learner) {
  if (from.executor != nullptr) executor_ = *from.executor;
  executor_.set_mode(ScriptedExecutor::Mode::kManual);
  clock_.advance(from.now);
  control::ControllerOptions options;
  options.fast_path = from.fast_path;
  options.plan_on = control::PlanOn::kLiveState;
  const control::Ports ports{*journal_, executor_, clock_, *metrics_, learner_};
  controller_ = std::make_unique<control::Controller>(ports, options, from.state);
}

Moment Session::moment() const {
  return {state(), now(), learner_, control::ControllerOptions{}.fast_path, &executor_};
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
  if (!reply) refuse(reply.error());
  return settle();
}

void Session::refuse(Error error) {
  say("refused: " + error.to_text());
  if (!refusal_) refusal_ = std::move(error);
}

void Session::miss(const std::string& line) {
  say(line);
  if (!refusal_) refusal_ = Error{ErrorCode::kNotFound, line, {}};
}

void Session::pass_to(TimeMs at) { clock_.advance(at); }

std::vector<Event> Session::take_events() { return journal_->take_news(); }

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
  const Status status = journal_->replay(0, [&state](const EventBatch& events) -> Status {
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
