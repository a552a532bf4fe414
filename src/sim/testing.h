// Small simulations for tests of what happens to running jobs. Tests only.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "control/learner.h"
#include "engine/state/invariants.h"
#include "journal/memory_journal.h"
#include "model/testing.h"
#include "sim/simulation.h"

namespace berth::sim::testing {

namespace t = berth::testing;

// Nodes of four plain cards, two of them to a leaf, one queue, no delays anywhere.
inline SimInput quiet_input(int nodes, std::vector<SimJob> jobs) {
  SimInput input;
  input.name = "quiet";
  input.models = {t::plain_model("plain", 40'000)};
  input.models.front().suspension = ProcessSuspension{2, 2'000, 5'000, 0};
  input.topology.levels = {"card", "node", "leaf"};
  input.queues = {t::queue("q")};
  for (int n = 0; n < nodes; ++n) {
    NodeSpec node = t::node("n" + std::to_string(n), "plain", 4);
    node.domains = {{"leaf", "leaf-" + std::to_string(n / 2)}};
    input.nodes.push_back(std::move(node));
  }
  input.jobs = std::make_unique<ListedJobs>(std::move(jobs));
  return input;
}

inline CheckpointSpec checkpoint(DurationMs interval_ms, DurationMs duration_ms,
                                 DurationMs restart_ms) {
  CheckpointSpec spec;
  spec.method = CheckpointMethod::kSignal;
  spec.interval_ms = interval_ms;
  spec.duration_ms = duration_ms;
  spec.restart_ms = restart_ms;
  spec.grace_ms = 2 * kMinuteMs;
  spec.acknowledges = true;
  return spec;
}

inline SimJob train(std::string name, std::uint32_t cards, std::uint32_t tasks, DurationMs run_ms,
                    const CheckpointSpec& saves) {
  JobSpec spec = t::job("q", t::whole(cards), tasks);
  spec.checkpoint = saves;
  return {0, std::move(name), std::make_shared<const JobSpec>(std::move(spec)), run_ms};
}

struct Played {
  RunResult result;
  WorkSums work;
  std::vector<Event> events;
};

inline Played play(SimInput input) {
  journal::MemoryJournal journal;
  control::FitLearner learner;
  Simulation simulation(std::move(input), {journal, learner});
  Played played;
  const Status begun = simulation.begin();
  EXPECT_TRUE(begun) << begun.error().to_text();
  const Status done = simulation.run([&](const Progress& progress) {
    for (const std::string& broken : engine::broken_invariants(simulation.state())) {
      ADD_FAILURE() << broken << ", at " << progress.at << " ms";
    }
  });
  EXPECT_TRUE(done) << done.error().to_text();
  played.result = simulation.result();
  played.work = simulation.work();
  EXPECT_TRUE(journal.replay(0, [&](const EventBatch& batch) -> Status {
    played.events.insert(played.events.end(), batch.begin(), batch.end());
    return {};
  }));
  return played;
}

// What was leased, from the journal alone.
inline CardWork leased(const std::vector<Event>& events, TimeMs end) {
  struct Open {
    CardUnits cards = 0;
    TimeMs since = 0;
  };
  std::map<LeaseId, Open> open;
  std::map<LeaseId, CardUnits> cards;
  CardWork sum = 0;
  const auto close = [&](LeaseId lease, TimeMs at) {
    const auto found = open.find(lease);
    if (found == open.end()) return;
    sum += card_work(found->second.cards, at - found->second.since);
    open.erase(found);
  };
  for (const Event& event : events) {
    if (const auto* granted = std::get_if<LeaseGranted>(&event.body)) {
      CardUnits held = 0;
      for (const CardGrant& grant : granted->placement.grants) held += grant.compute;
      cards[granted->lease] = held;
      open[granted->lease] = {held, event.at};
    } else if (const auto* released = std::get_if<LeaseReleased>(&event.body)) {
      close(released->lease, event.at);
    } else if (const auto* suspended = std::get_if<LeaseSuspended>(&event.body)) {
      close(suspended->lease, event.at);
    } else if (const auto* resumed = std::get_if<LeaseResumed>(&event.body)) {
      open[resumed->lease] = {cards[resumed->lease], event.at};
    }
  }
  while (!open.empty()) close(open.begin()->first, end);
  return sum;
}

}  // namespace berth::sim::testing
