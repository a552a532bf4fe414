#include "sim/scenario/script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Script, SplitsBlocksAndLeavesCommentsOut) {
  const auto script = parse_script("# why\nqueue q\n  # inner\ncycle\n----\nok\n\n\nwhy a\n----\n");
  ASSERT_TRUE(script.has_value());
  ASSERT_EQ(script->blocks.size(), 2U);
  EXPECT_EQ(script->blocks[0].commands.size(), 2U);
  EXPECT_EQ(script->blocks[0].commands[1].line, 4);
  EXPECT_THAT(script->blocks[0].expected, ElementsAre("ok"));
  EXPECT_EQ(script->blocks[0].expected_line, 6);
  EXPECT_TRUE(script->blocks[1].expected.empty());
}

TEST(Script, RefusesCommandsWithoutATranscript) {
  const auto open = parse_script("cycle\n----\nok\n\ncycle\n");
  ASSERT_FALSE(open.has_value());
  EXPECT_EQ(open.error().line, 5);
  EXPECT_THAT(open.error().message, HasSubstr("without a line '----'"));
  const auto alone = parse_script("----\nok\n");
  ASSERT_FALSE(alone.has_value());
  EXPECT_EQ(alone.error().line, 1);
}

TEST(Script, RefusesAFileWithoutCommands) {
  for (const char* text : {"", "\n", "# only why\n"}) {
    const auto none = parse_script(text);
    ASSERT_FALSE(none.has_value()) << text;
    EXPECT_THAT(none.error().message, HasSubstr("holds no command"));
  }
}

TEST(Script, HoldsItsLimits) {
  EXPECT_FALSE(parse_script(std::string(kScriptBytes + 1, '#')).has_value());
  const auto wide = parse_script("#\n" + std::string(kScriptLineBytes + 1, '#'));
  ASSERT_FALSE(wide.has_value());
  EXPECT_EQ(wide.error().line, 2);
  std::string many;
  for (std::size_t i = 0; i <= kScriptLines; ++i) many += "#\n";
  EXPECT_FALSE(parse_script(many).has_value());
  const auto control = parse_script("cycle \x01\n----\n");
  ASSERT_FALSE(control.has_value());
  EXPECT_THAT(control.error().message, HasSubstr("control"));
}

TEST(Script, RewritesTranscriptsAndNothingElse) {
  const std::string text = "# a\ncycle\n----\nold\n\n# b\ncycle\n----\n";
  const auto script = parse_script(text);
  ASSERT_TRUE(script.has_value());
  EXPECT_EQ(with_transcripts(*script, {{"new", "lines"}, {"ok"}}),
            "# a\ncycle\n----\nnew\nlines\n\n# b\ncycle\n----\nok\n");
  EXPECT_EQ(with_transcripts(*script, {{"old"}, {}}), text);
}

TEST(Script, TakesLinesOfOtherSystems) {
  const auto script = parse_script("cycle\r\n----\r\nok\r\n");
  ASSERT_TRUE(script.has_value());
  EXPECT_THAT(script->blocks.front().expected, ElementsAre("ok"));
}

}  // namespace
}  // namespace berth::sim
