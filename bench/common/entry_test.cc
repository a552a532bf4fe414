#include "bench/common/entry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace berth::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::internal::CaptureStderr;
using ::testing::internal::CaptureStdout;
using ::testing::internal::GetCapturedStderr;
using ::testing::internal::GetCapturedStdout;

Program program() { return {"fill", "Fills a fleet.", 10, Traces::kAny, {}}; }

struct Answer {
  int code = 0;
  bool worked = false;
  std::string err;
};

Answer answer(const std::vector<std::string>& words, const Result<int>& outcome = 0) {
  Answer result;
  CaptureStderr();
  result.code = run_program(program(), words, [&](const Arguments& /*arguments*/) {
    result.worked = true;
    return outcome;
  });
  result.err = GetCapturedStderr();
  return result;
}

TEST(Entry, AnswersHelpWithoutWorking) {
  CaptureStdout();
  const Answer result = answer({"--help"});
  EXPECT_THAT(GetCapturedStdout(), StartsWith("Fills a fleet."));
  EXPECT_EQ(result.code, 0);
  EXPECT_FALSE(result.worked);
}

TEST(Entry, StartsNothingWhenAnArgumentIsWrong) {
  for (const auto& [words, text] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--sedes", "3"}, "fill: '--sedes' is not an option; did you mean '--seeds'?\n"},
           {{"--seeds", "-1"},
            "fill: --seeds: is '-1'; a whole number from 1 to 10000 is accepted\n"}}) {
    const Answer result = answer(words);
    EXPECT_EQ(result.code, 2);
    EXPECT_FALSE(result.worked);
    EXPECT_EQ(result.err, text);
  }
}

TEST(Entry, StartsNothingWhenTheFileCannotBeWritten) {
  for (const std::string& file : {std::string("/no/such/folder/x.json"), ::testing::TempDir()}) {
    const Answer result = answer({"--json", file});
    EXPECT_EQ(result.code, 3);
    EXPECT_FALSE(result.worked);
    EXPECT_THAT(result.err, HasSubstr(file));
  }
}

TEST(Entry, GivesTheCodeOfTheWorkOrOfItsError) {
  EXPECT_EQ(answer({}, 1).code, 1);
  const Answer input = answer({}, invalid("row 3: is empty"));
  EXPECT_EQ(input.code, 2);
  EXPECT_EQ(input.err, "fill: row 3: is empty\n");
  EXPECT_EQ(answer({}, fail(ErrorCode::kUnavailable, "the disk is full")).code, 3);
}

TEST(Entry, AbsentTracesGiveAFileWithoutRows) {
  Arguments arguments;
  arguments.json_file = ::testing::TempDir() + "/berth_absent.json";
  CaptureStderr();
  const auto code = without_traces(program(), arguments, "/none", "compared");
  EXPECT_EQ(GetCapturedStderr(), "fill: the traces are absent (/none), nothing was compared\n");
  ASSERT_TRUE(code.has_value());
  EXPECT_EQ(*code, 0);
  std::ifstream file(arguments.json_file);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(text, HasSubstr("\"rows\": [\n]"));
  std::filesystem::remove(arguments.json_file);
}

}  // namespace
}  // namespace berth::bench
