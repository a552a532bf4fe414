// A run that was recorded, read and played again.
#include "sim/replay/replay.h"

#include <gtest/gtest.h>

#include <numeric>

#include "control/learner.h"
#include "journal/memory_journal.h"
#include "model/testing.h"

namespace berth::sim {
namespace {

namespace t = berth::testing;

constexpr DurationMs kObjective = kMinuteMs;

SimJob job(TimeMs at, const std::string& name, const std::string& queue, std::uint32_t cards,
           DurationMs run_ms) {
  JobSpec spec = t::job(queue, t::whole(cards));
  return {at, name, std::make_shared<const JobSpec>(std::move(spec)), run_ms};
}

// Two queues on 8 cards; the second job of `b` has to wait until one of `a` ends.
SimInput input(std::vector<SimJob> jobs) {
  SimInput input;
  input.models = {t::plain_model("A100", 80 * 1024)};
  input.queues = {t::queue("a"), t::queue("b")};
  input.nodes = {t::node("n1", input.models.front().name, 8)};
  input.jobs = std::make_unique<ListedJobs>(std::move(jobs));
  input.settings.duration_ms = 10 * kHourMs;
  return input;
}

std::vector<SimJob> some_jobs() {
  return {job(kMinuteMs, "a1", "a", 8, kHourMs), job(2 * kMinuteMs, "b1", "b", 4, kHourMs),
          job(3 * kMinuteMs, "b2", "b", 8, 2 * kHourMs), job(5 * kHourMs, "a2", "a", 1, kMinuteMs)};
}

// The journal of a run.
void record(journal::MemoryJournal& journal) {
  control::FitLearner learner;
  Simulation simulation(input(some_jobs()), {journal, learner});
  ASSERT_TRUE(simulation.begin());
  ASSERT_TRUE(simulation.run([](const Progress&) {}));
}

double sum(const std::vector<DurationMs>& waits) {
  return std::accumulate(waits.begin(), waits.end(), 0.0);
}

TEST(Replay, UnderTheSamePolicyItIsWhatWasRecorded) {
  journal::MemoryJournal journal;
  record(journal);
  const auto recorded = read_recorded(journal, {}, kObjective);
  ASSERT_TRUE(recorded) << recorded.error().to_text();
  EXPECT_EQ(recorded->load.jobs(), 4U);
  EXPECT_EQ(recorded->load.withdrawn(), 0);
  const TenantFigures& b = recorded->figures.at("b");
  EXPECT_EQ(b.jobs, 2);
  EXPECT_NEAR(b.gpu_hours, 4 + 16, 0.1);
  EXPECT_GT(sum(b.waits), 2.9 * kHourMs) << "b1 waits for a1, and b2 for b1";
  const auto played = play_recorded(*recorded, PolicySpec{}, kObjective, [](const Progress&) {});
  ASSERT_TRUE(played) << played.error().to_text();
  for (const auto& [queue, figures] : recorded->figures) {
    const TenantFigures& again = played->figures.at(queue);
    EXPECT_EQ(again.jobs, figures.jobs) << queue;
    EXPECT_NEAR(sum(again.waits), sum(figures.waits), 3 * kSecondMs) << queue;
    EXPECT_NEAR(again.gpu_hours, figures.gpu_hours, 0.05) << queue;
    EXPECT_EQ(again.evictions, figures.evictions) << queue;
  }
}

TEST(Replay, JobsThatEndedAndCameAgainByTheSameNameAreDifferentOnes) {
  journal::MemoryJournal journal;
  control::FitLearner learner;
  Simulation simulation(
      input({job(1, "x", "a", 1, kMinuteMs), job(kHourMs, "x", "a", 1, kMinuteMs)}),
      {journal, learner});
  ASSERT_TRUE(simulation.begin());
  ASSERT_TRUE(simulation.run([](const Progress&) {}));
  const auto recorded = read_recorded(journal, {}, kObjective);
  ASSERT_TRUE(recorded);
  const auto played = play_recorded(*recorded, PolicySpec{}, kObjective, [](const Progress&) {});
  ASSERT_TRUE(played) << played.error().to_text();
  EXPECT_EQ(played->figures.at("a").jobs, 2);
  EXPECT_EQ(played->result.jobs.refused, 0);
}

TEST(Replay, AJournalWithoutAFleetIsRefused) {
  const journal::MemoryJournal journal;
  const auto nothing = read_recorded(journal, {}, kObjective);
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().code, ErrorCode::kInvalid);
}

}  // namespace
}  // namespace berth::sim
