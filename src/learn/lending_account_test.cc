#include "learn/lending_account.h"

#include <gtest/gtest.h>

namespace berth::learn {
namespace {

const ExpectedRun kAnHour = [](JobId) { return kHourMs; };
const QueueIndex kA(0);
const QueueIndex kB(1);

TEST(LendingAccount, ATenantThatWaitsWhatItWouldNotAloneIsBehind) {
  LendingAccount account;
  account.declare(kA, 8, 8);
  account.submitted(kA, JobId(1), 0, {8});
  const Standings first = account.standings(0, kAnHour);
  ASSERT_EQ(first.queues.size(), 1U);
  EXPECT_TRUE(first.queues[0].is_behind) << "alone it would have started";
  account.started(JobId(1), 500);
  const Standings then = account.standings(1'000, kAnHour);
  EXPECT_TRUE(then.queues.empty() || !then.queues[0].is_behind) << "half a second is no wait";
}

TEST(LendingAccount, AnIdleTenantKeepsAllAndABusyOneLends) {
  LendingAccount account;
  account.declare(kA, 16, 8);
  account.declare(kB, 8, 8);
  const Standings idle = account.standings(0, kAnHour);
  ASSERT_EQ(idle.queues.size(), 0U) << "nobody has submitted anything";
  // a tenant whose jobs would wait for days alone, and run at once in the fleet
  for (std::uint64_t i = 1; i <= 50; ++i) {
    account.submitted(kB, JobId(i), 0, {8});
    account.started(JobId(i), 0);
  }
  for (std::uint64_t i = 1; i <= 50; ++i) account.ended(JobId(i), 10 * kHourMs);
  const Standings later = account.standings(10 * kHourMs, kAnHour);
  for (const QueueStanding& one : later.queues) EXPECT_NE(one.queue, kB);
}

TEST(LendingAccount, JobsThatWouldHaveStartedLongAgoAloneAreOverdue) {
  LendingAccount account;
  account.declare(kA, 8, 8);
  account.submitted(kA, JobId(1), 0, {4});
  account.submitted(kA, JobId(2), 0, {2});
  account.submitted(kA, JobId(3), 1'000, {2});
  const TimeMs month = 30 * 24 * kHourMs;
  EXPECT_EQ(account.standings(month, kAnHour).overdue, (std::vector<JobId>{JobId(1), JobId(2)}))
      << "of each size the first";
  account.started(JobId(2), month);
  EXPECT_EQ(account.standings(month, kAnHour).overdue, (std::vector<JobId>{JobId(1), JobId(3)}));
}

TEST(LendingAccount, JobsBeyondTheGuaranteeAreNoneOfItsBusiness) {
  LendingAccount account;
  account.declare(kA, 8, 8);
  account.submitted(kA, JobId(1), 0, {8, 8});
  account.submitted(kB, JobId(2), 0, {1});
  account.started(JobId(1), 5'000);
  account.started(JobId(2), 5'000);
  account.ended(JobId(1), 6'000);
  const Standings all = account.standings(10'000, kAnHour);
  for (const QueueStanding& one : all.queues) EXPECT_FALSE(one.is_behind);
}

}  // namespace
}  // namespace berth::learn
