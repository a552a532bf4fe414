// What a user does with jobs, command by command, against a server: what is printed, and the exit
// code. Jobs of each test have names of their own, and none takes an H100, so that `giant` always
// lacks the same.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/remote/testing.h"

namespace berth::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kGiantReason = "9 tasks must start together, 5 fit now";

class JobCommands : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    server_ = std::make_unique<DevServer>("job-commands");
    answer_with({"top"}, "10 of 10 nodes ready");
  }
  static void TearDownTestSuite() { server_.reset(); }

  // Two whole cards for longer than any test lasts.
  static std::string tune(const std::string& name) {
    return server_->file(name + ".yaml",
                         "name: " + name +
                             "\n"
                             "queue: vision\n"
                             "roles:\n"
                             "  - containers:\n"
                             "      - {cpu: 8, devices: {count: 2, models: [A100-SXM4-80GB]}}\n"
                             "run_time: 1000d\n");
  }
  // More nodes than there are.
  static std::string giant(const std::string& name) {
    return server_->file(name + ".yaml",
                         "name: " + name +
                             "\n"
                             "queue: language\n"
                             "roles:\n"
                             "  - name: worker\n"
                             "    count: 9\n"
                             "    containers:\n"
                             "      - {cpu: 8, devices: {count: 8, models: [H100-SXM5-80GB]}}\n"
                             "run_time: 1000d\n");
  }
  static void submit(const std::string& file) {
    const Answer done = answer({"submit", file.c_str()});
    ASSERT_EQ(done.code, kDone) << done.err;
  }
  static Answer get(const std::string& job) { return answer({"get", "job", job.c_str()}); }

  static inline std::unique_ptr<DevServer> server_;
};

TEST_F(JobCommands, AJobOfAFileIsSubmittedOnceAndRuns) {
  const std::string file = tune("single");
  const Answer done = answer({"submit", file.c_str()});
  EXPECT_EQ(done.code, kDone) << done.err;
  EXPECT_EQ(done.out, "job single submitted\n");
  const Answer again = answer({"submit", file.c_str()});
  EXPECT_EQ(again.code, kUsage);
  EXPECT_EQ(again.out, "");
  EXPECT_EQ(again.err, "berth: name: job 'single' exists and has not ended\n");
  EXPECT_THAT(answer_with({"get", "job", "single"}, " running ").out, HasSubstr(" a100-"));
}

TEST_F(JobCommands, AListOfJobsIsSubmittedAsOne) {
  const std::string file =
      server_->file("list.json",
                    R"([{"name":"pair-1","queue":"chat","roles":[{"containers":[{"cpu":1}]}]},
          {"name":"pair-2","queue":"chat","roles":[{"containers":[{"cpu":1}]}]}])");
  const Answer done = answer({"submit", file.c_str(), "-o", "json"});
  EXPECT_EQ(done.code, kDone) << done.err;
  EXPECT_THAT(done.out, HasSubstr("\"name\": \"pair-1\""));
  EXPECT_THAT(done.out, HasSubstr("\"name\": \"pair-2\""));
}

TEST_F(JobCommands, TheSameRequestTwiceIsOneJob) {
  const std::string file = giant("once");
  for (int i = 0; i < 2; ++i) {
    const Answer done = answer({"submit", file.c_str(), "--request-id", "once-1"});
    EXPECT_EQ(done.code, kDone) << done.err;
    EXPECT_EQ(done.out, "job once submitted\n");
  }
  EXPECT_EQ(answer({"get", "jobs", "--prefix", "once", "-o", "name"}).out, "once\n");
}

TEST_F(JobCommands, ADryRunSaysWhereAJobWouldLandAndSubmitsNothing) {
  const std::string file = tune("dry");
  const Answer yaml = answer({"submit", file.c_str(), "--dry-run", "-o", "yaml"});
  EXPECT_EQ(yaml.code, kDone) << yaml.err;
  EXPECT_THAT(yaml.out, StartsWith("name: dry\nqueue: vision\n"));
  EXPECT_THAT(yaml.out, HasSubstr("run_time: 1000d\n"));
  EXPECT_THAT(yaml.out, HasSubstr("\nrestarts: 0\n")) << "what was not written is there too";
  EXPECT_THAT(yaml.out, HasSubstr("\n# would start now at a100-"));
  const auto json =
      nlohmann::json::parse(answer({"submit", file.c_str(), "--dry-run", "-o", "json"}).out);
  EXPECT_EQ(json.at("job").at("name"), "dry");
  EXPECT_EQ(json.at("starts_now"), true);
  const std::string large = giant("dry-giant");
  EXPECT_THAT(answer({"submit", large.c_str(), "--dry-run"}).out,
              StartsWith("# would wait: " + std::string(kGiantReason)));
  EXPECT_EQ(get("dry").code, kUsage);
  EXPECT_EQ(get("dry-giant").code, kUsage);
}

