#include "sim/report/format.h"

#include <gtest/gtest.h>

#include <limits>

namespace berth::sim {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Format, CountsAreGroupedByThousands) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(41'234), "41,234");
  EXPECT_EQ(count_text(-1'000'000), "−1,000,000");
  EXPECT_EQ(count_text(std::numeric_limits<std::int64_t>::min()), "−9,223,372,036,854,775,808");
}

TEST(Format, NumbersAndShares) {
  EXPECT_EQ(number_text(1234.56, 1), "1,234.6");
  EXPECT_EQ(number_text(-0.04, 1), "0.0");
  EXPECT_EQ(number_text(kNaN, 1), "–");
  EXPECT_EQ(percent_text(0.9134, 1), "91.3 %");
  EXPECT_EQ(percent_text(1, 0), "100 %");
}

TEST(Format, DurationsUseTheUnitThatFits) {
  EXPECT_EQ(duration_text(0), "0 s");
  EXPECT_EQ(duration_text(850), "850 ms");
  EXPECT_EQ(duration_text(999.6), "1.0 s");
  EXPECT_EQ(duration_text(12'340), "12.3 s");
  EXPECT_EQ(duration_text(59'960), "1 min 00 s");
  EXPECT_EQ(duration_text(725'000), "12 min 05 s");
  EXPECT_EQ(duration_text(3'599'600), "1 h 00 min");
  EXPECT_EQ(duration_text(24.0 * 3'600'000), "24 h 00 min");
  EXPECT_EQ(duration_text(52.0 * 3'600'000), "2 d 04 h");
  EXPECT_EQ(duration_text(-725'000), "−12 min 05 s");
  EXPECT_EQ(duration_text(kNaN), "–");
}

TEST(Format, DifferencesCarryTheirSign) {
  EXPECT_EQ(signed_text(3, "3"), "+3");
  EXPECT_EQ(signed_text(-3, "3"), "−3");
  EXPECT_EQ(signed_text(-0.01, "0.0"), "±0.0");
}

TEST(Format, PlainNumbersAreShortest) {
  EXPECT_EQ(plain_number(3, 6), "3");
  EXPECT_EQ(plain_number(0.25, 6), "0.25");
  EXPECT_EQ(plain_number(100, 0), "100");
  EXPECT_EQ(plain_number(-0.0000001, 6), "0");
  EXPECT_EQ(plain_number(-1.5, 2), "-1.5");
  EXPECT_EQ(plain_number(kNaN, 2), "");
}

TEST(Format, HashesHaveSixteenDigits) {
  EXPECT_EQ(hash_text(0xc0ffee), "0x0000000000c0ffee");
  EXPECT_EQ(hash_text(~0ULL), "0xffffffffffffffff");
}

TEST(Format, ColumnsCountCharacters) {
  EXPECT_EQ(text_columns(""), 0U);
  EXPECT_EQ(text_columns("−3 µs"), 5U);
}

}  // namespace
}  // namespace berth::sim
