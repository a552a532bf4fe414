// A question is answered by the decision's own code and changes nothing.
#include "sim/scenario/what_if.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "base/rng.h"
#include "sim/scenario/testing.h"
#include "sim/scenario/verbs.h"
#include "sim/scenario/wording.h"

namespace berth::sim {
namespace {

const std::vector<GpuModel>& catalog() { return testing::shipped_models(); }

void tell(Session& session, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    const Status told = session.run_line(line);
    ASSERT_TRUE(told.has_value()) << line << ": " << told.error().to_text();
  }
}

// Two nodes: one taken by a job that has just saved, the other half taken by one that never did.
std::unique_ptr<Session> two_jobs() {
  auto session = std::make_unique<Session>(catalog());
  tell(*session, {"policy reclaim=[rank]", "queue q guarantee=16",
                  "node n[1-2] model=H100-SXM5-80GB gpus=8", "submit J1 gpus=8 run_time=250m",
                  "submit J2 gpus=4", "cycle", "advance 179m", "checkpoint J1", "advance 1m"});
  return session;
}

Result<WhatIf> ask(Session& session, const std::string& command,
                   std::optional<DurationMs> horizon = {}) {
  const std::vector<WhatIfCommand> commands = {{"command 1", command}};
  return what_if(session.catalog(), session.moment(), commands, horizon);
}

TEST(WhatIf, AThousandQuestionsChangeNothing) {
  const auto session = two_jobs();
  const std::uint64_t hash = session->state().hash();
  const std::uint64_t revision = session->state().revision();
  const auto first = ask(*session, "submit C gpus=8 priority=10");
  ASSERT_TRUE(first.has_value());
  ASSERT_EQ(first->jobs.size(), 2U);
  EXPECT_EQ(first->jobs[0].after.started_at - session->now(), 30 * kSecondMs);
  EXPECT_EQ(first->jobs[1].after.name, "J1");
  EXPECT_NEAR(first->after.lost_gpu_hours, 8.0 / 60, 1e-9);
  const Lines lines = what_if_lines(*first);
  for (int i = 1; i < 1000; ++i) {
    const auto again = ask(*session, "submit C gpus=8 priority=10");
    ASSERT_TRUE(again.has_value());
    ASSERT_EQ(what_if_lines(*again), lines);
  }
  EXPECT_EQ(session->state().hash(), hash);
  EXPECT_EQ(session->state().revision(), revision);
}

TEST(WhatIf, ARefusedCommandIsNamedAndNothingIsDone) {
  const auto session = two_jobs();
  const std::vector<WhatIfCommand> commands =
      what_if_commands("list", "# two\n\nsubmit A gpus=4\n  drain n3\n");
  ASSERT_EQ(commands.size(), 2U);
  const auto answer = what_if(session->catalog(), session->moment(), commands, {});
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().message,
            "list:4, 'drain n3': node: 'n3' is not a node; did you mean 'n1'?");
  EXPECT_EQ(session->state().find_job("A"), nullptr);
  const auto asks = ask(*session, "show jobs");
  ASSERT_FALSE(asks.has_value());
  EXPECT_EQ(asks.error().message.find("command 1, 'show jobs': 'show' asks or answers"), 0U)
      << asks.error().message;
}

// What no receipt takes is told, too, with the work that is lost.
TEST(WhatIf, WhoIsStoppedByANodeANoticeOrACardIsTold) {
  const auto session = two_jobs();
  for (const char* command :
       {"fail node n1", "notice node n1 in=2m", "lose J1", "fail card n1:0"}) {
    const auto answer = ask(*session, command, 10 * kMinuteMs);
    ASSERT_TRUE(answer.has_value()) << command;
    ASSERT_FALSE(answer->jobs.empty()) << command;
    const JobFate& fate = answer->jobs.front().after;
    EXPECT_EQ(fate.name, "J1") << command;
    ASSERT_EQ(fate.stops.size(), 1U) << command;
    EXPECT_EQ(fate.stops.front().cards, 8 * kCard) << command;
    // it had saved a minute before
    const DurationMs since = fate.stops.front().at - session->now();
    EXPECT_EQ(fate.stops.front().lost_ms, kMinuteMs + since) << command;
    EXPECT_EQ(answer->after.stopped, 1) << command;
    EXPECT_EQ(answer->before.stopped, 0) << command;
  }
}

// Its tasks are dead from the start; nothing of it ends by itself, in an ETA either.
TEST(WhatIf, AJobOnALostNodeDoesNotEndByItself) {
  const auto session = two_jobs();
  tell(*session, {"finish J2", "cycle", "fail node n1", "cycle"});
  EXPECT_NE(session->state().find_job("J1"), nullptr);
  const auto answer = ask(*session, "advance 10h");
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(answer->jobs.empty());
  EXPECT_EQ(answer->after.cards, 8);
  const auto back = ask(*session, "restore node n1", kMinuteMs);
  ASSERT_TRUE(back.has_value());
  const JobFate& fate = back->jobs.front().after;
  EXPECT_EQ(fate.name, "J1");
  EXPECT_EQ(fate.back_at, session->now());
  EXPECT_EQ(fate.stops.front().lost_ms, kMinuteMs);
}

// However the words stand apart: what runs ends meanwhile.
TEST(WhatIf, TimeThatACommandLetsPassIsPlayed) {
  const auto session = two_jobs();
  for (const char* advance : {"advance 2h", "  advance\t2h"}) {
    const auto answer = ask(*session, advance);
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->played, 2 * kHourMs);
    EXPECT_TRUE(answer->jobs.empty());
    EXPECT_EQ(answer->after.cards, 4);  // J1 has ended in both
  }
}