TEST_F(JobCommands, WhatIsWrongWithAFileIsToldByLineAndField) {
  const std::string file = server_->file("wrong.yaml",
                                         "name: wrong\nqueue: vision\nroles:\n  - containers:\n"
                                         "      - {cpu: 8, devices: {count: -1}}\n");
  const Answer wrong = answer({"submit", file.c_str()});
  EXPECT_EQ(wrong.code, kUsage);
  EXPECT_EQ(wrong.out, "");
  EXPECT_EQ(wrong.err, "berth: " + file +
                           ":5: roles[0].containers[0].devices.count: is -1; a whole number from "
                           "0 to 1000000 is accepted\n");
  const std::string queue = server_->file(
      "queue.yaml", "name: wrong\nqueue: visoin\nroles: [{containers: [{cpu: 1}]}]\n");
  EXPECT_EQ(answer({"submit", queue.c_str()}).err,
            "berth: queue: 'visoin' is not a queue; did you mean 'vision'?\n");
  const Answer none = answer({"submit", "/none.yaml"});
  EXPECT_EQ(none.code, kUsage);
  EXPECT_THAT(none.err, StartsWith("berth: /none.yaml: cannot be opened"));
  EXPECT_EQ(get("wrong").code, kUsage) << "nothing was submitted";
}

TEST_F(JobCommands, JobsAreListedAsATableWideOrNarrow) {
  submit(tune("shown-a"));
  submit(giant("shown-b"));
  answer_with({"get", "jobs", "--prefix", "shown-"}, " running ");
  const std::string table = answer_with({"get", "jobs", "--prefix", "shown-"}, kGiantReason).out;
  EXPECT_THAT(row_of(table, "NAME"), ElementsAre("NAME", "QUEUE", "CLASS", "STATUS", "TASKS",
                                                 "CARDS", "AGE", "PLACE", "OR", "REASON"));
  const auto running = row_of(table, "shown-a");
  ASSERT_EQ(running.size(), 8U) << table;
  EXPECT_THAT(std::vector(running.begin(), running.begin() + 6),
              ElementsAre("shown-a", "vision", "training", "running", "1/1", "2"));
  EXPECT_THAT(running.back(), StartsWith("a100-"));
  const auto waiting = row_of(table, "shown-b");
  ASSERT_GT(waiting.size(), 6U) << table;
  EXPECT_THAT(std::vector(waiting.begin(), waiting.begin() + 6),
              ElementsAre("shown-b", "language", "training", "pending", "0/9", "72"));
  EXPECT_THAT(table, Not(HasSubstr("PRIORITY")));
  const std::string wide = answer({"get", "jobs", "--prefix", "shown-", "-o", "wide"}).out;
  EXPECT_THAT(wide, HasSubstr("PRIORITY"));
  EXPECT_THAT(wide, HasSubstr("ATTEMPTS"));
  EXPECT_THAT(wide, HasSubstr(kGiantReason));
}

TEST_F(JobCommands, JobsAreListedForPrograms) {
  submit(giant("listed-a"));
  submit(giant("listed-b"));
  const auto listed = [](const char* format) {
    return answer({"get", "jobs", "--prefix", "listed-", "--queue", "research", "-o", format}).out;
  };
  EXPECT_EQ(listed("name"), "listed-a\nlisted-b\n");
  const auto json = nlohmann::json::parse(listed("json"));
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[0].at("name"), "listed-a");
  EXPECT_EQ(json[1].at("status"), "pending");
  EXPECT_EQ(json[1].at("cards"), 72);
  EXPECT_THAT(listed("yaml"), StartsWith("- name: listed-a\n"));
  const auto one = nlohmann::json::parse(answer({"get", "job", "listed-a", "-o", "json"}).out);
  EXPECT_EQ(one.at("spec").at("queue"), "language");
  EXPECT_EQ(one.at("spec").at("roles")[0].at("count"), 9);
  EXPECT_THAT(answer({"get", "job", "listed-a", "-o", "yaml"}).out, StartsWith("name: listed-a\n"));
}

