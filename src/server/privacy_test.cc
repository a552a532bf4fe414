// What callers that are limited to a subtree learn of others, and may do to them: nothing but that
// they are there. Every name of the other tenant holds "secret" here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/redaction.h"
#include "server/testing.h"

namespace berth::server {
namespace {

using testing::Asked;
using testing::Desk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kTenant = "tenant:team-a";
constexpr const char* kOwner = "tenant:secret-b";

// A queue of others, below that of both.
void add_others(Desk& desk) {
  ASSERT_EQ(desk.ask("PUT", "/v1/queues/secret-b", R"({"name":"secret-b","parent":"org"})").status,
            200);
}

Asked submit(Desk& desk, const std::string& name, const std::string& queue, int cards,
             const std::string& more = "") {
  return desk.ask("POST", "/v1/jobs",
                  R"({"name":")" + name + R"(","queue":")" + queue + "\"" + more +
                      R"(,"roles":[{"containers":[{"cpu":1,"devices":{"count":)" +
                      std::to_string(cards) + "}}]}]}");
}

// Tells the controller something of each lease of the job.
template <typename Report>
void report(Desk& desk, const std::string& job) {
  const Asked view = desk.get("/v1/jobs/" + job);
  for (const codec::Document& lease : view.body.find("leases")->items()) {
    Report told;
    told.lease = LeaseId(static_cast<std::uint64_t>(lease.find("id")->as_integer()));
    const codec::Document* epoch = lease.find("epoch");
    told.epoch = epoch == nullptr ? 1 : static_cast<std::uint64_t>(epoch->as_integer());
    ASSERT_TRUE(desk.loop.execute({told, {}, {}}));
  }
}

void run(Desk& desk, const std::string& job, const std::string& queue, int cards,
         const std::string& more = "") {
  ASSERT_EQ(submit(desk, job, queue, cards, more).status, 201);
  ASSERT_TRUE(desk.comes_to(job, "preparing"));
  report<ReportPrepared>(desk, job);
  ASSERT_TRUE(desk.comes_to(job, "running"));
}

void cancel(Desk& desk, const std::string& job) {
  ASSERT_EQ(desk.ask("DELETE", "/v1/jobs/" + job).status, 200);
  if (desk.get("/v1/jobs/" + job).at({"status"}) == "releasing") {
    report<ReportReleased>(desk, job);
  }
  ASSERT_TRUE(desk.comes_to(job, "cancelled"));
}

std::string why_text(Desk& desk, const std::string& job, const std::string& token) {
  return desk.get("/v1/jobs/" + job + "/why", token).at({"text"});
}

TEST(Privacy, WhoWaitsIsAnsweredForOnesOwn) {
  Desk desk;
  add_others(desk);
  for (const char* job : {"secret-0", "secret-1"}) {
    submit(desk, job, "secret-b", 2);
    ASSERT_TRUE(desk.comes_to(job, "preparing"));
  }
  submit(desk, "secret-2", "secret-b", 2);
  submit(desk, "mine", "team-a", 2);
  const std::string all = desk.get("/v1/waiting").at({"text"});
  EXPECT_THAT(all, HasSubstr("2 jobs wait, 2 start"));
  const Asked own = desk.get("/v1/waiting", kTenant);
  EXPECT_THAT(own.at({"text"}), HasSubstr("1 job waits\n"));
  EXPECT_THAT(own.at({"text"}), HasSubstr("mine"));
  EXPECT_THAT(own.text, Not(HasSubstr("secret")));
}

TEST(Privacy, AForeignJobIsAnsweredAsOneThatIsNotThere) {
  Desk desk;
  add_others(desk);
  submit(desk, "mine", "team-a", 1);
  submit(desk, "secret", "secret-b", 1);
  const auto answer = [&](const std::string& method, const std::string& what,
                          const std::string& name) {
    const std::string body = what == "/resize" ? R"({"count":2})" : "";
    const Asked asked = desk.ask(method, "/v1/jobs/" + name + what, body, kTenant);
    EXPECT_EQ(asked.status, 404) << method << what << " " << name;
    return asked.text;
  };
  const std::pair<const char*, const char*> all[] = {{"GET", ""},          {"GET", "/why"},
                                                     {"DELETE", ""},       {"POST", "/hold"},
                                                     {"POST", "/release"}, {"POST", "/resize"}};
  for (const auto& [method, what] : all) {
    std::string foreign = answer(method, what, "secret");
    const std::string missing = answer(method, what, "secreX");
    foreign.replace(foreign.find("secret"), 6, "secreX");
    EXPECT_EQ(foreign, missing);
    EXPECT_THAT(missing, Not(HasSubstr("secret"))) << "no name near it is suggested";
    EXPECT_THAT(answer(method, what, "mina"), HasSubstr("did you mean 'mine'?"));
  }
  EXPECT_EQ(desk.get("/v1/jobs/secret", kOwner).at({"tasks"}), "1");
  EXPECT_EQ(desk.get("/v1/jobs/secret", kOwner).at({"held"}), "");
}

TEST(Privacy, FiltersByAForeignJobFindNothing) {
  Desk desk;
  add_others(desk);
  submit(desk, "secret", "secret-b", 1);
  ASSERT_TRUE(desk.comes_to("secret", "preparing"));
  for (const char* list : {"/v1/leases?job=", "/v1/events?job="}) {
    EXPECT_THAT(desk.get(std::string(list) + "secret", kTenant).items(), IsEmpty()) << list;
    EXPECT_THAT(desk.get(std::string(list) + "secret", kOwner).items(), Not(IsEmpty())) << list;
  }
}

TEST(Privacy, WhoEndsFirstHasNoNameForOthers) {
  Desk desk;
  add_others(desk);
  run(desk, "secret-1", "secret-b", 2, R"(,"run_time":"1h")");
  run(desk, "secret-2", "secret-b", 2, R"(,"run_time":"2h")");
  submit(desk, "mine", "team-a", 2);
  EXPECT_THAT(why_text(desk, "mine", "admin"), HasSubstr("when secret-1 ends"));
  const Asked why = desk.get("/v1/jobs/mine/why", kTenant);
  EXPECT_THAT(why.text, Not(HasSubstr("secret")));
  EXPECT_THAT(why.at({"text"}), HasSubstr("when a job of another tenant ends (declared)"));
  EXPECT_THAT(why.at({"text"}), HasSubstr("wait for a job of another tenant, in "));
  EXPECT_EQ(why.at({"answer", "eta", "after_job"}), "other");
  EXPECT_THAT(desk.get("/v1/jobs/mine/why", "tenant:org").text, HasSubstr("secret-1"));
}

TEST(Privacy, FixesOfQueuesAboveAndBesideAreToldWithoutTheirSpecs) {
  Desk desk;
  add_others(desk);
  ASSERT_EQ(desk.ask("PUT", "/v1/queues/org",
                     R"({"name":"org","quotas":[{"model":"plain","limit":2}],)"
                     R"("budget":{"per_month":777}})")
                .status,
            200);
  run(desk, "secret", "secret-b", 2);
  submit(desk, "mine", "team-a", 2);
  const Asked whole = desk.get("/v1/jobs/mine/why");
  EXPECT_THAT(whole.text, HasSubstr("give queue org 2 cards more (limit 4 cards)"));
  EXPECT_THAT(whole.text, HasSubstr("declare-queue"));
  const Asked why = desk.get("/v1/jobs/mine/why", kTenant);
  EXPECT_THAT(why.text, HasSubstr("an operator can raise the limits of a queue above yours"));
  EXPECT_THAT(why.text, HasSubstr("(a queue above yours, plain)"));
  for (const char* hidden : {"org", "777", "declare-queue", "secret", "limit_milli"}) {
    EXPECT_THAT(why.text, Not(HasSubstr(hidden)));
  }
}

TEST(Privacy, WhatAnotherTenantCouldLendIsToldWithoutItsName) {
  Desk desk;
  for (
      const char* queue :
      {R"({"name":"org","quotas":[{"model":"plain","guarantee":4}]})",
       R"({"name":"secret-b","parent":"org","quotas":[{"model":"plain","guarantee":4,"lend":0}]})"}) {
    const std::string name =
        std::string(queue).find("secret") == std::string::npos ? "org" : "secret-b";
    const Asked put = desk.ask("PUT", "/v1/queues/" + name, queue);
    ASSERT_EQ(put.status, 200) << put.text;
  }
  submit(desk, "mine", "team-a", 2);
  EXPECT_THAT(why_text(desk, "mine", "admin"), HasSubstr("let queue secret-b lend 2 cards more"));
  const Asked why = desk.get("/v1/jobs/mine/why", kTenant);
  EXPECT_THAT(why.text, HasSubstr("an operator can let a queue of another tenant lend more"));
  EXPECT_THAT(why.text, Not(HasSubstr("secret")));
}

TEST(Privacy, RoomThatIsKeptForOthersHasNoName) {
  Desk desk;
  add_others(desk);
  HttpRequest watch;
  watch.method = "GET";
  watch.path = "/v1/events/stream";
  watch.query = {{"from", "0"}};
  watch.headers = {{"authorization", std::string("Bearer ") + kTenant}};
  const auto stream = desk.send(watch);
  ASSERT_EQ(stream->wait().status, 200);
  ASSERT_EQ(
      desk.ask("PUT", "/v1/policy", R"({"name":"keeps","reservations":1,"reserve_after":"0s"})")
          .status,
      200);
  run(desk, "secret-1", "secret-b", 1, R"(,"run_time":"1h")");
  ASSERT_EQ(desk.ask("POST", "/v1/nodes/n2/condition", R"({"condition":"removed"})").status, 200);
  submit(desk, "secret-big", "secret-b", 2);
  for (int i = 0; i < 2000 && desk.get("/v1/nodes/n1").at({"kept_for"}).empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(desk.get("/v1/nodes/n1").at({"kept_for"}), "secret-big");
  EXPECT_EQ(desk.get("/v1/nodes/n1", kTenant).at({"kept_for"}), "other");
  submit(desk, "mine", "team-a", 1);
  ASSERT_TRUE(stream->stream->waits_for("waits: room is kept for"));
  EXPECT_THAT(desk.get("/v1/jobs/mine").at({"reason"}), HasSubstr("kept for secret-big"));
  const std::string masked = "room is kept for a job of another tenant";
  EXPECT_THAT(desk.get("/v1/jobs/mine", kTenant).at({"reason"}), HasSubstr(masked));
  const std::string body =
      R"({"name":"x","queue":"team-a","roles":[{"containers":[{"devices":{"count":1}}]}]})";
  for (const std::string& text :
       {desk.get("/v1/jobs", kTenant).text, desk.get("/v1/jobs/mine/why", kTenant).text,
        desk.get("/v1/events", kTenant).text, stream->stream->text(),
        desk.ask("POST", "/v1/jobs?dry_run=true", body, kTenant).text}) {
    EXPECT_THAT(text, HasSubstr(masked));
    EXPECT_THAT(text, Not(HasSubstr("secret")));
  }
}

// A job of team-a has taken back cards of secret-b by guarantee.
class Taken : public ::testing::Test {
 protected:
  void SetUp() override {
    add_others(desk);
    const std::string quotas = R"("quotas":[{"model":"plain","guarantee":4}]})";
    ASSERT_EQ(desk.ask("PUT", "/v1/queues/org", R"({"name":"org",)" + quotas).status, 200);
    ASSERT_EQ(
        desk.ask("PUT", "/v1/queues/team-a", R"({"name":"team-a","parent":"org",)" + quotas).status,
        200);
    ASSERT_EQ(desk.ask("PUT", "/v1/policy", R"({"name":"takes","reclaim":["guarantee"]})").status,
              200);
    run(desk, "secret-1", "secret-b", 2);
    run(desk, "secret-2", "secret-b", 2);
    ASSERT_EQ(submit(desk, "mine", "team-a", 2).status, 201);
    for (int i = 0; i < 2000 && desk.get("/v1/plans").items().empty(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    const Asked plans = desk.get("/v1/plans");
    ASSERT_EQ(plans.items().size(), 1U);
    victim = plans.items()[0].find("victims")->items()[0].find("job")->as_string();
  }
  // The victim goes, and the taker has the room.
  void settle() {
    report<ReportReleased>(desk, victim);
    ASSERT_TRUE(desk.comes_to("mine", "preparing"));
  }

  Desk desk;
  std::string victim;
};

TEST_F(Taken, EachSideReadsTheReceiptWithoutTheNameOfTheOther) {
  const Asked taker = desk.get("/v1/plans", kTenant);
  ASSERT_EQ(taker.items().size(), 1U);
  EXPECT_EQ(taker.items()[0].find("job")->as_string(), "mine");
  EXPECT_EQ(taker.items()[0].find("victims")->items()[0].find("job")->as_string(), "other");
  const Asked giver = desk.get("/v1/plans", kOwner);
  ASSERT_EQ(giver.items().size(), 1U);
  EXPECT_EQ(giver.items()[0].find("job")->as_string(), "other");
  EXPECT_EQ(giver.items()[0].find("victims")->items()[0].find("job")->as_string(), victim);
  EXPECT_THAT(taker.text, Not(HasSubstr("secret")));
  EXPECT_THAT(giver.text, Not(HasSubstr("mine")));
  const Asked text = desk.get("/v1/plans/text", kTenant);
  EXPECT_EQ(text.status, 200);
  EXPECT_THAT(text.at({"text"}), HasSubstr("mine takes back 2 cards by guarantee"));
  EXPECT_THAT(text.at({"text"}), HasSubstr("from   a job of another tenant on n"));
  EXPECT_THAT(text.text, Not(HasSubstr("secret")));
  EXPECT_THAT(desk.get("/v1/plans/text", kOwner).at({"text"}),
              HasSubstr("a job of another tenant takes back 2 cards"));
}

TEST_F(Taken, WhyNamesNeitherSideToTheOther) {
  const Asked taker = desk.get("/v1/jobs/mine/why", kTenant);
  EXPECT_THAT(taker.at({"text"}), HasSubstr("when a job of another tenant gives way"));
  EXPECT_THAT(taker.text, Not(HasSubstr("secret")));
  EXPECT_THAT(desk.get("/v1/jobs/" + victim + "/why", kOwner).at({"text"}),
              HasSubstr("being taken back for a job of another tenant by guarantee"));
  settle();
  const Asked giver = desk.get("/v1/jobs/" + victim + "/why", kOwner);
  EXPECT_THAT(giver.at({"text"}),
              HasSubstr("taken back for a job of another tenant by guarantee (receipt 1)"));
  EXPECT_EQ(giver.at({"answer", "stopped", "for"}), "other");
  EXPECT_THAT(giver.text, Not(HasSubstr("mine")));
  EXPECT_THAT(desk.get("/v1/jobs/" + victim + "/why").text, HasSubstr("mine"));
}

TEST_F(Taken, ReceiptsOfStrangersAndFiltersByForeignJobsFindNothing) {
  EXPECT_THAT(desk.get("/v1/plans", "tenant:team-b").items(), IsEmpty());
  EXPECT_EQ(desk.get("/v1/plans/text", "tenant:team-b").at({"text"}),
            "nothing has been taken back\n");
  EXPECT_THAT(desk.get("/v1/plans?job=" + victim, kTenant).items(), IsEmpty());
  EXPECT_EQ(desk.get("/v1/plans?job=mine", kTenant).items().size(), 1U);
  Asked foreign = desk.get("/v1/plans/text?job=" + victim, kTenant);
  Asked missing = desk.get("/v1/plans/text?job=secret-X", kTenant);
  EXPECT_EQ(foreign.status, 404);
  foreign.text.replace(foreign.text.find(victim), victim.size(), "secret-X");
  EXPECT_EQ(foreign.text, missing.text);
}

TEST_F(Taken, AReceiptStaysWhenItsJobsHaveEnded) {
  settle();
  cancel(desk, "mine");
  cancel(desk, "secret-1");
  cancel(desk, "secret-2");
  const Asked taker = desk.get("/v1/plans", kTenant);
  ASSERT_EQ(taker.items().size(), 1U);
  EXPECT_EQ(taker.items()[0].find("job")->as_string(), "mine");
  EXPECT_THAT(taker.text, Not(HasSubstr("secret")));
  EXPECT_EQ(desk.get("/v1/plans?job=" + victim, kOwner).items().size(), 1U);
  EXPECT_THAT(desk.get("/v1/plans/text?job=mine", kTenant).at({"text"}), HasSubstr("receipt 1"));
  EXPECT_THAT(desk.get("/v1/plans", "tenant:team-b").items(), IsEmpty());
}

TEST(Visibility, ReasonsAreToldWithoutTheNamesOfOthers) {
  Desk desk;
  add_others(desk);
  submit(desk, "mine", "team-a", 1);
  submit(desk, "secret", "secret-b", 1);
  desk.replica.read([](const Reading& reading) {
    const Visibility sight({"ann", Role::kTenant, "team-a"}, reading);
    const auto text = [&](Rule rule, const std::string& place, std::vector<Number> numbers) {
      return sight.shown(Rejection{rule, place, std::move(numbers)}).to_text();
    };
    EXPECT_EQ(text(Rule::kReserved, "mine", {}), "room is kept for mine");
    EXPECT_EQ(text(Rule::kReserved, "secret", {}), "room is kept for a job of another tenant");
    EXPECT_EQ(text(Rule::kReserved, "mine, secret", {}), "room is kept for other jobs");
    EXPECT_THAT(text(Rule::kStuck, "job secret on n1", {{"cards_milli", 1000}}),
                HasSubstr("(a job of another tenant on n1)"));
    EXPECT_THAT(text(Rule::kStuck, "job mine on n1", {{"cards_milli", 1000}}),
                HasSubstr("(job mine on n1)"));
    EXPECT_THAT(text(Rule::kStuck, "n1", {{"cards_milli", 1000}}), HasSubstr("(n1)"));
    EXPECT_THAT(text(Rule::kReclaimLimit, "job secret", {{"budget", 1}, {"needed", 2}}),
                HasSubstr("(a job of another tenant)"));
    EXPECT_EQ(text(Rule::kQuota, "queue secret-b, plain", {{"borrowed_milli", 2000}}),
              "2 cards are borrowed by a queue of another tenant, plain, while the guarantee of "
              "the job's own queue has room");
    EXPECT_EQ(text(Rule::kNoVictim, "secret-b", {{"guarantee_milli", 2000}}),
              "evicting all that may be evicted does not help");
    EXPECT_THAT(text(Rule::kQuota, "queue team-a, plain", {{"limit_milli", 2000}}),
                HasSubstr("(queue team-a, plain)"));
    EXPECT_EQ(Visibility().shown(Rejection{Rule::kReserved, "secret", {}}).to_text(),
              "room is kept for secret");
  });
}

}  // namespace
}  // namespace berth::server