TEST(WhatIf, EachAcceptedVerbIsOne) {
  const auto session = two_jobs();
  const auto refused = ask(*session, "show jobs");
  const std::string& text = refused.error().message;
  std::size_t from = text.find("accepted: ") + 10;
  const std::vector<Verb> verbs = all_verbs();
  std::size_t count = 0;
  for (; from < text.size(); ++count) {
    const std::size_t end = std::min(text.find(", ", from), text.size());
    const std::string name = text.substr(from, end - from);
    EXPECT_TRUE(std::any_of(verbs.begin(), verbs.end(), [&](const Verb& verb) {
      return verb.name == name;
    })) << name;
    from = end + 2;
  }
  EXPECT_GT(count, 15U);
}

// Jobs of two queues on few nodes; some save, some have run longer than others.
std::unique_ptr<Session> random_cluster(std::uint64_t seed) {
  Rng rng(seed);
  auto session = std::make_unique<Session>(catalog());
  const auto number = [&](std::uint64_t below) { return std::to_string(rng.below(below)); };
  tell(*session,
       {"policy reclaim=[guarantee,rank]" + std::string(rng.below(2) == 0 ? " reluctance=0" : ""),
        "queue a guarantee=" + number(6), "queue b guarantee=" + number(4),
        "node n[1-2] model=H100-80G gpus=4"});
  for (std::uint64_t i = 0; i < 3 + rng.below(6); ++i) {
    const std::string name = "f" + std::to_string(i);
    tell(*session, {"submit " + name + (rng.below(2) == 0 ? " queue=a" : " queue=b") +
                        " gpus=" + std::to_string(1 + rng.below(3)) + " priority=" + number(3) +
                        " run_time=" + std::to_string(30 + rng.below(200)) + "m" +
                        (rng.below(2) == 0
                             ? " checkpoint=signal acknowledges saves_in=20s restart=60s grace=1m"
                             : ""),
                    "cycle", "advance " + std::to_string(1 + rng.below(15)) + "m", "cycle"});
  }
  // nothing is left to decide, so that all that is decided next is about the question
  tell(*session, {"cycle", "cycle", "executor manual"});
  return session;
}

std::string places_of(const engine::ClusterState& state, const std::string& name) {
  std::vector<TaskPlacement> tasks;
  for (const LeaseId id : state.find_job(name)->leases) {
    tasks.push_back(state.find_lease(id)->placement);
  }
  return place_text(state, tasks);
}

// The same command, really given, does at once what the answer said: the job starts there, or just
// these give way for it at that price, or it waits.
RC_GTEST_PROP(WhatIfProperty, ARealSubmissionDoesWhatTheAnswerSaid, (std::uint64_t seed)) {
  const auto session = random_cluster(seed);
  Rng rng(seed + 1);
  const std::string command = "submit asked queue=a gpus=" + std::to_string(1 + rng.below(4)) +
                              " priority=" + std::to_string(rng.below(5));
  const std::uint64_t before = session->state().hash();
  const auto answer = ask(*session, command, DurationMs{0});
  RC_ASSERT(answer.has_value());
  RC_ASSERT(session->state().hash() == before);
  RC_ASSERT(answer->jobs.front().after.name == "asked");
  const JobFate& said = answer->jobs.front().after;
  tell(*session, {command, "cycle", "cycle"});
  const engine::JobRecord& job = *session->state().find_job("asked");
  RC_CLASSIFY(said.started_at != kNever, "starts");
  RC_CLASSIFY(said.promised != nullptr, "takes back");
  RC_ASSERT((job.phase != JobPhase::kPending) == (said.started_at != kNever));
  if (said.started_at != kNever) RC_ASSERT(places_of(session->state(), "asked") == said.place);
  RC_ASSERT(job.receipt.is_none() == (said.promised == nullptr));
  if (said.promised == nullptr) return;
  const Reclaim& real = *session->state().ledger().receipts.at(job.receipt).reclaim;
  RC_ASSERT(real.price == said.promised->price);
  RC_ASSERT(real.placement == said.promised->placement);
  RC_ASSERT(real.victims.size() == said.promised->victims.size());
  for (std::size_t i = 0; i < real.victims.size(); ++i) {
    RC_ASSERT(real.victims[i].name == said.promised->victims[i].name);
  }
}

// Whether room is taken back for it or not; where nothing is ever known of an end, it is a guess in
// both.
RC_GTEST_PROP(WhatIfProperty, AJobStartsInThePlayedTimeWhenItsEtaSays, (std::uint64_t seed)) {
  const auto session = random_cluster(seed);
  Rng rng(seed + 2);
  for (int i = 0; i < 3; ++i) {
    tell(*session, {"submit w" + std::to_string(i) + (rng.below(2) == 0 ? " queue=a" : " queue=b") +
                    " gpus=" + std::to_string(1 + rng.below(4)) +
                    " priority=" + std::to_string(rng.below(4)) +
                    " run_time=" + std::to_string(20 + rng.below(100)) + "m"});
  }
  const std::uint64_t before = session->state().hash();
  bool any_taken = false;
  bool any_never = false;
  for (const JobId id : session->state().pending().sorted_ids()) {
    const engine::Outlook eta = session->eta(id);
    Future future(session->catalog(), session->moment());
    const TimeMs until = eta.at == kNever ? session->now() + 96 * kHourMs : eta.at;
    RC_ASSERT(future.play(until).has_value());
    RC_ASSERT(future.fates().at(id).started_at == eta.at);
    any_taken = any_taken || eta.taken != nullptr;
    any_never = any_never || eta.at == kNever;
  }
  RC_CLASSIFY(any_taken, "one starts in room that is taken back");
  RC_CLASSIFY(any_never, "one never starts");
  RC_ASSERT(session->state().hash() == before);
}

}  // namespace
}  // namespace berth::sim
