// What the program answers when it is asked of a scenario: why, what-if, plan show.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/testing.h"

namespace berth::cli {
namespace {

std::string waiting_scenario(const Files& files) {
  return files.write("wait.scn",
                     "queue lab limit=3\nnode n1 model=A30 gpus=4\n"
                     "submit day queue=lab gpus=2 run_time=130m\ncycle\nadvance 10m\n"
                     "submit next queue=lab gpus=2\nsubmit mine queue=lab gpus=1\nhold mine\n"
                     "cycle\n----\n");
}

TEST(Why, ListsWhoWaitsAndAnswersAnUnknownNameWithTheNearest) {
  const Files files("berth_why_test");
  const std::string scenario = waiting_scenario(files);
  EXPECT_EQ(answer({"why", "--scn", scenario.c_str()}).out,
            "2 jobs wait, 1 runs\n"
            "  next  waits 0 s: asks 2 cards, limit: 1 left of 3 cards (queue lab, A30)\n"
            "  mine  waits 0 s: held by its owner\n");
  const Answer unknown = answer({"why", "nxt", "--scn", scenario.c_str()});
  EXPECT_EQ(unknown.code, kUsage);
  EXPECT_EQ(unknown.err,
            "berth: JOB: 'nxt' is not a job that waits or runs there; did you mean 'next'?\n");
}

TEST(Why, AnswersProgramsInFields) {
  const Files files("berth_why_json_test");
  const std::string scenario = waiting_scenario(files);
  const auto json = nlohmann::json::parse(
      answer({"why", "next", "--scn", scenario.c_str(), "--output", "json"}).out);
  EXPECT_EQ(json.at("phase"), "pending");
  EXPECT_EQ(json.at("primary_reason").at("rule"), "quota");
  EXPECT_EQ(json.at("primary_reason").at("numbers").at("limit_milli"), 3000);
  EXPECT_TRUE(json.at("other_reasons").is_array());
  EXPECT_EQ(json.at("eta").at("in_ms"), 2 * 3'600'000);
  EXPECT_EQ(json.at("eta").at("after_job"), "day");
  EXPECT_EQ(json.at("eta").at("basis"), "declared");
  const auto& wait = json.at("fixes").front();
  EXPECT_EQ(wait.at("text"), "wait for job day, in 2 h (declared)");
  EXPECT_EQ(wait.at("by"), "time");
  EXPECT_EQ(wait.at("in_ms"), 2 * 3'600'000);
  EXPECT_TRUE(wait.at("commands").empty());
  const auto& fix = json.at("fixes").back();
  EXPECT_EQ(fix.at("by"), "operator");
  EXPECT_EQ(fix.at("text"), "give queue lab 1 card more (limit 4 cards)");
  EXPECT_EQ(fix.at("commands").at(0).at("do"), "declare-queue");
  EXPECT_EQ(fix.at("commands").at(0).at("queue").at("quotas").at(0).at("limit"), 4);
  const auto list =
      nlohmann::json::parse(answer({"why", "--scn", scenario.c_str(), "--output", "json"}).out);
  EXPECT_EQ(list.at("with_a_place"), 1);
  EXPECT_EQ(list.at("waiting").at(1).at("primary_reason").at("rule"), "held-by-user");
}

// Who was stopped waits anew; who is suspended waits for his cards.
TEST(Why, ToldOfThoseWhoWereStoppedIsByWhomAndSinceWhen) {
  const Files files("berth_why_stopped_test");
  const std::string scenario =
      files.write("stop.scn",
                  "policy reclaim=[guarantee]\nqueue lab guarantee=2\nqueue rest\n"
                  "node n1 model=H100-SXM5-80GB gpus=2 memory=400GiB\n"
                  "submit calm queue=rest gpus=1 checkpoint=driver image=20GiB run_time=5h\n"
                  "submit other queue=rest gpus=1 run_time=5h\ncycle\nadvance 1h\n"
                  "submit mine queue=lab gpus=2 run_time=1h\ncycle\nadvance 10m\ncycle\n----\n");
  EXPECT_EQ(
      answer({"why", "--scn", scenario.c_str()}).out,
      "1 job waits, 1 is suspended, 1 runs\n"
      "  calm   suspended 10 min 00 s (1 h 10 min since it was submitted): goes on when 1 card "
      "of n1 is free, where its memory is, and its queue may hold it\n"
      "  other  waits 10 min 00 s (stopped; 1 h 10 min since it was submitted): asks 1 free "
      "card on one node, largest has 0\n");
  const std::string calm = answer({"why", "calm", "--scn", scenario.c_str()}).out;
  EXPECT_EQ(calm.find("calm is suspended\n"
                      "  stopped: 1 card taken back for mine by guarantee (receipt 1), grade "
                      "suspend, "),
            0U)
      << calm;
  EXPECT_NE(calm.find("  eta:     calm could go on in 1 h, when mine ends (declared)"),
            std::string::npos)
      << calm;
  const auto json = nlohmann::json::parse(
      answer({"why", "other", "--scn", scenario.c_str(), "--output", "json"}).out);
  EXPECT_EQ(json.at("waits_ms"), 600'000);
  EXPECT_EQ(json.at("since_submission_ms"), 4'200'000);
  EXPECT_EQ(json.at("stopped").at("receipt"), 1);
  EXPECT_EQ(json.at("stopped").at("for"), "mine");
  EXPECT_EQ(json.at("stopped").at("right"), "guarantee");
  EXPECT_EQ(json.at("stopped").at("grade"), "kill");
  EXPECT_EQ(json.at("stopped").at("lost_ms"), 3'600'000);
  const auto list =
      nlohmann::json::parse(answer({"why", "--scn", scenario.c_str(), "--output", "json"}).out);
  EXPECT_EQ(list.at("waiting").at(0).at("phase"), "suspended");
  EXPECT_EQ(list.at("waiting").at(1).at("stopped").at("ago_ms"), 600'000);
  EXPECT_EQ(list.at("with_a_place"), 1);
}

std::string taking_scenario(const Files& files) {
  return files.write("take.scn",
                     "policy reclaim=[guarantee]\nqueue lab guarantee=2\nqueue rest\n"
                     "node n1 model=A30 gpus=4\nexecutor manual\n"
                     "submit long queue=rest gpus=4 run_time=5h\ncycle\nprepared long\n"
                     "advance 1h\nsubmit done queue=rest\ncancel done\n----\n");
}

TEST(WhatIf, SaysWhoStartsAndWhoGivesAndChangesNothing) {
  const Files files("berth_what_if_test");
  const std::string scenario = taking_scenario(files);
  const Answer text =
      answer({"what-if", "submit mine queue=lab gpus=2", "--scn", scenario.c_str()});
  EXPECT_EQ(text.code, kDone) << text.err;
  EXPECT_EQ(text.out,
            "what if, at 1 h, played 30 s ahead:\n"
            "  mine  starts in 30 s on n1:[0-1]\n"
            "  long  gives 4 cards to mine at once (receipt 1): kill, loses 1 h of each, price 4\n"
            "        then waits: asks 4 free cards on one node, largest has 2\n"
            "cards allocated: 4.0 -> 2.0 of 4.0, mean 4.0\n"
            "jobs waiting: 0 -> 1\n"
            "taken back from 0 -> 1 job, lost 0.00 -> 4.00 GPU-hours\n"
            "queue lab: holds 0.0 -> 2.0, fair share 0.0 -> 2.0\n"
            "queue rest: holds 4.0 -> 0.0, fair share 4.0 -> 2.0\n");
  const std::string list = files.write("list.txt", "# comment\ncancel long\n");
  const auto json = nlohmann::json::parse(
      answer({"what-if", "submit mine queue=lab gpus=2", "--file", list.c_str(), "--for", "10m",
              "--scn", scenario.c_str(), "--output", "json"})
          .out);
  EXPECT_EQ(json.at("played_ms"), 600'000);
  EXPECT_EQ(json.at("jobs").at(0).at("job"), "mine");
  EXPECT_EQ(json.at("jobs").at(0).at("with").at("starts_in_ms"), 30'000);
  EXPECT_EQ(json.at("jobs").at(0).at("without"), nullptr);
  EXPECT_EQ(json.at("jobs").at(1).at("with").at("end"), "cancelled");
  EXPECT_EQ(json.at("with").at("interrupted_jobs"), 0);
}

TEST(WhatIf, TellsWhichCommandIsWrong) {
  const Files files("berth_what_if_errors_test");
  const std::string scenario = taking_scenario(files);
  const std::string list = files.write("list.txt", "hold long\n\nsubmt x\n");
  for (const auto& [words, text] : std::vector<std::pair<std::vector<const char*>, std::string>>{
           {{"what-if", "--scn", "x.scn"},
            "COMMAND: none is given; one such as 'drain n1', or --file FILE, is needed\n"},
           {{"what-if", "drain n1", "--scn", "a.scn", "--sim", "b.yaml"},
            "--scn: is given, and --sim too; one of them is accepted"},
           {{"what-if", "drain n1", "--scn", scenario.c_str(), "--for", "soon"},
            "--for: is 'soon'; a duration such as"},
           {{"what-if", "drain n1", "--scn", scenario.c_str(), "--for", "-1h"},
            "--for: is '-1h'; a time from 0 is accepted"},
           {{"what-if", "drain n1", "drain n2", "--scn", scenario.c_str()},
            "COMMAND 2, 'drain n2': node: 'n2' is not a node; did you mean 'n1'?\n"},
           {{"what-if", "--file", list.c_str(), "--scn", scenario.c_str()},
            list + ":3, 'submt x': 'submt' is not a command; did you mean 'submit'?"},
           {{"what-if", "--file", "/none", "--scn", scenario.c_str()},
            "/none: cannot be opened"}}) {
    const Answer result = answer(words);
    EXPECT_EQ(result.code, kUsage);
    EXPECT_EQ(result.err.find("berth: " + text), 0U) << result.err;
    EXPECT_EQ(result.out, "");
  }
}

TEST(Plan, SaysOfAJobThatNothingWasTaken) {
  const Files files("berth_plan_show_test");
  const std::string scenario = taking_scenario(files);
  for (const char* job : {"done", "long"}) {
    const Answer none = answer({"plan", "show", job, "--scn", scenario.c_str()});
    EXPECT_EQ(none.code, kDone) << none.err;
    EXPECT_EQ(none.out, "nothing has been taken back for " + std::string(job) + ", nor from it\n");
  }
  const Answer never = answer({"plan", "show", "lon", "--scn", scenario.c_str()});
  EXPECT_EQ(never.code, kUsage);
  EXPECT_EQ(never.err, "berth: JOB: no job 'lon' was ever submitted there; did you mean 'long'?\n");
}

TEST(Why, AMistakeInAScenarioIsToldAtItsLine) {
  const Files files("berth_why_line_test");
  const std::string path = files.write("bad.scn", "node n1 gpus=1\nsubmt a\n----\n");
  const Answer result = answer({"why", "--scn", path.c_str()});
  EXPECT_EQ(result.code, kUsage);
  EXPECT_EQ(result.err.find("berth: " + path + ":2: 'submt' is not"), 0U) << result.err;
  const std::string open = files.write("open.scn", "node n1 gpus=1\n");
  const Answer early = answer({"why", "--scn", open.c_str()});
  EXPECT_EQ(early.err.find("berth: " + open + ":"), 0U) << early.err;
}

}  // namespace
}  // namespace berth::cli
