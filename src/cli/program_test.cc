// The program as a whole, without a process: arguments in, text and exit code out.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/testing.h"

namespace berth::cli {
namespace {

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
  EXPECT_EQ(answer({"completion", "tcsh"}).err,
            "berth: SHELL: 'tcsh' is not accepted; did you mean 'bash'?; accepted: bash, zsh, "
            "fish\n");
  EXPECT_EQ(answer({"sim", "rnu"}).err,
            "berth: 'rnu' is not known to 'berth sim'; did you mean 'run'?\nsee 'berth sim "
            "--help'\n");
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

TEST(Program, HelpNamesACommandByItsPath) {
  EXPECT_NE(answer({"--help"}).out.find("\nUsage: berth [OPTIONS]"), std::string::npos);
  EXPECT_NE(answer({"sim", "--help"}).out.find("\nUsage: berth sim [OPTIONS]"), std::string::npos);
  EXPECT_NE(answer({"sim", "compare", "--help"})
                .out.find("\nUsage: berth sim compare [OPTIONS] FILE...\n"),
            std::string::npos);
}

TEST(Program, MissingAndSurplusWordsAreSaid) {
  for (const auto& [words, text] : std::vector<std::pair<std::vector<const char*>, std::string>>{
           {{"sim"}, "berth: 'berth sim' needs a command; accepted: run, compare, day\n"},
           {{"sim", "run"}, "berth: FILE is required; see 'berth sim run --help'\n"},
           {{"sim", "run", "a", "b"},
            "berth: FILE: more than one is given; one is accepted; see 'berth sim run --help'\n"},
           {{"sim", "run", "a", "--skip-bad-rows=maybe"},
            "berth: a flag takes no value: Could not convert: --skip-bad-rows = maybe; see 'berth "
            "sim run --help'\n"},
           {{"sim", "run", "a", "--seed"},
            "berth: --seed: needs one value, N; see 'berth sim run --help'\n"}}) {
    const Answer result = answer(words);
    EXPECT_EQ(result.code, kUsage);
    EXPECT_EQ(result.err, text);
    EXPECT_EQ(result.out, "");
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
  for (const char* time : {"5", "nan", "", "1e99h"}) {
    const Answer until = answer({"sim", "run", "x.yaml", "--until", time});
    EXPECT_EQ(until.code, kUsage);
    EXPECT_EQ(until.err, "berth: --until: is '" + std::string(time) +
                             "'; a duration such as 250ms, 90s, 5m, 2h or 3d is accepted\n");
  }
  EXPECT_EQ(answer({"sim", "run", "x.yaml", "--until", "-5h"}).err,
            "berth: --until: is '-5h'; a time above 0 is accepted\n");
  EXPECT_EQ(answer({"sim", "compare", "x.json"}).code, kUsage);
}

TEST(Program, NothingIsPlayedWhenItsOutputCannotBeWritten) {
  constexpr const char* kSample = "data/workloads/sample.yaml";
  for (const char* option : {"--report", "--journal"}) {
    const Answer result = answer({"sim", "run", kSample, option, "/no/such/folder/x"});
    EXPECT_EQ(result.code, kFailed);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "berth: " + std::string(option) +
                              ": '/no/such/folder/x' cannot be written: "
                              "No such file or directory\n");
  }
  EXPECT_EQ(answer({"sim", "run", kSample, "--report", ""}).err,
            "berth: --report: is empty; the name of a file is accepted\n");
  EXPECT_EQ(answer({"sim", "day", "--report", "/"}).err,
            "berth: --report: '/' cannot be written: is a directory\n");
}

TEST(Program, NothingIsPlayedWhenOneOfThePoliciesIsUnknown) {
  const Answer result =
      answer({"sim", "compare", "data/workloads/sample.yaml", "--policies", "berth,bestfti"});
  EXPECT_EQ(result.code, kUsage);
  EXPECT_NE(result.err.find("--policies: 'bestfti' is not in"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("did you mean 'bestfit'?"), std::string::npos) << result.err;
  EXPECT_EQ(result.out, "");
}

std::string sample_result(const Files& files, const std::string& name, const char* option,
                          const char* value) {
  const Answer run =
      answer({"sim", "run", "data/workloads/sample.yaml", "--output", "json", option, value});
  EXPECT_EQ(run.code, kDone) << run.err;
  return files.write(name, run.out);
}

TEST(Compare, ResultsOfOtherLoadsAreRefused) {
  const Files files("berth_compare_test");
  const std::string first = sample_result(files, "first.json", "--seed", "7");
  const std::string policy = sample_result(files, "policy.json", "--policy", "bestfit");
  const std::string seven = sample_result(files, "seven.json", "--until", "7m");
  const std::string other = sample_result(files, "other.json", "--seed", "11");
  EXPECT_EQ(answer({"sim", "compare", first.c_str(), first.c_str()}).code, kDone);
  const Answer seed = answer({"sim", "compare", first.c_str(), other.c_str()});
  EXPECT_EQ(seed.code, kUsage);
  EXPECT_EQ(seed.out, "");
  EXPECT_EQ(seed.err, "berth: " + other + ": seed is 11, that of " + first +
                          " is 7; a comparison is of one load\n");
  const Answer until = answer({"sim", "compare", policy.c_str(), seven.c_str()});
  EXPECT_EQ(until.code, kUsage);
  EXPECT_NE(until.err.find("duration is 7 min, that of " + policy + " is "), std::string::npos)
      << until.err;
}

TEST(Compare, AFileThatIsNotThereIsNamed) {
  const Files files("berth_compare_file_test");
  const std::string first = sample_result(files, "first.json", "--seed", "7");
  const Answer none = answer({"sim", "compare", first.c_str(), "none.json"});
  EXPECT_EQ(none.code, kUsage);
  EXPECT_EQ(none.err, "berth: none.json: cannot be opened: No such file or directory\n");
}

TEST(Program, OptionsThatDoNotApplyAreRefused) {
  const std::string played = " applies to --sim only; a scenario is played up to its end\n";
  EXPECT_EQ(answer({"why", "--scn", "x.scn", "--until", "1h"}).err, "berth: --until" + played);
  EXPECT_EQ(answer({"why", "--scn", "x.scn", "--seed", "4"}).err, "berth: --seed" + played);
  const std::string results = " applies to --policies only; results are of runs played before\n";
  for (const auto& [option, value] : std::vector<std::pair<const char*, const char*>>{
           {"--seed", "4"}, {"--until", "1h"}, {"--mix", "openb"}}) {
    const Answer refused = answer({"sim", "compare", "a.json", "b.json", option, value});
    EXPECT_EQ(refused.code, kUsage);
    EXPECT_EQ(refused.err, "berth: " + std::string(option) + results);
  }
  EXPECT_EQ(answer({"sim", "compare", "a.json", "b.json", "--skip-bad-rows"}).err,
            "berth: --skip-bad-rows" + results);
}

// Before anything runs: the file, the queue, the nearest name and those that there are.
TEST(Program, JobsOfAQueueThatTheFleetLacksAreRefused) {
  const Files files("berth_queues_test");
  files.write("fleet.yaml",
              "queues: [{name: vision}, {name: speech}]\n"
              "nodes: [{name: n, model: A30, cards: [{count: 1}], cpu: 8, memory: 64GiB}]\n");
  const std::string stream =
      files.write("stream.yaml",
                  "name: s\nfleet: ./fleet.yaml\nduration: 1h\nstreams:\n"
                  "  - {name: a, arrivals: {per_hour: 6}, shapes: [{}], durations: {value: 1m},\n"
                  "     teams: [{queue: speech}, {queue: vison}]}\n");
  const Answer generated = answer({"sim", "run", stream.c_str()});
  EXPECT_EQ(generated.code, kUsage);
  EXPECT_EQ(generated.out, "");
  EXPECT_EQ(generated.err, "berth: " + stream +
                               ": streams[0].teams[1].queue: 'vison' is not a queue of the fleet; "
                               "did you mean 'vision'?; its queues: vision, speech\n");
  const std::string jobs =
      files.write("jobs.csv", "name,submit_s,run_s,queue,gpus\nj,0,60,speech,1\nk,5,60,sales,1\n");
  const std::string traced = files.write("traced.yaml",
                                         "name: t\nfleet: ./fleet.yaml\n"
                                         "traces: [{format: plain, jobs: jobs.csv}]\n");
  const Answer refused = answer({"sim", "run", traced.c_str()});
  EXPECT_EQ(refused.code, kUsage);
  EXPECT_EQ(refused.err, "berth: " + jobs +
                             ": queue of job 'k': 'sales' is not a queue of the fleet; its queues: "
                             "vision, speech\n");
  const Answer skipped = answer({"sim", "run", traced.c_str(), "--skip-bad-rows"});
  EXPECT_EQ(skipped.code, kDone);
  EXPECT_NE(skipped.err.find("skipped 1 bad rows"), std::string::npos) << skipped.err;
}

TEST(Program, AScenarioSaysWhereItsLanguageIs) {
  const Answer all = answer({"scenario", "verbs"});
  EXPECT_EQ(all.code, kDone);
  for (const char* verb : {"queue NAME", "submit NAME", "show nodes"}) {
    EXPECT_NE(all.out.find(verb), std::string::npos) << verb;
  }
  EXPECT_EQ(answer({"scenario", "verbs", "hold"}).out,
            "hold JOB\n      Its owner holds a job back.\n");
  EXPECT_NE(answer({"scenario", "verbs", "quue"}).err.find("did you mean 'queue'?"),
            std::string::npos);
}

// What differs is shown beside what the runner's own checks found.
TEST(Program, AScenarioThatEndsTooEarlyShowsItsDifferencesToo) {
  const Files files("berth_early_test");
  const std::string path = files.write(
      "early.scn", "queue q\nnode n1 model=A30 gpus=1\nshow queues\nsubmit a gpus=1\n----\nok\n");
  const Answer result = answer({"scenario", "run", path.c_str()});
  EXPECT_EQ(result.code, kDiffers);
  EXPECT_NE(result.out.find("-ok\n+q charged nothing\n"), std::string::npos) << result.out;
  EXPECT_NE(result.err.find("idle cycle 1 decides place a; a scenario ends when nothing is left"),
            std::string::npos)
      << result.err;
}

// Files that cannot be what they are given for: one message that names them, code two, no output.
TEST(Program, UnusableFilesAreNamed) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(::testing::TempDir()) / "berth_program_test";
  fs::create_directories(folder / "folder.yaml");
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(folder / name, std::ios::binary) << text;
  };
  write("empty.yaml", "");
  write("binary.yaml", std::string("\x7f\x45LF\0\x01", 6));
  write("wrong-key.yaml", "nmae: x\nfleet: mixed-1000\nworkload: demo\n");
  write("negative.yaml", "name: x\nfleet: mixed-1000\nworkload: demo\nduration: -5h\n");
  write("nan.yaml", "name: x\nfleet: mixed-1000\nworkload: demo\nseed: .nan\n");
  write("no-trace.yaml", "name: x\nfleet: mixed-1000\ntraces: [{format: plain, jobs: a.csv}]\n");
  write("empty-trace.yaml",
        "name: x\nfleet: mixed-1000\ntraces: [{format: plain, jobs: empty.yaml}]\n");
  write("empty.scn", "");
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
           {"empty.yaml", "is empty; a map is accepted"},
           {"binary.yaml", "holds the control character"},
           {"folder.yaml", "is a directory"},
           {"none.yaml", "cannot be opened"},
           {"wrong-key.yaml", "did you mean 'name'?"},
           {"negative.yaml", "duration: is '-5h'"},
           {"nan.yaml", "seed: is '.nan'"},
           {"no-trace.yaml", "'a.csv' is neither"},
           {"empty-trace.yaml", "empty.yaml: is empty, expected a header and rows"}}) {
    const Answer result = answer({"sim", "run", (folder / name).c_str()});
    EXPECT_EQ(result.code, kUsage) << name;
    EXPECT_NE(result.err.find(folder.string()), std::string::npos) << result.err;
    EXPECT_NE(result.err.find(text), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
  }
  const std::string scenario = (folder / "empty.scn").string();
  const Answer empty = answer({"scenario", "run", scenario.c_str()});
  EXPECT_EQ(empty.code, kUsage);
  EXPECT_EQ(empty.err.find("berth: " + scenario + ": holds no command"), 0U) << empty.err;
  fs::remove_all(folder);
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

TEST(Completion, OffersFilesOnlyWhereAFileCanStand) {
  const std::string script = answer({"completion", "bash"}).out;
  for (const char* line :
       {"'what-if --file') is_value=yes words='' files=yes ;;\n",
        "'what-if --for') is_value=yes words='' ;;\n",
        "'why --scn') is_value=yes words='' files=yes ;;\n",
        "'why --until') is_value=yes words='' ;;\n",
        "'why') words='--scn --sim --seed --until --output --server --token --context --help' "
        ";;\n",
        "'scenario run') words='--update --help' files=yes ;;\n",
        "'sim run --output') is_value=yes words='table json csv' ;;\n"}) {
    EXPECT_NE(script.find(line), std::string::npos) << line;
  }
  const std::size_t policies = script.find("'sim compare --policies') is_value=yes words='");
  ASSERT_NE(policies, std::string::npos);
  const std::string names = script.substr(policies, script.find('\n', policies) - policies);
  EXPECT_NE(names.find(" bestfit "), std::string::npos) << names;
  EXPECT_EQ(names.find("files=yes"), std::string::npos) << names;
  EXPECT_NE(script.find("H100-SXM5-80GB"), std::string::npos);
  const std::string fish = answer({"completion", "fish"}).out;
  EXPECT_NE(fish.find("-l scn -d 'Asks a scenario that is played up to its end' -r -F\n"),
            std::string::npos);
}

}  // namespace
}  // namespace berth::cli
