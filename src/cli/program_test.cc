// The program as a whole, without a process: arguments in, text and exit code out.
#include <gtest/gtest.h>

#include <sstream>

#include "cli/commands.h"
#include "cli/parser.h"

namespace berth::cli {
namespace {

struct Answer {
  int code = 0;
  std::string out;
  std::string err;
};

Answer answer(std::vector<const char*> words) {
  words.insert(words.begin(), "berth");
  std::ostringstream out;
  std::ostringstream err;
  Console console(out, Stream::kPlain, err, Stream::kPlain, "1.2.3");
  Answer result;
  result.code = run_program(program(), static_cast<int>(words.size()), words.data(), console);
  result.out = out.str();
  result.err = err.str();
  return result;
}

TEST(Program, UnknownWordsAreAnsweredWithTheNearestAndCodeTwo) {
  for (const auto& [words, hint] : std::vector<std::pair<std::vector<const char*>, std::string>>{
           {{"simm"}, "'sim'"},
           {{"sim", "rnu"}, "'run'"},
           {{"sim", "run", "--polciy", "x", "f"}, "'--policy'"},
           {{"completion", "bahs"}, "'bash'"},
           {{"gpus", "--output", "jsno"}, "'json'"},
           {{"gpus", "A100-SXM4-80G"}, "'A100-SXM4-80GB'"}}) {
    const Answer result = answer(words);
    EXPECT_EQ(result.code, kUsage);
    EXPECT_NE(result.err.find("did you mean " + hint), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
  }
}

TEST(Program, HelpNamesEverySubcommandAndOption) {
  const Answer top = answer({"--help"});
  EXPECT_EQ(top.code, kDone);
  for (const CommandSpec& command : program().subcommands) {
    EXPECT_NE(top.out.find(command.name), std::string::npos);
    for (const CommandSpec& child : command.subcommands) {
      const Answer help = answer({command.name.c_str(), child.name.c_str(), "--help"});
      EXPECT_EQ(help.code, kDone);
      for (const OptionSpec& option : child.options) {
        EXPECT_NE(help.out.find(option.name), std::string::npos) << help.out;
      }
    }
  }
}

TEST(Program, VersionAndGpusAnswer) {
  EXPECT_NE(answer({"version"}).out.find("berth 1.2.3"), std::string::npos);
  const Answer model = answer({"gpus", "A30"});
  EXPECT_EQ(model.code, kDone);
  EXPECT_NE(model.out.find("1g.6gb"), std::string::npos);
  EXPECT_NE(answer({"gpus", "--output", "json"}).out.find("\"A30\""), std::string::npos);
}

TEST(Program, BadValuesAndFilesAreAnsweredWithCodeTwo) {
  EXPECT_EQ(answer({"sim", "run", "/nonexistent.yaml"}).code, kUsage);
  const Answer seed = answer({"sim", "run", "x.yaml", "--seed", "-1"});
  EXPECT_EQ(seed.code, kUsage);
  EXPECT_NE(seed.err.find("--seed: is '-1'"), std::string::npos) << seed.err;
  const Answer until = answer({"sim", "run", "x.yaml", "--until", "5"});
  EXPECT_NE(until.err.find("--until"), std::string::npos) << until.err;
  EXPECT_EQ(answer({"sim", "compare", "x.json"}).code, kUsage);
}

TEST(Program, ASampleRunsAndRepeatsItsHash) {
  const Answer first = answer({"sim", "run", "data/workloads/sample.yaml", "--output", "json"});
  const Answer second = answer({"sim", "run", "data/workloads/sample.yaml", "--output", "json"});
  EXPECT_EQ(first.code, kDone) << first.err;
  EXPECT_NE(first.out.find("\"state_hash\""), std::string::npos);
  EXPECT_EQ(first.out, second.out);
}

TEST(Completion, OffersEveryCommandAndOption) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = answer({"completion", shell}).out;
    for (const char* word : {"sim", "compare", "skip-bad-rows", "fish", "scenario"}) {
      EXPECT_NE(script.find(word), std::string::npos) << shell << " " << word;
    }
  }
}

}  // namespace
}  // namespace berth::cli
