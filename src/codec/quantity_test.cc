#include "codec/quantity.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "codec/scalar.h"

namespace berth::codec {
namespace {

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();

Document word(std::string_view text) { return plain_scalar(text).value(); }
std::int64_t duration(std::string_view text) { return parse_duration(word(text)).value_or(kNone); }
std::int64_t memory(std::string_view text) { return parse_memory(word(text)).value_or(kNone); }
std::int64_t share(std::string_view text) { return parse_ratio(word(text), kCard).value_or(kNone); }
std::int64_t money(std::string_view text) {
  return parse_amount(word(text), 1'000'000).value_or(kNone);
}
std::int64_t cpu(std::string_view text) { return parse_cpu(word(text)).value_or(kNone); }

TEST(Quantity, Durations) {
  EXPECT_EQ(duration("250ms"), 250);
  EXPECT_EQ(duration("90s"), 90'000);
  EXPECT_EQ(duration("1.5h"), 90 * kMinuteMs);
  EXPECT_EQ(duration("1h30m"), 90 * kMinuteMs);
  EXPECT_EQ(duration("3d"), 72 * kHourMs);
  EXPECT_EQ(duration("0"), 0);
  EXPECT_EQ(duration("-5s"), -5000);
  for (const auto* text : {"90", "1.5", "s", "5", "5 m", "5x", "0.5ms", "1e3s", "99999999999999d",
                           "h5", "5m3", ".5s", "5.s", "--5s", "true", ".inf", "1:30"}) {
    EXPECT_EQ(duration(text), kNone) << text;
  }
}

TEST(Quantity, MemorySizes) {
  EXPECT_EQ(memory("80GiB"), 81'920);
  EXPECT_EQ(memory("80Gi"), 81'920);
  EXPECT_EQ(memory("1.5GiB"), 1536);
  EXPECT_EQ(memory("512"), 512);
  EXPECT_EQ(memory("2TiB"), 2 * 1024 * 1024);
  for (const auto* text : {"80GB", "80G", "1.3GiB", "GiB", "80 GiB", "1e3MiB",
                           "99999999999999999TiB", "0x10MiB", "1.5", "80gib"}) {
    EXPECT_EQ(memory(text), kNone) << text;
  }
}

TEST(Quantity, SharesAreExact) {
  EXPECT_EQ(share("25%"), kCard / 4);
  EXPECT_EQ(share("0.25"), kCard / 4);
  EXPECT_EQ(share("1/4"), kCard / 4);
  EXPECT_EQ(share("1/3"), kCard / 3);
  EXPECT_EQ(share("2/7"), kCard / 7 * 2);
  EXPECT_EQ(share("12.5%"), kCard / 8);
  EXPECT_EQ(share("8"), 8 * kCard);
  EXPECT_EQ(share("0.001"), kCardMilli);
  for (const auto* text : {"1/11", "0.3333333", "1/0", "1/-4", "%", "1/", "/4", "25 %", "1/4%",
                           "1e-1", "9223372036854775807", "nan", "1//4"}) {
    EXPECT_EQ(share(text), kNone) << text;
  }
}

TEST(Quantity, MoneyAndCpus) {
  EXPECT_EQ(money("2.5"), 2'500'000);
  EXPECT_EQ(money("0.000001"), 1);
  EXPECT_EQ(money("0.0000001"), kNone);
  EXPECT_EQ(money("1e3"), kNone);
  EXPECT_EQ(cpu("4"), 4000);
  EXPECT_EQ(cpu("0.5"), 500);
  EXPECT_EQ(cpu("500m"), 500);
  EXPECT_EQ(cpu("0.5m"), kNone);
  EXPECT_EQ(cpu("4 cores"), kNone);
}

TEST(Quantity, IsWrittenInItsShortestForm) {
  EXPECT_EQ(duration_document(90'000).as_string(), "90s");
  EXPECT_EQ(duration_document(2 * kHourMs).as_string(), "2h");
  EXPECT_EQ(duration_document(0).as_string(), "0s");
  EXPECT_EQ(memory_document(81'920).as_string(), "80GiB");
  EXPECT_EQ(ratio_document(kCard / 4, kCard).decimal_text(), "0.25");
  EXPECT_EQ(ratio_document(kCard / 3, kCard).as_string(), "1/3");
  EXPECT_EQ(ratio_document(3 * kCard, kCard).as_integer(), 3);
  EXPECT_EQ(amount_document(-1'500'000, 1'000'000).decimal_text(), "-1.5");
  EXPECT_EQ(amount_document(-500'000, 1'000'000).decimal_text(), "-0.5");
  EXPECT_EQ(number_document(0.1).decimal_text(), "0.1");
  EXPECT_EQ(number_document(5).as_integer(), 5);
  EXPECT_EQ(number_document(1e20).decimal_text(), "1e+20");
}

RC_GTEST_PROP(QuantityProperty, WrittenIsReadBack, (std::int64_t any)) {
  const std::int64_t value =
      *rc::gen::oneOf(rc::gen::just(any), rc::gen::inRange<std::int64_t>(-100'000'000, 100'000'000),
                      rc::gen::just(any / 1'000'000'000));
  RC_ASSERT(parse_memory(memory_document(value)).value() == value);
  RC_ASSERT(parse_amount(amount_document(value, 1'000'000), 1'000'000).value() == value);
  RC_ASSERT(parse_cpu(amount_document(value, 1000)).value() == value);
  for (const std::int64_t scale : {kCard, std::int64_t{1000}, kPpmOne}) {
    RC_ASSERT(parse_ratio(ratio_document(value, scale), scale).value() == value);
  }
  RC_ASSERT(parse_duration(duration_document(value)).value() == value);
}

}  // namespace
}  // namespace berth::codec
