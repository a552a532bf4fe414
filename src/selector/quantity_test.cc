#include "selector/quantity.h"

#include <gtest/gtest.h>

#include <string>

namespace berth::selector {
namespace {

Quantity read(const char* text) {
  const auto quantity = Quantity::parse(text);
  EXPECT_TRUE(quantity.has_value()) << text;
  return quantity.value_or(Quantity::of_units(-1));
}

TEST(Quantity, ReadsEverySuffix) {
  EXPECT_EQ(read("1k"), Quantity::of_units(1'000));
  EXPECT_EQ(read("1M"), Quantity::of_units(1'000'000));
  EXPECT_EQ(read("1G"), Quantity::of_units(1'000'000'000));
  EXPECT_EQ(read("1T"), Quantity::of_units(1'000'000'000'000));
  EXPECT_EQ(read("1P"), Quantity::of_units(1'000'000'000'000'000));
  EXPECT_EQ(read("1E"), Quantity::of_units(1'000'000'000'000'000'000));
  EXPECT_EQ(read("1Ki"), Quantity::of_units(1LL << 10));
  EXPECT_EQ(read("1Mi"), Quantity::of_units(1LL << 20));
  EXPECT_EQ(read("1Gi"), Quantity::of_units(1LL << 30));
  EXPECT_EQ(read("1Ti"), Quantity::of_units(1LL << 40));
  EXPECT_EQ(read("1Pi"), Quantity::of_units(1LL << 50));
  EXPECT_EQ(read("1Ei"), Quantity::of_units(1LL << 60));
  EXPECT_EQ(read("1000m"), read("1000000u"));
  EXPECT_EQ(read("1000000u"), read("1000000000n"));
  EXPECT_EQ(read("1000000000n"), Quantity::of_units(1));
  EXPECT_EQ(read("12e3"), read("12k"));
  EXPECT_EQ(read("12E-3"), read("12m"));
}

TEST(Quantity, ReadsSignsAndPoints) {
  EXPECT_EQ(read("+1.50"), read("1500m"));
  EXPECT_EQ(read("-.5Ki"), Quantity::of_units(-512));
  EXPECT_EQ(read("1."), Quantity::of_units(1));
  EXPECT_EQ(read("0.1Ki"), read("102400m"));
  EXPECT_EQ(read("000000000000000000000000000000000001"), Quantity::of_units(1));
  EXPECT_EQ(read("-0"), Quantity());
}

TEST(Quantity, RoundsAwayFromZeroAndStopsAtTheLargest) {
  EXPECT_EQ(read("0.1n"), read("1n"));
  EXPECT_EQ(read("-0.1n"), read("-1n"));
  EXPECT_EQ(read("1.0000000001"), read("1000000001n"));
  EXPECT_EQ(read("0e-99999999999"), Quantity());
  EXPECT_EQ(read("1e-99999999999"), read("1n"));
  const Quantity largest = Quantity::of_units(INT64_MAX);
  EXPECT_EQ(read("8Ei"), largest);
  EXPECT_EQ(read("1e99999999999"), largest);
  EXPECT_EQ(read("9223372036854775807"), largest);
  EXPECT_EQ(read("9223372036854775808"), largest);
  EXPECT_EQ(read("-9999999999999999999999999999999999Ei"), Quantity::of_units(-INT64_MAX));
  EXPECT_LT(read("9223372036854775806.999999999"), largest);
}

TEST(Quantity, RefusesWhatKubernetesRefuses) {
  for (const std::string text :
       {"",   "+",   ".",     "Gi",    "1gi", "1K",  "1ki", "1Gib", "1 Gi", " 1", "1_",
        "1e", "1e+", "1e1.5", "1.2.3", "--1", "0x1", "inf", "1Gi1", "1mi",  "1i"}) {
    EXPECT_FALSE(Quantity::parse(text).has_value()) << text;
  }
  EXPECT_FALSE(Quantity::parse(std::string(1000, '1')).has_value());
}

TEST(Quantity, AddsAndSubtractsExactly) {
  EXPECT_EQ(*read("0.1").plus(read("0.2")), read("0.3"));
  EXPECT_EQ(*read("1Gi").minus(read("1n")),
            *Quantity::of_units((1LL << 30) - 1).plus(read("999999999n")));
  Quantity sum = Quantity::of_units(INT64_MAX);
  int doublings = 0;
  for (auto next = sum.plus(sum); next; next = sum.plus(sum)) {
    sum = *next;
    ++doublings;
  }
  EXPECT_EQ(doublings, 34);  // 2^63 * 10^9 * 2^34 is the last below 2^127
}

TEST(Quantity, BecomesANumberWhereItIsOne) {
  EXPECT_EQ(read("2k").as_integer(), 2000);
  EXPECT_EQ(read("-2k").as_integer(), -2000);
  EXPECT_EQ(read("1m").as_integer(), std::nullopt);
  EXPECT_EQ(Quantity::of_units(INT64_MAX).plus(Quantity::of_units(1))->as_integer(), std::nullopt);
  EXPECT_EQ(Quantity::of_units(INT64_MIN).as_integer(), INT64_MIN);
  EXPECT_EQ(read("-1500m").as_approximate_float(), -1.5);
}

}  // namespace
}  // namespace berth::selector
