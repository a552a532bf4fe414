#include "selector/semver.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace berth::selector {
namespace {

TEST(Semver, OrdersByPrecedence) {
  // The order of semver.org 2.0.0, section 11, and around it.
  const std::vector<std::string> rising = {
      "0.0.1",      "0.1.0",        "1.0.0-0",       "1.0.0-9",
      "1.0.0-10",   "1.0.0-alpha",  "1.0.0-alpha.1", "1.0.0-alpha.beta",
      "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1",
      "1.0.0",      "1.0.1",        "1.2.0",         "1.10.0",
      "2.0.0"};
  for (std::size_t i = 0; i < rising.size(); ++i) {
    for (std::size_t j = 0; j < rising.size(); ++j) {
      const auto order = *Semver::parse(rising[i]) <=> *Semver::parse(rising[j]);
      EXPECT_EQ(order, i <=> j) << rising[i] << " and " << rising[j];
    }
  }
}

TEST(Semver, BuildDataDoesNotCount) {
  EXPECT_EQ(*Semver::parse("1.0.0+a"), *Semver::parse("1.0.0+b.c"));
  EXPECT_EQ(Semver::parse("1.0.0-rc.1+exp-1")->build, "exp-1");
  EXPECT_EQ(Semver::parse("1.0.0-rc.1+exp-1")->prerelease, "rc.1");
}

TEST(Semver, RefusesWhatIsNone) {
  for (const std::string text :
       {"", "1", "1.2", "1.2.3.4", "v1.2.3", "01.2.3", "1.02.3", "1.2.03", "1.2.3-", "1.2.3+",
        "1.2.3-a..b", "1.2.3-01", "1.2.3-a_b", "1.2.3+a+b", "-1.2.3", "1.2.x", " 1.2.3",
        "18446744073709551616.0.0", "1..3"}) {
    EXPECT_FALSE(Semver::parse(text).has_value()) << text;
  }
  EXPECT_FALSE(Semver::parse("1.0.0-" + std::string(1000, 'a')).has_value());
}

TEST(Semver, NormalizesShortForms) {
  EXPECT_EQ(*Semver::parse_normalized("v1"), *Semver::parse("1.0.0"));
  EXPECT_EQ(*Semver::parse_normalized("1.2"), *Semver::parse("1.2.0"));
  EXPECT_EQ(*Semver::parse_normalized("01.02.03"), *Semver::parse("1.2.3"));
  EXPECT_EQ(*Semver::parse_normalized("v000.1.00-rc.1"), *Semver::parse("0.1.0-rc.1"));
  EXPECT_EQ(*Semver::parse_normalized("550.54.15"), *Semver::parse("550.54.15"));
  EXPECT_FALSE(Semver::parse_normalized("1.2-rc").has_value());
  EXPECT_FALSE(Semver::parse_normalized("vv1").has_value());
  EXPECT_FALSE(Semver::parse_normalized("").has_value());
}

}  // namespace
}  // namespace berth::selector
