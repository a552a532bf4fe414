// Session: one cluster that lives through a scenario: a controller over a memory journal, a clock
// that moves when the script says so, an executor that obeys it, and the transcript of what
// happened. A property test uses it like the runner does: line by line.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "control/controller.h"
#include "control/learner.h"
#include "journal/memory_journal.h"
#include "model/gpu_model.h"
#include "sim/scenario/narrator.h"
#include "sim/scenario/scripted_executor.h"
#include "sim/virtual_clock.h"

namespace berth::sim {

// A cluster at an instant, wherever it lives.
struct Moment {
  const engine::ClusterState& state;
  TimeMs now = 0;
  const control::FitLearner& learner;
  control::FastPath fast_path = control::FastPath::kInference;
  const ScriptedExecutor* executor = nullptr;  // whose nodes know of faults; null: none does
};

class Session {
 public:
  // `catalog` must outlive the session; its models join when a node first names them.
  explicit Session(const std::vector<GpuModel>& catalog);
  // Goes on from a copy of the moment, by hand: its tasks are prepared and given back when somebody
  // answers for them. It has no journal, so it cannot be restarted or replayed.
  Session(const std::vector<GpuModel>& catalog, const Moment& from);
  ~Session();

  Moment moment() const;
  const std::vector<GpuModel>& catalog() const { return catalog_; }

  const engine::ClusterState& state() const;
  TimeMs now() const;
  ScriptedExecutor& executor() { return executor_; }

  // What the verbs are made of. A refused command is a line of the transcript, not an error; an
  // error means that the session itself is broken.
  Status execute(const Command& command);
  Status run_cycle();
  Status advance(DurationMs by);
  void say(std::string line) { narrator_.say(std::move(line)); }
  // The clock alone, to an instant that is not past: nobody is told.
  void pass_to(TimeMs at);
  // Whether a command was refused since the last call, and why.
  std::optional<Error> take_refusal() { return std::exchange(refusal_, std::nullopt); }
  // What was committed since the last call; of a session that goes on from a moment.
  std::vector<Event> take_events();
  // When a cycle may be needed though nothing has happened.
  TimeMs next_due() const { return controller_->next_due(); }
  // Whether a job of the name was ever submitted.
  bool has_seen(const std::string& job) const { return narrator_.has_seen(job); }
  // A refusal that is found before the controller is asked; what the command names is not there.
  void refuse(Error error);
  void miss(const std::string& line);
  // Lets the executor answer until it has nothing more to say.
  Status settle();
  // Reports what the task's node says about it.
  Status answer(const ScriptedExecutor::Task& task);
  // Declares the model of the catalogue under this name unless the fleet knows it.
  Status join_model(const std::string& name);
  std::vector<std::string> model_names() const;

  // Parses and runs one command line.
  Status run_line(std::string_view line);
  // The transcript since the last call.
  std::vector<std::string> take_transcript();
  // What has been promised in vain since the last call, if other than then.
  std::vector<std::string> take_warnings();

  // Why a pending job waits, in numbers of this moment; empty when it fits now.
  Rejections why(JobId job);
  engine::Outlook eta(JobId job) const { return controller_->eta(job); }
  std::vector<engine::Fix> fixes(JobId job) const { return controller_->fixes(job); }
  // What the next cycle would decide, without committing it.
  Plan plan();
  // Drops the controller and builds it from the journal's bytes, as after a crash.
  Status restart();
  // The state that a replay of the journal gives, and the one that saving and loading gives.
  Result<engine::ClusterState> replayed() const;
  Result<engine::ClusterState> reloaded() const;

 private:
  class TappedJournal;
  class NoMetrics;

  void make_controller();
  ScriptedExecutor::NodeView node_view() const;

  const std::vector<GpuModel>& catalog_;
  Narrator narrator_;
  ScriptedExecutor executor_;
  std::unique_ptr<TappedJournal> journal_;
  VirtualClock clock_;
  std::unique_ptr<NoMetrics> metrics_;
  control::FitLearner learner_;
  std::unique_ptr<control::Controller> controller_;
  std::vector<std::string> warned_;
  std::optional<Error> refusal_;  // the first since it was asked for
};

}  // namespace berth::sim