TEST_F(JobCommands, AListIsFilteredByWhatItsKindHas) {
  submit(giant("narrow-a"));
  const std::vector<const char*> begin = {"get", "jobs", "--prefix", "narrow-"};
  const auto listed = [&](std::vector<const char*> more) {
    more.insert(more.begin(), begin.begin(), begin.end());
    return answer(more);
  };
  EXPECT_THAT(listed({"--status", "pending"}).out, HasSubstr("narrow-a"));
  EXPECT_THAT(listed({"--class", "training"}).out, HasSubstr("narrow-a"));
  const Answer empty = listed({"--status", "running"});
  EXPECT_EQ(empty.code, kDone);
  EXPECT_EQ(empty.out, "");
  EXPECT_EQ(empty.err, "no jobs\n");
  const Answer filter = listed({"--node", "h100-1"});
  EXPECT_EQ(filter.code, kUsage);
  EXPECT_EQ(filter.err,
            "berth: --node: does not filter jobs; accepted: --queue, --status, --class, "
            "--prefix\n");
  EXPECT_THAT(listed({"--status", "runing"}).err, HasSubstr("did you mean 'running'?"));
  const Answer kind = answer({"get", "jbos"});
  EXPECT_EQ(kind.code, kUsage);
  EXPECT_THAT(kind.err, StartsWith("berth: KIND: 'jbos' is not accepted; did you mean 'jobs'?"));
}

TEST_F(JobCommands, AnUnknownJobIsAnsweredWithTheNearest) {
  submit(giant("kestrel"));
  for (const auto& [words, text] : std::vector<std::pair<std::vector<const char*>, std::string>>{
           {{"get", "job", "kestrle"}, "name: there is no job 'kestrle'"},
           {{"describe", "job", "kestrle"}, "name: there is no job 'kestrle'"},
           {{"cancel", "kestrle"}, "name: there is no job 'kestrle'"},
           {{"hold", "kestrle"}, "name: there is no job 'kestrle'"},
           {{"release", "kestrle"}, "name: there is no job 'kestrle'"},
           {{"resize", "kestrle", "2"}, "name: there is no job 'kestrle'"},
           {{"why", "kestrle"}, "JOB: 'kestrle' is not a job that waits or runs there"},
           {{"plan", "show", "kestrle"}, "JOB: no job 'kestrle' was ever submitted there"}}) {
    const Answer unknown = answer(words);
    EXPECT_EQ(unknown.code, kUsage) << words[0];
    EXPECT_EQ(unknown.out, "") << words[0];
    EXPECT_EQ(unknown.err, "berth: " + text + "; did you mean 'kestrel'?\n") << words[0];
  }
}

TEST_F(JobCommands, AJobIsDescribedWithWhatHappened) {
  submit(tune("story"));
  answer_with({"get", "job", "story"}, " running ");
  const Answer text = answer({"describe", "job", "story"});
  EXPECT_EQ(text.code, kDone) << text.err;
  EXPECT_THAT(text.out, StartsWith("name: story\n"));
  EXPECT_THAT(text.out, HasSubstr("\nleases:\n"));
  EXPECT_THAT(text.out, HasSubstr("\nstory is running\n"));
  EXPECT_THAT(text.out, HasSubstr("\nevents:\n"));
  for (const char* type : {"job-submitted", "lease-granted", "lease-prepared", "job-started"}) {
    EXPECT_THAT(text.out, HasSubstr(type));
  }
  const Answer json = answer({"describe", "job", "story", "-o", "json"});
  EXPECT_EQ(nlohmann::json::parse(json.out).at("leases").size(), 1U) << "and nothing behind it";
}

TEST_F(JobCommands, WhyAJobWaitsIsToldWithWhatWouldHelp) {
  submit(giant("stuck"));
  answer_with({"get", "job", "stuck"}, kGiantReason);
  EXPECT_THAT(answer({"why"}).out, HasSubstr("\n  stuck"));
  const Answer text = answer({"why", "stuck"});
  EXPECT_EQ(text.code, kDone) << text.err;
  EXPECT_THAT(text.out,
              StartsWith("stuck is pending\n  because: " + std::string(kGiantReason) + "\n"));
  EXPECT_THAT(text.out, HasSubstr("  eta:     "));
  EXPECT_THAT(text.out, HasSubstr("  fix:     start with 5 of 9 tasks\n"));
  EXPECT_THAT(answer({"describe", "job", "stuck"}).out, HasSubstr("stuck is pending\n  because: "));
  const auto json = nlohmann::json::parse(answer({"why", "stuck", "-o", "json"}).out);
  EXPECT_EQ(json.at("phase"), "pending");
  EXPECT_EQ(json.at("primary_reason").at("rule"), "gang");
  EXPECT_EQ(json.at("primary_reason").at("numbers").at("asked"), 9);
}

