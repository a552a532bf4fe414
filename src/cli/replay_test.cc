// `berth replay` as a user gives it, on the journal of a small run: two tenants on 8 cards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/testing.h"
#include "control/learner.h"
#include "journal/sqlite_journal.h"
#include "model/testing.h"
#include "sim/load.h"
#include "sim/simulation.h"

namespace berth::cli {
namespace {

namespace t = berth::testing;
using ::testing::AnyOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

sim::SimJob job(TimeMs at, const std::string& name, const std::string& queue, std::uint32_t cards) {
  return {at, name, std::make_shared<const JobSpec>(t::job(queue, t::whole(cards))), kHourMs};
}

sim::SimInput input() {
  sim::SimInput input;
  input.models = {t::plain_model("A100", 80 * 1024)};
  input.queues = {t::queue("left"), t::queue("right")};
  input.nodes = {t::node("n1", input.models.front().name, 8)};
  input.policy = *sim::load_policy("berth", {"data", {}});
  input.jobs = std::make_unique<sim::ListedJobs>(std::vector<sim::SimJob>{
      job(kMinuteMs, "l1", "left", 8), job(2 * kMinuteMs, "r1", "right", 4),
      job(3 * kMinuteMs, "r2", "right", 8), job(5 * kHourMs, "l2", "left", 1)});
  input.settings.duration_ms = 10 * kHourMs;
  return input;
}

// The file of a journal that has ended.
std::string recorded(const Files& files) {
  const std::string path = files.write("mark", "") + ".sqlite";
  const auto journal = journal::SqliteJournal::open(path);
  EXPECT_TRUE(journal) << journal.error().to_text();
  control::FitLearner learner;
  sim::Simulation simulation(input(), {**journal, learner});
  EXPECT_TRUE(simulation.begin());
  EXPECT_TRUE(simulation.run([](const sim::Progress&) {}));
  return path;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(ReplayCommand, TheTableHasARowForEachTenantAndPolicy) {
  const Files files("berth_replay_table");
  const std::string path = recorded(files);
  const Answer played =
      answer({"replay", path.c_str(), "--policy", "bestfit", "--policy", "worstfit"});
  ASSERT_EQ(played.code, kDone) << played.err;
  EXPECT_THAT(played.err, HasSubstr("4 jobs in "));
  const auto lines = lines_of(played.out);
  const std::vector<std::string> kinds = {"as recorded ", " berth ", " bestfit ", " worstfit ",
                                          " difference "};
  ASSERT_EQ(lines.size(), 1 + 2 * kinds.size()) << played.out;
  EXPECT_THAT(lines[0], HasSubstr("wait mean"));
  for (std::size_t i = 0; i < 2 * kinds.size(); ++i) {
    EXPECT_THAT(lines[1 + i], HasSubstr(kinds[i % kinds.size()])) << played.out;
  }
  EXPECT_THAT(lines[1], HasSubstr("left "));
  EXPECT_THAT(lines[1 + kinds.size()], HasSubstr("right "));
}

TEST(ReplayCommand, ProgramsGetTheSameAsJson) {
  const Files files("berth_replay_json");
  const std::string path = recorded(files);
  const Answer played = answer({"replay", path.c_str(), "--policy", "bestfit", "--output", "json"});
  ASSERT_EQ(played.code, kDone) << played.err;
  EXPECT_THAT(played.out, EndsWith("]\n"));
  const auto rows = nlohmann::json::parse(played.out);
  ASSERT_EQ(rows.size(), 6U) << played.out;
  const std::vector<std::string> policies = {"as recorded", "berth", "bestfit"};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& row = rows[i];
    EXPECT_EQ(row.at("tenant"), i < 3 ? "left" : "right");
    EXPECT_EQ(row.at("policy"), policies[i % 3]);
    EXPECT_EQ(row.at("jobs"), 2);
    EXPECT_GT(row.at("gpu_hours").get<double>(), 8);
    EXPECT_GE(row.at("wait_p99_ms").get<double>(), row.at("wait_mean_ms").get<double>());
    EXPECT_TRUE(row.at("slo_met").is_null()) << "no job that somebody waits for";
  }
}

TEST(ReplayCommand, AnUnknownPolicyIsRefusedWithTheNearest) {
  const Files files("berth_replay_policy");
  const std::string path = recorded(files);
  const Answer refused = answer({"replay", path.c_str(), "--policy", "bestfti"});
  EXPECT_EQ(refused.code, kUsage);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, HasSubstr("'bestfti' is not in "));
  EXPECT_THAT(refused.err, HasSubstr("; did you mean 'bestfit'?"));
}

TEST(ReplayCommand, WhatIsNoJournalIsNamed) {
  const Files files("berth_replay_none");
  const Answer none = answer({"replay", "/none", "--policy", "bestfit"});
  EXPECT_EQ(none.code, kUsage);
  EXPECT_EQ(none.err, "berth: JOURNAL: /none is no file; the journal of a server is one\n");
  const std::string text = files.write("text", "no journal at all\n");
  const Answer other = answer({"replay", text.c_str(), "--policy", "bestfit"});
  EXPECT_THAT(other.code, AnyOf(kUsage, kFailed));
  EXPECT_THAT(other.err, HasSubstr(text + ": is not a journal"));
  EXPECT_THAT(answer({"replay", text.c_str(), "--slo", "soon"}).err, HasSubstr("is 'soon'"));
}

}  // namespace
}  // namespace berth::cli
