#include "bench/speed/simulator_case.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "bench/common/cpu_clock.h"
#include "control/learner.h"
#include "journal/memory_journal.h"
#include "sim/load.h"
#include "sim/simulation.h"

namespace berth::bench::speed {
namespace {

std::unique_ptr<control::Journal> journal_of(KeptJournal journal) {
  if (journal == KeptJournal::kNone) return std::make_unique<journal::NullJournal>();
  return std::make_unique<journal::MemoryJournal>();
}

}  // namespace

Result<SimulatorRun> play_simulator(const std::string& data, KeptJournal journal,
                                    std::optional<DurationMs> duration_ms) {
  sim::Overrides overrides;
  overrides.duration_ms = duration_ms;
  auto loaded =
      sim::load_simulation(data + "/workloads/sim-events.yaml", sim::Places{data, {}}, overrides);
  if (!loaded) return tl::unexpected(loaded.error());
  const auto kept = journal_of(journal);
  control::FitLearner learner;
  SimulatorRun run;
  const double start_s = cpu_seconds();
  sim::Simulation simulation(std::move(loaded->input), {*kept, learner});
  if (auto s = simulation.begin(); !s) return tl::unexpected(s.error());
  if (auto s = simulation.run({}); !s) return tl::unexpected(s.error());
  run.cpu_s = cpu_seconds() - start_s;
  run.events = simulation.state().revision();
  run.state_hash = simulation.state().hash();
  return run;
}

Result<double> simulator_events_per_s(const std::string& data, KeptJournal journal,
                                      std::size_t repeat) {
  double best = 0;
  for (std::size_t i = 0; i <= repeat; ++i) {
    const auto run = play_simulator(data, journal);
    if (!run) return tl::unexpected(run.error());
    if (i == 0) continue;  // warm-up
    best = std::max(best, static_cast<double>(run->events) / run->cpu_s);
  }
  return best;
}

}  // namespace berth::bench::speed
