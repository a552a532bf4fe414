#include "journal/needed_snapshots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"
#include "control/ports.h"

namespace berth::journal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<SnapshotTime> at(std::initializer_list<TimeMs> times) {
  std::vector<SnapshotTime> snapshots;
  for (const TimeMs time : times) snapshots.push_back({10 * (snapshots.size() + 1), time});
  return snapshots;
}

TEST(NeededSnapshots, WithoutAHistoryTheLastTwoAreKept) {
  EXPECT_THAT(needed_snapshots({}, 0).forgotten, IsEmpty());
  EXPECT_EQ(needed_snapshots(at({5}), 0).records_from, 0U) << "one alone may be damaged";
  const NeededSnapshots needed = needed_snapshots(at({5, 6, 7, 8}), 0);
  EXPECT_THAT(needed.forgotten, ElementsAre(10, 20));
  EXPECT_EQ(needed.records_from, 30U);
}

TEST(NeededSnapshots, AHistoryBeginsWithASnapshotThatIsOldEnough) {
  const NeededSnapshots young = needed_snapshots(at({5, 90, 100}), 100);
  EXPECT_THAT(young.forgotten, IsEmpty());
  EXPECT_EQ(young.records_from, 0U) << "what was before the first is a part of it";
  const NeededSnapshots old = needed_snapshots(at({5, 10, 20, 24, 90, 110}), 100);
  EXPECT_THAT(old.forgotten, ElementsAre(10, 30)) << "20 is too near to 10 to begin there later";
  EXPECT_EQ(old.records_from, 20U);
}

TEST(NeededSnapshots, ThoseOfAnUnknownTimeAreOld) {
  const NeededSnapshots needed = needed_snapshots(at({0, 0, 500, 510, 520}), 100);
  EXPECT_EQ(needed.records_from, 20U);
  EXPECT_THAT(needed.forgotten, ElementsAre(10));
}

// However they come, and however often: the history is whole, not much longer, and few are kept.
TEST(NeededSnapshots, TimeAfterTime) {
  Rng rng(3);
  for (const DurationMs history : {0, 8, 100, 1'000}) {
    std::vector<SnapshotTime> kept;
    TimeMs now = 0;
    std::uint64_t begin = 0;
    for (std::uint64_t revision = 1; revision <= 2'000; ++revision) {
      now += static_cast<TimeMs>(rng.below(20));
      kept.push_back({revision, now});
      const NeededSnapshots needed = needed_snapshots(kept, history);
      ASSERT_GE(needed.records_from, begin) << "what is forgotten stays forgotten";
      begin = needed.records_from;
      std::erase_if(kept, [&](const SnapshotTime& one) {
        return std::count(needed.forgotten.begin(), needed.forgotten.end(), one.revision) > 0;
      });
      ASSERT_EQ(kept.back().revision, revision);
      ASSERT_GE(kept.size(), std::min<std::size_t>(revision, control::kSnapshotsKept));
      ASSERT_LE(kept.size(), 8 + 3 + control::kSnapshotsKept);
      if (begin == 0) continue;
      ASSERT_EQ(kept.front().revision, begin);
      ASSERT_LE(kept.front().at, now - history);
      ASSERT_GE(kept.front().at, now - history - history / 8 - 3 * 20);
    }
  }
}

}  // namespace
}  // namespace berth::journal
