#include "sim/replay/replay.h"

#include <utility>

#include "control/learner.h"
#include "engine/cycle/engine.h"
#include "journal/memory_journal.h"

namespace berth::sim {

Result<Recorded> read_recorded(const control::Journal& journal, engine::ClusterState from,
                               DurationMs objective_ms) {
  control::FitLearner learner;
  TenantTally tally(learner, objective_ms);
  Recorded recorded;
  recorded.load.begin(from);
  tally.begin(from);
  const std::uint64_t after = from.revision();
  engine::Engine engine(std::move(from));
  const Status replayed = journal.replay(after, [&](const EventBatch& batch) -> Status {
    for (const Event& event : batch) {
      engine.apply(event);
      recorded.load.observe(event, engine.state());
      tally.observe(event, engine.state());
    }
    return {};
  });
  if (!replayed) return tl::unexpected(replayed.error());
  recorded.end = engine.state();
  recorded.figures = tally.figures(recorded.end, recorded.end.now());
  if (recorded.end.nodes().empty()) return invalid("has no nodes: there is nothing to play");
  return recorded;
}

Result<Played> play_recorded(const Recorded& recorded, const PolicySpec& policy,
                             DurationMs objective_ms, const ProgressSink& progress) {
  SimInput input = recorded.load.input(recorded.end);
  input.name = "replay";
  input.policy = policy;
  journal::MemoryJournal journal;
  control::FitLearner learner;
  TenantTally tally(learner, objective_ms);
  tally.leave_out(recorded.load.under_way());
  Simulation simulation(std::move(input), {journal, tally});
  if (auto s = simulation.begin(); !s) return tl::unexpected(s.error());
  if (auto s = simulation.run(progress); !s) return tl::unexpected(s.error());
  return Played{policy.name, tally.figures(simulation.state(), simulation.now()),
                simulation.result()};
}

}  // namespace berth::sim
