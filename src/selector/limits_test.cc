// No text and no device makes the selector run long, deep or large.
#include <gtest/gtest.h>

#include <string>

#include "selector/ast.h"
#include "selector/scratch.h"
#include "selector/selector.h"
#include "selector/testing.h"

namespace berth::selector {
namespace {

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

ErrorCode compile_code(const std::string& source) {
  const auto selector = Selector::compile(source);
  EXPECT_FALSE(selector.has_value());
  return selector.has_value() ? ErrorCode::kUnavailable : selector.error().code;
}

ErrorCode run_code(const std::string& source) {
  const auto selector = Selector::compile(source);
  EXPECT_TRUE(selector.has_value()) << selector.error().message;
  if (!selector) return ErrorCode::kUnavailable;
  const auto matches = selector->matches(testing::gpu());
  EXPECT_FALSE(matches.has_value());
  return matches.has_value() ? ErrorCode::kUnavailable : matches.error().code;
}

TEST(SelectorLimits, LengthOfTheSource) {
  const std::string fits = "true" + std::string(kLongestSource - 4, ' ');
  EXPECT_TRUE(Selector::compile(fits).has_value());
  EXPECT_EQ(compile_code(fits + " "), ErrorCode::kLimitExceeded);
}

TEST(SelectorLimits, Nesting) {
  for (const auto& [open, close] : {std::pair("(", ")"), std::pair("[", "]"), std::pair("!", ""),
                                    std::pair("-", ""), std::pair("{1:", "}"), std::pair("f(", ")"),
                                    std::pair("[1].map(x,", ")"), std::pair("true?1:", "")}) {
    const int times = 1000;
    EXPECT_EQ(compile_code(repeated(open, times) + "x" + repeated(close, times)),
              ErrorCode::kLimitExceeded)
        << open;
  }
  EXPECT_EQ(compile_code("x" + repeated("+1", 1000)), ErrorCode::kLimitExceeded);
  EXPECT_EQ(compile_code("x" + repeated(".a", 1000)), ErrorCode::kLimitExceeded);
  EXPECT_TRUE(Selector::compile(repeated("(", 200) + "true" + repeated(")", 200)).has_value());
}

TEST(SelectorLimits, LongChainsOfLogicDoNotNest) {
  const auto selector = Selector::compile("true" + repeated("&&true", 1500));
  ASSERT_TRUE(selector.has_value()) << selector.error().message;
  EXPECT_TRUE(*selector->matches(testing::gpu()));
}

constexpr std::string_view kTen = "[0,1,2,3,4,5,6,7,8,9]";

// kTen.all(a, kTen.all(b, ... true))
std::string nested_loops(int levels, std::string_view innermost) {
  std::string source;
  for (int i = 0; i < levels; ++i) source += std::string(kTen) + ".all(x,";
  return source + std::string(innermost) + repeated(")", levels);
}

TEST(SelectorLimits, StepsEndLoops) {
  EXPECT_TRUE(*Selector::compile(nested_loops(3, "true"))->matches(testing::gpu()));
  EXPECT_EQ(run_code(nested_loops(7, "true")), ErrorCode::kLimitExceeded);
}

TEST(SelectorLimits, NothingAbsorbsTheEndOfSteps) {
  EXPECT_EQ(run_code(nested_loops(7, "true") + " || true"), ErrorCode::kLimitExceeded);
  EXPECT_EQ(run_code("[1].exists(x, " + nested_loops(7, "true") + ") || true"),
            ErrorCode::kLimitExceeded);
}

TEST(SelectorLimits, StepsEndErrorsThatAreAbsorbed) {
  const std::string id(200, 'x');
  const std::string missing = "device.attributes['gpu.nvidia.com']." + id + " || x == 10";
  EXPECT_EQ(run_code(std::string(kTen) + ".exists(x, " + nested_loops(3, missing) + ")"),
            ErrorCode::kLimitExceeded);
}

// Binds 40 names, each twice as long as the one before.
std::string doubled(std::string_view first, std::string_view last) {
  std::string source;
  std::string name = "a";
  source = "cel.bind(a, " + std::string(first) + ", ";
  for (int i = 0; i < 40; ++i) {
    const std::string next = name + "a";
    source += "cel.bind(" + next + ", " + name + "+" + name + ", ";
    name = next;
  }
  return source + name + std::string(last) + repeated(")", 41);
}

TEST(SelectorLimits, StepsEndWhatDoubles) {
  EXPECT_EQ(run_code(doubled("'0123456789'", " == ''")), ErrorCode::kLimitExceeded);
  EXPECT_EQ(run_code(doubled("[1,2,3]", " == []")), ErrorCode::kLimitExceeded);
}

TEST(SelectorLimits, StepsEndSearches) {
  const std::string text = "cel.bind(a, '" + std::string(4000, 'a') + "', " +
                           "cel.bind(b, a+a+a+a+a+a+a+a, cel.bind(c, b+b+b+b+b+b+b+b, ";
  EXPECT_EQ(run_code(text + "(c+c).contains(c+'b'))))"), ErrorCode::kLimitExceeded);
  EXPECT_EQ(run_code(text + "c.replace('', c) == '')))"), ErrorCode::kLimitExceeded);
  EXPECT_EQ(run_code(text + "c.split('').join(c) == '')))"), ErrorCode::kLimitExceeded);
}

TEST(SelectorLimits, Patterns) {
  EXPECT_EQ(compile_code("'a'.matches('" + std::string(2000, 'a') + "')"),
            ErrorCode::kLimitExceeded);
  EXPECT_EQ(compile_code("'a'.matches('((a{1000}){1000}){1000}')"), ErrorCode::kInvalid);
  EXPECT_EQ(run_code(nested_loops(4, "'a'.matches('a|' + 'b{1000}')")), ErrorCode::kLimitExceeded);
}

TEST(SelectorLimits, StepsAreTheSameEachTime) {
  const auto text = testing::evaluate(nested_loops(7, "true"));
  EXPECT_EQ(text, testing::evaluate(nested_loops(7, "true")));
}

}  // namespace
}  // namespace berth::selector
