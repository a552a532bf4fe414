#include "engine/reserve/run_time_book.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

namespace berth::engine {
namespace {

constexpr std::uint32_t kOne = 65'536;

TEST(DurationHistogram, KnowsNothingAndSaysSo) {
  const DurationHistogram none;
  EXPECT_EQ(none.survival(0, 0), kOne);
  EXPECT_GT(none.survival(0, kHourMs), none.survival(0, 24 * kHourMs));
  // the older, the longer it goes on
  EXPECT_GT(none.remaining(kHourMs, kOne / 2), none.remaining(kMinuteMs, kOne / 2));
}

TEST(DurationHistogram, ManyEqualOnesAreAPromise) {
  DurationHistogram times;
  times.add(10 * kMinuteMs, 1'000);
  EXPECT_GT(times.survival(0, 9 * kMinuteMs), kOne * 99 / 100);
  EXPECT_LT(times.survival(0, 11 * kMinuteMs), kOne / 100);
  const DurationMs left = times.remaining(4 * kMinuteMs, kOne / 2);
  EXPECT_NEAR(static_cast<double>(left), 6.0 * kMinuteMs, 0.5 * kMinuteMs);
  // who has outlived all of them tells nothing
  EXPECT_GT(times.remaining(20 * kMinuteMs, kOne / 2), kMinuteMs);
}

RC_GTEST_PROP(DurationHistogramProperty, SurvivalFallsAndFollowsTheCounts, ()) {
  const auto durations = *rc::gen::nonEmpty(
      rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 1U << 30)));
  DurationHistogram times;
  for (const std::uint32_t d : durations) times.add(d);
  const DurationMs age = *rc::gen::inRange<DurationMs>(0, DurationMs{1} << 30);
  const DurationMs a = *rc::gen::inRange<DurationMs>(0, DurationMs{1} << 30);
  const DurationMs b = *rc::gen::inRange<DurationMs>(a, DurationMs{1} << 31);
  RC_ASSERT(times.survival(age, a) >= times.survival(age, b));
  RC_ASSERT(times.survival(age, a) <= kOne);
  // against a count, within a bin's width (1/32) and the prior's two
  const auto longer = [&](double factor, DurationMs than) {
    return static_cast<double>(std::count_if(durations.begin(), durations.end(), [&](auto d) {
      return static_cast<double>(d) * factor > static_cast<double>(than);
    }));
  };
  const double n = static_cast<double>(durations.size());
  const double said = times.survival(0, a) / static_cast<double>(kOne);
  RC_ASSERT(said <= (longer(1.04, a) + 2) / (n + 2) + 0.01 + 2 / (n + 2));
  RC_ASSERT(said >= (longer(1 / 1.04, a)) / (n + 2) - 0.01);
}

RC_GTEST_PROP(DurationHistogramProperty, RemainingIsTheLeastThatSatisfies, ()) {
  DurationHistogram times;
  const auto durations =
      *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 1U << 25));
  for (const std::uint32_t d : durations) times.add(d);
  const DurationMs age = *rc::gen::inRange<DurationMs>(0, DurationMs{1} << 26);
  const auto part = *rc::gen::inRange<std::uint32_t>(100, kOne - 100);
  const DurationMs left = times.remaining(age, part);
  RC_ASSERT(times.survival(age, left) <= part);
  RC_ASSERT(left == 1 || times.survival(age, left - 1) > part);
}

TEST(RunTimeBook, MeansCountWhatHasRunSoFarAndLeanOnOtherKindsAtFirst) {
  RunTimeBook book;
  const KindIndex a = book.intern("a");
  const KindIndex b = book.intern("b");
  EXPECT_EQ(book.mean(a, 0), kHourMs) << "nothing is known";
  for (int i = 0; i < 1'000; ++i) book.record(a, kMinuteMs);
  EXPECT_NEAR(static_cast<double>(book.mean(a, 0)), kMinuteMs, 0.1 * kMinuteMs);
  EXPECT_NEAR(static_cast<double>(book.mean(b, 0)), kMinuteMs, 0.1 * kMinuteMs) << "as the others";
  book.start(b, 1'000);
  EXPECT_GT(book.mean(b, 1'000 + kHourMs), kHourMs) << "one has run for an hour, and has not ended";
  book.stop(b, 1'000);
  EXPECT_LT(book.mean(b, 1'000 + kHourMs), 2 * kMinuteMs);
}

TEST(RunTimeBook, IsTheSameFromItsBytes) {
  RunTimeBook book;
  book.intern("silent");
  for (int i = 0; i < 100; ++i) book.record(book.intern("a"), i * 977);
  book.seed(book.intern("b"), kHourMs, 3 * kHourMs, 40);
  ByteWriter out;
  book.save(out);
  const std::string bytes = out.take();
  ByteReader in(bytes);
  RunTimeBook again;
  again.load(in);
  ASSERT_TRUE(in.finish());
  for (const char* kind : {"a", "b"}) {
    for (const DurationMs age : {DurationMs{0}, DurationMs{5'000}, kHourMs}) {
      EXPECT_EQ(again.of(again.intern(kind)).survival(age, 30'000),
                book.of(book.intern(kind)).survival(age, 30'000));
    }
    EXPECT_EQ(again.mean(again.intern(kind), 0), book.mean(book.intern(kind), 0));
  }
}

}  // namespace
}  // namespace berth::engine