TEST_F(JobCommands, WhatIfSaysWhatWouldHappenAndChangesNothing) {
  const Answer text = answer({"what-if", "submit extra queue=vision gpus=1", "--for", "1m"});
  EXPECT_EQ(text.code, kDone) << text.err;
  EXPECT_THAT(text.out, StartsWith("what if, played 1 min ahead:\n"));
  EXPECT_THAT(text.out, HasSubstr("  extra  starts "));
  const auto json = nlohmann::json::parse(
      answer({"what-if", "submit extra queue=vision gpus=1", "--for", "1m", "-o", "json"}).out);
  EXPECT_EQ(json.at("played_ms"), 60'000);
  EXPECT_EQ(json.at("jobs").at(0).at("job"), "extra");
  EXPECT_EQ(get("extra").code, kUsage);
  const Answer wrong = answer({"what-if", "drain a100-9"});
  EXPECT_EQ(wrong.code, kUsage);
  EXPECT_THAT(wrong.err, HasSubstr("'drain a100-9': node: 'a100-9' is not a node; did you mean "
                                   "'a100-"));
}

TEST_F(JobCommands, AJobIsHeldAndReleasedByItsOwner) {
  submit(giant("kept-a"));
  submit(giant("kept-b"));
  const Answer held = answer({"hold", "kept-a", "kept-b"});
  EXPECT_EQ(held.code, kDone) << held.err;
  EXPECT_EQ(held.out, "kept-a held\nkept-b held\n");
  EXPECT_THAT(get("kept-a").out, HasSubstr("held by its owner"));
  EXPECT_THAT(answer({"why"}).out, HasSubstr("held by its owner"));
  EXPECT_EQ(answer({"release", "kept-a"}).out, "kept-a released\n");
  answer_with({"get", "job", "kept-a"}, kGiantReason);
  EXPECT_THAT(get("kept-b").out, HasSubstr("held by its owner"));
  const Answer half = answer({"release", "kept-b", "no-such-job", "kept-a"});
  EXPECT_EQ(half.code, kUsage);
  EXPECT_EQ(half.out, "kept-b released\nkept-a released\n") << "one keeps none from being asked";
  EXPECT_THAT(half.err, HasSubstr("no-such-job: name: there is no job 'no-such-job'"));
}

TEST_F(JobCommands, AJobGetsAnotherNumberOfTasks) {
  submit(giant("grown"));
  const Answer done = answer({"resize", "grown", "8", "--role", "worker"});
  EXPECT_EQ(done.code, kDone) << done.err;
  EXPECT_EQ(done.out, "grown resized to 8 tasks\n");
  EXPECT_EQ(nlohmann::json::parse(answer({"get", "job", "grown", "-o", "json"}).out).at("tasks"),
            8);
  EXPECT_EQ(answer({"resize", "grown", "9"}).out, "grown resized to 9 tasks\n") << "its only role";
  const Answer role = answer({"resize", "grown", "8", "--role", "main"});
  EXPECT_EQ(role.code, kUsage);
  EXPECT_EQ(role.err, "berth: role: is 'main'; 'worker' is accepted\n");
  const Answer count = answer({"resize", "grown", "few"});
  EXPECT_EQ(count.code, kUsage);
  EXPECT_EQ(count.err, "berth: TASKS: is 'few'; a whole number is accepted\n");
}

TEST_F(JobCommands, JobsAreCancelledAndRemembered) {
  submit(tune("over-a"));
  submit(giant("over-b"));
  answer_with({"get", "job", "over-a"}, " running ");
  const Answer done = answer({"cancel", "over-a", "over-b"});
  EXPECT_EQ(done.code, kDone) << done.err;
  EXPECT_EQ(done.out, "over-a cancelled\nover-b cancelled\n");
  answer_with({"get", "job", "over-a"}, " cancelled ");
  EXPECT_THAT(lines_of(answer({"get", "jobs", "--prefix", "over-", "-o", "name"}).out), IsEmpty());
  const std::string all = answer({"get", "jobs", "--all", "--prefix", "over-", "-o", "name"}).out;
  EXPECT_THAT(all, HasSubstr("over-a\n"));
  EXPECT_THAT(all, HasSubstr("over-b\n"));
  const Answer again = answer({"cancel", "over-a"});
  EXPECT_EQ(again.code, kUsage);
  EXPECT_THAT(again.err, StartsWith("berth: name: there is no job 'over-a'"));
}

}  // namespace
}  // namespace berth::cli
