#include "learn/private_shadow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/rng.h"

namespace berth::learn {
namespace {

struct Job {
  TimeMs at = 0;
  DurationMs run = 0;
  TaskCards tasks;
  TimeMs real_start = 0;
};

const ExpectedRun kAnHour = [](JobId) { return kHourMs; };

// First come first served with backfill, step by step: the sum of all waits.
std::int64_t wait_alone(const std::vector<Job>& jobs, PrivateCluster cluster) {
  struct Run {
    TimeMs end = 0;
    std::size_t job = 0;
    TaskNodes nodes;
  };
  std::vector<std::size_t> waiting;
  std::vector<Run> running;
  std::int64_t sum = 0;
  std::size_t next = 0;
  while (next < jobs.size() || !running.empty()) {
    TimeMs now = next < jobs.size() ? jobs[next].at : kNever;
    for (const Run& run : running) now = std::min(now, run.end);
    std::erase_if(running, [&](const Run& run) {
      if (run.end != now) return false;
      cluster.give(jobs[run.job].tasks, run.nodes);
      return true;
    });
    for (; next < jobs.size() && jobs[next].at == now; ++next) waiting.push_back(next);
    std::erase_if(waiting, [&](std::size_t job) {
      if (!cluster.fits(jobs[job].tasks)) return false;
      running.push_back({now + jobs[job].run, job, cluster.place(jobs[job].tasks)});
      sum += now - jobs[job].at;
      return true;
    });
  }
  return sum;
}

// Jobs whose real starts are some time after their submission.
std::vector<Job> some_jobs(std::uint64_t seed) {
  Rng random(seed);
  const std::vector<TaskCards> kinds = {{1}, {2}, {4}, {8}, {8, 8}, {8, 4}};
  std::vector<Job> jobs;
  TimeMs at = 0;
  for (int i = 0; i < 200; ++i) {
    at += static_cast<TimeMs>(random.below(2'000'000));
    const auto run = static_cast<DurationMs>(1 + random.below(20'000'000));
    const auto late = static_cast<DurationMs>(random.below(30'000'000));
    jobs.push_back({at, run, kinds[random.below(kinds.size())], at + late});
  }
  return jobs;
}

// Tells the shadow all that happens, and lets it advance after each.
PrivateShadow told(const std::vector<Job>& jobs, const PrivateCluster& cluster) {
  PrivateShadow shadow(cluster);
  std::vector<std::pair<TimeMs, std::size_t>> moments;  // 3 a job: submitted, started, ended
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    moments.emplace_back(jobs[i].at, 3 * i);
    moments.emplace_back(jobs[i].real_start, 3 * i + 1);
    moments.emplace_back(jobs[i].real_start + jobs[i].run, 3 * i + 2);
  }
  std::sort(moments.begin(), moments.end());
  for (const auto& [at, moment] : moments) {
    const JobId id(moment / 3 + 1);
    if (moment % 3 == 0) shadow.submitted(id, at, jobs[moment / 3].tasks);
    if (moment % 3 == 1) shadow.started(id, at);
    if (moment % 3 == 2) shadow.ended(id, at);
    shadow.advance(at, kAnHour);
    EXPECT_LE(shadow.settled_at(), at);
  }
  shadow.advance(moments.back().first + 1000 * kHourMs, kAnHour);
  return shadow;
}

TEST(PrivateShadow, SettlesOnWhatTheJobsWouldHaveWaitedAlone) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<Job> jobs = some_jobs(seed);
    const PrivateCluster cluster(20, 8);
    const PrivateShadow shadow = told(jobs, cluster);
    EXPECT_EQ(shadow.settled_wait(), wait_alone(jobs, cluster)) << "seed " << seed;
    EXPECT_EQ(shadow.waiting(), 0U);
    EXPECT_EQ(shadow.free_cards(), 20U);
    EXPECT_EQ(shadow.free_nodes(), 2U);
  }
}

TEST(PrivateShadow, ProjectsWhatHasNotEnded) {
  PrivateShadow shadow(PrivateCluster(8, 8));
  shadow.submitted(JobId(1), 0, {8});
  shadow.submitted(JobId(2), 0, {8});
  shadow.advance(0, kAnHour);
  EXPECT_EQ(shadow.waiting(), 1U);
  EXPECT_EQ(shadow.free_nodes(), 0U);
  // neither has started really: the first is taken to end after an hour, the second after two
  shadow.advance(kHourMs + 1000, kAnHour);
  EXPECT_EQ(shadow.settled_at(), 0);
  EXPECT_EQ(shadow.projected_wait(), kHourMs);
  const auto late = shadow.late();
  ASSERT_EQ(late.size(), 1U);
  EXPECT_EQ(late.front().job, JobId(1));
  EXPECT_EQ(late.front().since, 0);
  // the first turns out to be short
  shadow.started(JobId(1), kHourMs + 1000);
  shadow.ended(JobId(1), kHourMs + 61'000);
  shadow.advance(kHourMs + 61'000, kAnHour);
  EXPECT_EQ(shadow.settled_wait(), 60'000);
  EXPECT_EQ(shadow.settled_at(), 60'000);
}

TEST(PrivateShadow, AJobThatNeverRanTakesNothing) {
  PrivateShadow shadow(PrivateCluster(8, 8));
  shadow.submitted(JobId(1), 0, {8});
  shadow.advance(0, kAnHour);
  shadow.ended(JobId(1), 5'000);
  shadow.submitted(JobId(2), 6'000, {8});
  shadow.advance(6'000, kAnHour);
  EXPECT_EQ(shadow.waiting(), 0U);
  EXPECT_FALSE(shadow.knows(JobId(1)));
}

}  // namespace
}  // namespace berth::learn
