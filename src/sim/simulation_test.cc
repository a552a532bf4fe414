#include "sim/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/file.h"
#include "codec/gpu_model_codec.h"
#include "control/learner.h"
#include "engine/state/invariants.h"
#include "journal/memory_journal.h"
#include "model/testing.h"
#include "sim/workload/generator.h"

namespace berth::sim {
namespace {

GpuModel a100() {
  return *codec::load<GpuModel>(std::string(BERTH_SOURCE_DIR) + "/data/gpus/a100-sxm4-80gb.yaml");
}

ShapeChoice shape(ShareKind kind, std::uint32_t devices, std::uint32_t tasks) {
  ShapeChoice choice;
  choice.tasks = tasks;
  choice.cpu_milli = 4000;
  choice.memory_mib = 8192;
  choice.devices.count = devices;
  choice.devices.kind = kind;
  if (kind == ShareKind::kShare) choice.devices.compute = kCard / 2;
  if (kind == ShareKind::kMig) choice.devices.mig_profile = "2g.20gb";
  return choice;
}

StreamSpec stream(const std::string& name, JobClass job_class, std::vector<ShapeChoice> shapes) {
  StreamSpec spec;
  spec.name = name;
  spec.job_class = job_class;
  spec.arrivals.per_hour = 240;
  spec.shapes = std::move(shapes);
  spec.durations.kind = DurationKind::kExponential;
  spec.durations.value_ms = 12 * kMinuteMs;
  spec.teams = {{"red", 2}, {"blue", 1}};
  spec.jobs = 60;
  return spec;
}

// Four nodes, one of them cut by MIG, under more work than they hold at once.
SimInput small_input(std::uint64_t seed) {
  SimInput input;
  input.name = "small";
  input.models = {a100()};
  for (const char* name : {"red", "blue"}) {
    QueueSpec queue;
    queue.name = name;
    input.queues.push_back(queue);
  }
  for (int i = 1; i <= 4; ++i) {
    NodeSpec node;
    node.name = "n" + std::to_string(i);
    node.model = input.models.front().name;
    node.cpu_milli = 64'000;
    node.memory_mib = 262'144;
    node.cards.resize(4);
    if (i == 4) {
      for (CardSpec& card : node.cards) card.mig = MigRegime::kDynamic;
    }
    input.nodes.push_back(node);
  }
  std::vector<std::unique_ptr<JobSource>> sources;
  for (const StreamSpec& spec :
       {stream("serve", JobClass::kInference,
               {shape(ShareKind::kShare, 1, 1), shape(ShareKind::kMig, 1, 1)}),
        stream("train", JobClass::kTraining,
               {shape(ShareKind::kWhole, 1, 1), shape(ShareKind::kWhole, 2, 3)})}) {
    sources.push_back(std::make_unique<Generator>(spec, seed));
  }
  input.jobs = std::make_unique<MergedJobs>(std::move(sources));
  input.settings.seed = seed;
  input.settings.executor.prepare.kind = DurationKind::kExponential;
  input.settings.executor.prepare.value_ms = 5000;
  input.settings.executor.release_ms = 1000;
  input.settings.executor.prepare_failure_ppm = 50'000;
  input.settings.planner.delay_ms = 2000;
  return input;
}

struct Played {
  RunResult result;
  std::string journal;
};

Played play(SimInput input) {
  journal::MemoryJournal journal;
  control::FitLearner learner;
  Simulation simulation(std::move(input), {journal, learner});
  EXPECT_TRUE(simulation.begin());
  // By then a cycle has come and gone: one is due every second, and its plan takes two.
  constexpr DurationMs kConsidered = 10 * kSecondMs;
  std::size_t samples = 0;
  const Status done = simulation.run([&](const Progress& progress) {
    ++samples;
    for (const std::string& broken : engine::broken_invariants(simulation.state())) {
      ADD_FAILURE() << broken << ", at " << progress.at << " ms";
    }
    for (const std::string& broken :
         engine::unexplained_jobs(simulation.state(), progress.at - kConsidered)) {
      ADD_FAILURE() << broken << ", at " << progress.at << " ms";
    }
  });
  EXPECT_GT(samples, 0U);
  EXPECT_TRUE(done) << done.error().to_text();
  return {simulation.result(), journal.bytes()};
}

std::vector<Event> events_of(const std::string& bytes) {
  std::vector<Event> events;
  const auto journal = journal::MemoryJournal::open(bytes);
  EXPECT_TRUE(journal);
  EXPECT_TRUE(journal->replay(0, [&](const EventBatch& batch) -> Status {
    events.insert(events.end(), batch.begin(), batch.end());
    return {};
  }));
  return events;
}

TEST(Simulation, EveryJobIsPlayedToItsEnd) {
  const RunResult result = play(small_input(1)).result;
  EXPECT_EQ(result.jobs.submitted, 120);
  EXPECT_EQ(result.jobs.finished, 120);
  EXPECT_EQ(result.jobs.waiting + result.jobs.running + result.jobs.refused, 0);
  EXPECT_GT(result.wait.max_ms, kMinuteMs);
  EXPECT_EQ(result.fleet.cards, 16);
  double hours = 0;
  for (const JobGroup& group : result.classes) hours += group.gpu_hours;
  EXPECT_NEAR(hours, result.models.front().used_gpu_hours, 1e-6);
  EXPECT_LT(hours, result.models.front().capacity_gpu_hours);
  ASSERT_FALSE(result.samples.empty());
  for (const Sample& sample : result.samples) EXPECT_LE(sample.allocated_cards.front(), 16.0);
}

TEST(Simulation, OneSeedGivesOneHashAndAnotherAnother) {
  const Played first = play(small_input(7));
  const Played second = play(small_input(7));
  EXPECT_EQ(first.result.state_hash, second.result.state_hash);
  EXPECT_EQ(first.journal, second.journal);
  EXPECT_NE(first.journal, play(small_input(8)).journal);
}

TEST(Simulation, PlanningOnAReplicaDecidesTheSame) {
  SimInput live = small_input(3);
  live.settings.planner.plan_on = control::PlanOn::kLiveState;
  EXPECT_EQ(play(std::move(live)).journal, play(small_input(3)).journal);
}

TEST(Simulation, AReplayOfTheJournalEndsInTheSameState) {
  const Played played = play(small_input(2));
  engine::ClusterState state;
  for (const Event& event : events_of(played.journal)) state.apply(event);
  EXPECT_EQ(state.hash(), played.result.state_hash);
}

TEST(Simulation, AStateSavedAndLoadedAfterEachEventEndsTheSame) {
  const Played played = play(small_input(4));
  const std::vector<Event> events = events_of(played.journal);
  engine::ClusterState state;
  for (std::size_t cut = 0; cut < events.size(); ++cut) {
    // a state saved here and loaded goes on like one that was never saved
    auto loaded = engine::ClusterState::load(state.save());
    ASSERT_TRUE(loaded) << loaded.error().to_text();
    ASSERT_EQ(loaded->hash(), state.hash()) << "after " << cut << " events";
    state = std::move(*loaded);
    state.apply(events[cut]);
  }
  EXPECT_EQ(state.hash(), played.result.state_hash);
}

TEST(Simulation, AJournalTornInsideARecordKeepsTheRecordsBeforeIt) {
  const Played played = play(small_input(5));
  const std::vector<Event> events = events_of(played.journal);
  for (std::size_t bytes = played.journal.size() / 2; bytes < played.journal.size() / 2 + 400;
       bytes += 7) {
    const auto journal = journal::MemoryJournal::open(played.journal.substr(0, bytes));
    ASSERT_TRUE(journal);
    engine::ClusterState state;
    ASSERT_TRUE(journal->replay(0, [&](const EventBatch& batch) -> Status {
      for (const Event& event : batch) state.apply(event);
      return {};
    }));
    ASSERT_EQ(state.revision(), journal->revision());
    for (std::size_t i = state.revision(); i < events.size(); ++i) state.apply(events[i]);
    EXPECT_EQ(state.hash(), played.result.state_hash);
  }
}

// Preparations of 5 minutes on average, and 2 minutes for a start.
TEST(Simulation, AStartThatTakesTooLongIsGivenUpAndTriedAgain) {
  SimInput input = small_input(9);
  input.settings.executor.prepare.value_ms = 5 * kMinuteMs;
  input.policy.start_timeout_ms = 2 * kMinuteMs;
  input.policy.backoff_most_ms = kMinuteMs;
  const Played played = play(std::move(input));
  EXPECT_EQ(played.result.jobs.finished, 120);
  int given_up = 0;
  for (const Event& event : events_of(played.journal)) {
    const auto* held = std::get_if<JobHeld>(&event.body);
    if (held == nullptr || held->reasons->front().rule != Rule::kBackoff) continue;
    if (held->reasons->front().place.ends_with("prepared in time")) ++given_up;
  }
  EXPECT_GT(given_up, 20);
}

TEST(Simulation, StopsAtItsDuration) {
  SimInput input = small_input(6);
  input.settings.duration_ms = 20 * kMinuteMs;
  const RunResult result = play(std::move(input)).result;
  EXPECT_EQ(result.duration_ms, 20 * kMinuteMs);
  EXPECT_EQ(result.samples.size(), 5U);  // at 0, 5, 10, 15 and 20 minutes
  EXPECT_GT(result.jobs.running, 0);
}

// Shares of these sizes, in percent of a card, arrive on two cards and stay; the run ends with
// them.
SimInput shares_that_stay(const std::vector<int>& percents) {
  SimInput input = small_input(1);
  input.nodes.resize(1);
  input.nodes[0].cards.resize(2);
  input.settings.executor = {};
  input.settings.planner.fast_path = control::FastPath::kEveryClass;
  input.settings.duration_ms = kHourMs;
  std::vector<SimJob> jobs;
  for (const int percent : percents) {
    JobSpec spec = berth::testing::job("red", berth::testing::share(kCard / 100 * percent));
    const auto at = static_cast<TimeMs>(jobs.size() + 1) * kMinuteMs;
    jobs.push_back({at, "j" + std::to_string(at), std::make_shared<const JobSpec>(std::move(spec)),
                    24 * kHourMs});
  }
  input.jobs = std::make_unique<ListedJobs>(std::move(jobs));
  return input;
}

std::vector<MixEntry> mix_of_share(int percent) {
  MixEntry entry;
  entry.weight = 1;
  entry.shape.devices = {berth::testing::share(kCard / 100 * percent)};
  return {entry};
}

std::size_t fits_in(const std::string& journal) {
  std::size_t fits = 0;
  for (const Event& event : events_of(journal)) {
    if (std::holds_alternative<FitObserved>(event.body)) ++fits;
  }
  return fits;
}

// Two shares of 30 % leave room for two of 70 % only if each goes to a card of its own, and for two
// of 40 % beside a whole free card only if they share one: nobody can know without the mix.
TEST(Simulation, AGivenMixDecidesFromTheFirstJobOnAndIsKept) {
  const auto running = [](const std::vector<int>& percents, int expected) {
    SimInput input = shares_that_stay(percents);
    input.policy.learn_mix = false;
    input.mix = mix_of_share(expected);
    const Played played = play(std::move(input));
    EXPECT_EQ(fits_in(played.journal), 1U);
    return played.result.jobs.running;
  };
  EXPECT_EQ(running({30, 30, 70, 70}, 70), 4);
  EXPECT_EQ(running({30, 30, 70, 70}, 30), 3);
  EXPECT_EQ(running({30, 30, 40, 100}, 70), 3);
  EXPECT_EQ(running({30, 30, 40, 100}, 100), 4);
  EXPECT_EQ(running(std::vector<int>(48, 1), 70), 48);  // enough arrivals to learn from
}

TEST(Simulation, APolicyThatLearnsStartsWithAGivenMix) {
  SimInput input = shares_that_stay({30, 30, 70, 70});
  input.mix = mix_of_share(70);
  EXPECT_EQ(play(std::move(input)).result.jobs.running, 4);
  input = shares_that_stay(std::vector<int>(40, 1));
  input.mix = mix_of_share(70);
  EXPECT_EQ(fits_in(play(std::move(input)).journal), 2U);  // the given one, and at 32 arrivals
}

// One job of three tasks of two cards each, at one minute, that runs for ten seconds.
SimInput one_gang(DurationSpec start_up) {
  SimInput input = small_input(1);
  input.settings.executor = {};
  input.settings.executor.start_up = std::move(start_up);
  input.settings.planner = {};
  JobSpec spec = berth::testing::job("red", berth::testing::whole(2), 3);
  input.jobs = std::make_unique<ListedJobs>(std::vector<SimJob>{
      {kMinuteMs, "gang", std::make_shared<const JobSpec>(std::move(spec)), 10 * kSecondMs}});
  return input;
}

TEST(Simulation, TheRunTimeBeginsAfterTheStartUp) {
  EXPECT_EQ(play(one_gang({})).result.duration_ms, 70 * kSecondMs);
  DurationSpec start_up;
  start_up.value_ms = 20 * kSecondMs;
  const RunResult result = play(one_gang(start_up)).result;
  EXPECT_EQ(result.jobs.finished, 1);
  EXPECT_EQ(result.duration_ms, 90 * kSecondMs);
  EXPECT_EQ(result.wait.max_ms, 0);  // it waits for its place, not for its own start-up
  EXPECT_NEAR(result.start_up_gpu_hours, 6 * 20 / 3600.0, 1e-9);
  EXPECT_NEAR(result.models.front().used_gpu_hours, 6 * 30 / 3600.0, 1e-9);
}

TEST(Simulation, TheTasksOfAGangStartUpTogether) {
  DurationSpec start_up;
  start_up.kind = DurationKind::kLognormal;
  start_up.value_ms = 20 * kSecondMs;
  const Played played = play(one_gang(start_up));
  std::vector<TimeMs> ends;
  for (const Event& event : events_of(played.journal)) {
    if (std::holds_alternative<LeaseReleased>(event.body)) ends.push_back(event.at);
  }
  ASSERT_EQ(ends.size(), 3U);
  EXPECT_EQ(ends.front(), ends.back());
  EXPECT_NE(ends.front(), 90 * kSecondMs);  // a draw, not the median
  EXPECT_GT(ends.front(), 70 * kSecondMs);
}

TEST(Simulation, AJobThatTheFleetRefusesIsCounted) {
  SimInput input = small_input(1);
  auto spec = std::make_shared<JobSpec>();
  spec->queue = "green";
  Role role;
  role.containers.resize(1);
  spec->roles.push_back(role);
  input.jobs = std::make_unique<ListedJobs>(std::vector<SimJob>{{5, "j", spec, 10}});
  const RunResult result = play(std::move(input)).result;
  EXPECT_EQ(result.jobs.submitted, 1);
  EXPECT_EQ(result.jobs.refused, 1);
  EXPECT_THAT(result.first_refusal, ::testing::HasSubstr("'green' is not a queue"));
}

// Four nodes of four cards, one of them cut by MIG: five cards on a node and five nodes are too
// many, and who waits only for others to end is no misfit.
TEST(Simulation, JobsThatAnEmptyFleetCouldNotHoldAreWarnedOf) {
  SimInput input = small_input(1);
  std::vector<SimJob> jobs;
  const auto add = [&](const std::string& name, std::uint32_t cards, std::uint32_t tasks) {
    auto spec = std::make_shared<JobSpec>();
    spec->queue = "red";
    Role role;
    role.count = tasks;
    role.containers.resize(1);
    role.containers.front().devices.count = cards;
    spec->roles.push_back(role);
    const auto at = static_cast<TimeMs>(jobs.size());
    jobs.push_back({at, name, std::move(spec), kHourMs});
  };
  add("fills", 4, 3);
  add("later", 4, 3);
  add("wide", 5, 1);
  add("gang", 4, 5);
  add("wider", 5, 1);
  input.jobs = std::make_unique<ListedJobs>(std::move(jobs));
  input.settings.duration_ms = kMinuteMs;
  const RunResult result = play(std::move(input)).result;
  EXPECT_EQ(result.jobs.waiting, 4);
  EXPECT_THAT(result.warnings,
              ::testing::ElementsAre(::testing::AllOf(
                  ::testing::StartsWith("3 jobs still wait that this fleet could not hold even "
                                        "when empty; the first: wide: asks 5 cards on one node"),
                  ::testing::HasSubstr("no node has more than 4"))));
}

}  // namespace
}  // namespace berth::sim
