// Session: one cluster that lives through a scenario: a controller over a memory journal, a clock
// that moves when the script says so, an executor that obeys it, and the transcript of what
// happened. A property test uses it like the runner does: line by line.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "control/controller.h"
#include "journal/memory_journal.h"
#include "model/gpu_model.h"
#include "sim/scenario/narrator.h"
#include "sim/scenario/scripted_executor.h"

namespace berth::sim {

class Session {
 public:
  // `catalog` must outlive the session; its models join when a node first names them. Without a
  // learner the demand mix is not learned.
  Session(const std::vector<GpuModel>& catalog, control::Learner* learner);
  ~Session();

  const engine::ClusterState& state() const;
  TimeMs now() const;
  ScriptedExecutor& executor() { return executor_; }

  // What the verbs are made of. A refused command is a line of the transcript, not an error; an
  // error means that the session itself is broken.
  Status execute(const Command& command);
  Status run_cycle();
  Status advance(DurationMs by);
  void say(std::string line) { narrator_.say(std::move(line)); }
  // Lets the executor answer until it has nothing more to say.
  Status settle();
  // Reports what the task's node says about it.
  Status answer(const ScriptedExecutor::Task& task);
  // Declares the model of the catalogue under this name unless the fleet knows it.
  Status join_model(const std::string& name);
  std::vector<std::string> model_names() const;
  bool learns() const { return learner_ != nullptr; }

  // Parses and runs one command line.
  Status run_line(std::string_view line);
  // The transcript since the last call.
  std::vector<std::string> take_transcript();

  // What the next cycle would decide, without committing it.
  Plan plan();
  // Drops the controller and builds it from the journal's bytes, as after a crash.
  Status restart();
  // The hash that a replay of the journal gives, and the one that saving and loading gives.
  Result<std::uint64_t> replayed_hash() const;
  Result<std::uint64_t> reloaded_hash() const;

 private:
  class TappedJournal;
  class SettableClock;
  class NoMetrics;
  class NoLearner;

  void make_controller();
  ScriptedExecutor::NodeView node_view() const;

  const std::vector<GpuModel>& catalog_;
  control::Learner* learner_;
  Narrator narrator_;
  ScriptedExecutor executor_;
  std::unique_ptr<TappedJournal> journal_;
  std::unique_ptr<SettableClock> clock_;
  std::unique_ptr<NoMetrics> metrics_;
  std::unique_ptr<NoLearner> no_learner_;
  std::unique_ptr<control::Controller> controller_;
};

}  // namespace berth::sim
