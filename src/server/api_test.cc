#include "server/api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "server/operations.h"
#include "server/testing.h"

namespace berth::server {
namespace {

using testing::Asked;
using testing::Desk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Api, AJobIsSubmittedPlacedSeenAndCancelled) {
  Desk desk;
  const Asked submitted = desk.submit("a", "team-a", 2);
  EXPECT_EQ(submitted.status, 201);
  EXPECT_EQ(submitted.at({"name"}), "a");
  EXPECT_EQ(submitted.at({"id"}), "1");
  ASSERT_TRUE(desk.comes_to("a", "preparing"));
  const Asked job = desk.get("/v1/jobs/a");
  EXPECT_EQ(job.at({"place"}), "n1:[0-1]");
  EXPECT_EQ(job.at({"spec", "queue"}), "team-a");
  EXPECT_EQ(job.body.find("leases")->items().size(), 1U);
  EXPECT_EQ(desk.ask("DELETE", "/v1/jobs/a").status, 200);
  EXPECT_TRUE(desk.comes_to("a", "releasing"));
}

TEST(Api, AnEndedJobIsStillKnownAndListedWhenAsked) {
  Desk desk;
  desk.submit("big", "team-a", 2);
  desk.submit("w", "team-a", 2);
  desk.submit("x", "team-a", 2);
  desk.ask("DELETE", "/v1/jobs/x");
  ASSERT_TRUE(desk.comes_to("x", "cancelled"));
  EXPECT_EQ(desk.get("/v1/jobs/x").at({"spec", "queue"}), "team-a");
  EXPECT_THAT(desk.get("/v1/jobs?ended=false").names(), ElementsAre("big", "w"));
  EXPECT_THAT(desk.get("/v1/jobs").names(), ElementsAre("big", "w", "x"));
  EXPECT_THAT(desk.get("/v1/jobs?status=cancelled").names(), ElementsAre("x"));
}

TEST(Api, TheSameKeyTwiceIsOneJob) {
  Desk desk;
  const std::string body =
      R"({"name":"once","queue":"team-a","roles":[{"containers":[{"devices":{"count":1}}]}]})";
  for (int i = 0; i < 3; ++i) {
    const Asked asked = desk.ask("POST", "/v1/jobs", body, "admin", {{"idempotency-key", "k1"}});
    EXPECT_EQ(asked.status, 201);
    EXPECT_EQ(asked.at({"id"}), "1");
  }
  EXPECT_THAT(desk.get("/v1/jobs").names(), ElementsAre("once"));
  const Asked too_long =
      desk.ask("POST", "/v1/jobs", body, "admin", {{"idempotency-key", std::string(200, 'k')}});
  EXPECT_EQ(too_long.status, 413);
}

TEST(Api, MistakesNameTheFieldAndWhatIsAccepted) {
  Desk desk;
  const Asked typo = desk.ask(
      "POST", "/v1/jobs", R"({"name":"a","quue":"team-a","roles":[{"containers":[{"cpu":-3}]}]})");
  EXPECT_EQ(typo.status, 400);
  EXPECT_THAT(typo.text, HasSubstr("quue"));
  EXPECT_THAT(typo.text, HasSubstr("did you mean 'queue'?"));
  EXPECT_THAT(typo.text, HasSubstr(R"("field":"roles[0].containers[0].cpu")"));
  const Asked unknown = desk.submit("a", "team-x", 1);
  EXPECT_EQ(unknown.status, 404);
  EXPECT_THAT(unknown.at({"error", "message"}), HasSubstr("team-x"));
  EXPECT_THAT(desk.ask("POST", "/v1/jobs", "{").text, HasSubstr("invalid"));
  EXPECT_EQ(desk.ask("POST", "/v1/jobs", "").status, 400);
  EXPECT_THAT(desk.get("/v1/jobs").names(), IsEmpty());
}

TEST(Api, YamlIsAcceptedToo) {
  Desk desk;
  const Asked asked =
      desk.ask("POST", "/v1/jobs", "name: y\nqueue: team-a\nroles: [{containers: [{cpu: 1}]}]\n",
               "admin", {{"content-type", "application/yaml"}});
  EXPECT_EQ(asked.status, 201) << asked.text;
}

TEST(Api, PathsMethodsAndParametersThatAreNotThereAreRefused) {
  Desk desk;
  EXPECT_EQ(desk.get("/v1/jbs").status, 404);
  const Asked method = desk.ask("PATCH", "/v1/jobs");
  EXPECT_EQ(method.status, 405);
  EXPECT_THAT(method.text, HasSubstr("accepted: GET, POST"));
  const Asked parameter = desk.get("/v1/jobs?queu=a");
  EXPECT_EQ(parameter.status, 400);
  EXPECT_THAT(parameter.text, HasSubstr("did you mean 'queue'?"));
  EXPECT_EQ(desk.get("/v1/jobs?limit=many").status, 400);
  EXPECT_EQ(desk.get("/v1/jobs?limit=0").status, 400);
  EXPECT_EQ(desk.get("/v1/jobs?status=sleeping").status, 400);
  EXPECT_EQ(desk.get("/v1/jobs/none").status, 404);
  EXPECT_EQ(desk.get("/v1/nodes/n3").status, 404);
  EXPECT_EQ(desk.get("/v1/queues/team-c").status, 404);
}

TEST(Api, PagesOfAListHoldEachItemOnce) {
  Desk desk;
  std::set<std::string> expected;
  for (int i = 0; i < 7; ++i) {
    const std::string name = "j" + std::to_string(i);
    desk.submit(name, "team-a", 2);
    expected.insert(name);
  }
  desk.ask("DELETE", "/v1/jobs/j5");
  ASSERT_TRUE(desk.comes_to("j5", "cancelled"));
  std::multiset<std::string> seen;
  std::string after;
  int pages = 0;
  do {
    const Asked page = desk.get("/v1/jobs?limit=3" + (after.empty() ? "" : "&after=" + after));
    for (const std::string& name : page.names()) seen.insert(name);
    after = page.at({"next"});
    ++pages;
  } while (!after.empty() && pages < 10);
  EXPECT_EQ(pages, 3);
  EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()), expected);
  EXPECT_EQ(seen.size(), expected.size());
}

TEST(Api, WhyNamesTheReasonAndWhatIfChangesNothing) {
  Desk desk;
  desk.submit("big", "team-a", 2);
  desk.submit("big2", "team-a", 2);
  desk.submit("waits", "team-a", 2);
  ASSERT_TRUE(desk.comes_to("big2", "preparing"));
  const Asked why = desk.get("/v1/jobs/waits/why");
  EXPECT_EQ(why.status, 200);
  EXPECT_THAT(why.at({"text"}), HasSubstr("waits is pending"));
  EXPECT_THAT(why.at({"answer", "primary_reason", "text"}), HasSubstr("2 free cards"));
  const Asked what_if = desk.ask("POST", "/v1/what-if", R"({"commands":["cancel big"]})");
  EXPECT_EQ(what_if.status, 200) << what_if.text;
  EXPECT_THAT(what_if.at({"text"}), HasSubstr("waits"));
  desk.submit("later", "team-a", 2);  // a command of the question would have been before this one
  EXPECT_EQ(desk.get("/v1/jobs/big").at({"status"}), "preparing");
  EXPECT_EQ(desk.get("/v1/jobs/waits").at({"status"}), "pending");
  EXPECT_EQ(desk.ask("POST", "/v1/what-if", R"({"commands":["dance"]})").status, 400);
}

TEST(Api, ADryRunSaysWhereItWouldLandAndSubmitsNothing) {
  Desk desk;
  const std::string body =
      R"({"name":"t","queue":"team-a","roles":[{"containers":[{"devices":{"count":2}}]}]})";
  const Asked tried = desk.ask("POST", "/v1/jobs?dry_run=true", body);
  EXPECT_EQ(tried.status, 200) << tried.text;
  EXPECT_EQ(tried.at({"place"}), "n1:[0-1]");
  EXPECT_EQ(tried.at({"job", "class"}), "training") << "defaults are shown";
  EXPECT_THAT(desk.get("/v1/jobs").names(), IsEmpty());
}

TEST(Api, HoldReleaseResizeAndNodesCanBeChanged) {
  Desk desk;
  desk.submit("big", "team-a", 2);
  desk.submit("big2", "team-a", 2);
  ASSERT_TRUE(desk.comes_to("big2", "preparing"));
  desk.submit("w", "team-a", 2);
  EXPECT_EQ(desk.ask("POST", "/v1/jobs/w/hold").status, 200);
  EXPECT_EQ(desk.get("/v1/jobs/w").at({"held"}), "true");
  EXPECT_EQ(desk.ask("POST", "/v1/jobs/w/release").status, 200);
  EXPECT_EQ(desk.get("/v1/jobs/w").at({"held"}), "");
  EXPECT_EQ(desk.ask("POST", "/v1/jobs/w/resize", R"({"count":2})").status, 200);
  EXPECT_EQ(desk.get("/v1/jobs/w").at({"tasks"}), "2");
  EXPECT_EQ(desk.ask("POST", "/v1/nodes/n1/condition", R"({"condition":"cordoned"})").status, 200);
  EXPECT_EQ(desk.get("/v1/nodes/n1").at({"condition"}), "cordoned");
  EXPECT_EQ(desk.ask("POST", "/v1/nodes/n1/condition", R"({"condition":"asleep"})").status, 400);
}

TEST(Api, APolicyIsTriedInOnePoolAndTakenBack) {
  Desk desk;
  ASSERT_EQ(desk.ask("PUT", "/v1/partitions", R"({"name":"lab","kind":"shared"})").status, 200);
  ASSERT_EQ(desk.ask("PUT", "/v1/policy", R"({"name":"first"})").status, 200);
  ASSERT_EQ(desk.ask("PUT", "/v1/policy?pool=lab", R"({"name":"second"})").status, 200);
  EXPECT_EQ(desk.ask("GET", "/v1/policy").at({"name"}), "first");
  EXPECT_EQ(desk.ask("GET", "/v1/policy?pool=lab").at({"name"}), "second");
  EXPECT_EQ(desk.ask("GET", "/v1/policy?pool=default").at({"name"}), "first");
  const Asked unknown = desk.ask("PUT", "/v1/policy?pool=lap", R"({"name":"second"})");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_THAT(unknown.at({"error", "message"}), HasSubstr("did you mean 'lab'"));
  ASSERT_EQ(desk.ask("POST", "/v1/policy/restore?pool=lab").status, 200);
  EXPECT_EQ(desk.ask("GET", "/v1/policy?pool=lab").at({"name"}), "first");
  EXPECT_EQ(desk.ask("POST", "/v1/policy/restore?pool=lab").status, 409) << "none is on trial";
}

TEST(Api, TheDocumentDescribesEveryOperationAndResolvesItsReferences) {
  Desk desk;
  const Asked document = desk.get("/v1/openapi.json", "");
  ASSERT_EQ(document.status, 200);
  const codec::Document& paths = *document.body.find("paths");
  std::set<std::string> ids;
  for (const Operation& operation : operations()) {
    const codec::Document* path = paths.find(operation.path);
    ASSERT_NE(path, nullptr) << operation.path;
    EXPECT_TRUE(ids.insert(operation.id).second) << operation.id << " is there twice";
  }
  const codec::Document& schemas = *document.body.find("components")->find("schemas");
  std::size_t at = 0;
  int references = 0;
  const std::string mark = R"("$ref":"#/components/schemas/)";
  while ((at = document.text.find(mark, at)) != std::string::npos) {
    at += mark.size();
    const std::string name = document.text.substr(at, document.text.find('"', at) - at);
    EXPECT_NE(schemas.find(name), nullptr) << name;
    ++references;
  }
  EXPECT_GT(references, 30);
  EXPECT_EQ(document.text.find("$defs"), std::string::npos);
}

TEST(Api, HealthIsOpenAndReadinessSaysWhatIsWrong) {
  Desk desk;
  EXPECT_EQ(desk.get("/healthz", "").status, 200);
  EXPECT_EQ(desk.get("/readyz", "").status, 200);
  desk.trouble = "the disk is full";
  const Asked ready = desk.get("/readyz", "");
  EXPECT_EQ(ready.status, 503);
  EXPECT_EQ(ready.text, "the disk is full\n");
  EXPECT_EQ(desk.get("/metrics", "").text, "m 1\n");
}

TEST(Api, OneCallerCannotTakeAllTheTime) {
  RateLimit rates(0.001, 3);
  Desk desk(&rates);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(desk.get("/v1/cluster", "viewer").status, 200);
  EXPECT_EQ(desk.get("/v1/cluster", "viewer").status, 429);
  EXPECT_EQ(desk.get("/v1/cluster", "operator").status, 200) << "another one is not held up";
}

// Every role with every kind of request, in its own subtree and in another one.
TEST(Access, EachCellOfTheMatrix) {
  Desk desk;
  desk.submit("a", "team-a", 1);
  desk.submit("b", "team-b", 1);
  const std::string job = R"({"name":"x","queue":"team-b","roles":[{"containers":[{"cpu":1}]}]})";
  struct Row {
    std::string method, target, body;
    int admin, oper, tenant_a, viewer_a;
  };
  const std::string queue = R"({"name":"team-c","parent":"org"})";
  const std::vector<Row> rows = {
      {"GET", "/v1/cluster", "", 200, 200, 200, 200},
      {"GET", "/v1/nodes", "", 200, 200, 200, 200},
      {"GET", "/v1/jobs/a", "", 200, 200, 200, 200},
      {"GET", "/v1/jobs/b", "", 200, 200, 404, 404},
      {"GET", "/v1/jobs/b/why", "", 200, 200, 404, 404},
      {"GET", "/v1/queues/team-b", "", 200, 200, 404, 404},
      {"GET", "/v1/waiting", "", 200, 200, 200, 200},
      {"GET", "/v1/jobs?queue=team-b", "", 200, 200, 404, 404},
      {"GET", "/v1/usage?queue=team-b", "", 200, 200, 404, 404},
      {"GET", "/v1/topology", "", 200, 200, 200, 200},
      {"PUT", "/v1/topology", R"({"levels":["node","rack"]})", 200, 403, 403, 403},
      {"POST", "/v1/what-if", R"({"commands":["dance"]})", 400, 400, 403, 403},
      {"POST", "/v1/jobs?dry_run=true", job, 200, 200, 404, 403},
      {"POST", "/v1/jobs/b/hold", "", 200, 200, 404, 403},
      {"POST", "/v1/jobs/a/hold", "", 200, 200, 200, 403},
      {"POST", "/v1/nodes/n1/condition", R"({"condition":"ready"})", 200, 200, 403, 403},
      {"PUT", "/v1/queues/team-c", queue, 200, 403, 403, 403},
      {"PUT", "/v1/policy", R"({"name":"berth"})", 200, 403, 403, 403},
      {"POST", "/v1/policy/restore", "", 409, 403, 403, 403},  // there is none before
      {"GET", "/v1/tokens", "", 200, 403, 403, 403},
      {"POST", "/v1/tokens", R"({"name":"x","role":"admin"})", 201, 403, 403, 403},
      {"DELETE", "/v1/tokens/none", "", 404, 403, 403, 403},
      {"DELETE", "/v1/jobs/b", "", 200, 404, 404, 403}};
  for (const Row& row : rows) {
    const auto status = [&](const std::string& token) {
      return desk.ask(row.method, row.target, row.body, token).status;
    };
    const std::string what = row.method + " " + row.target;
    EXPECT_EQ(status("viewer:team-a"), row.viewer_a) << what;
    EXPECT_EQ(status("tenant:team-a"), row.tenant_a) << what;
    EXPECT_EQ(status("admin"), row.admin) << what;
    if (row.method != "DELETE") {
      EXPECT_EQ(status("operator"), row.oper) << what;
    }
    EXPECT_EQ(status(""), 401) << what;
    EXPECT_EQ(status("stranger"), 401) << what;
  }
}

TEST(Access, ATenantSeesNothingOfOthers) {
  Desk desk;
  desk.submit("mine", "team-a", 1);
  desk.submit("secret-name", "team-b", 1);
  ASSERT_TRUE(desk.comes_to("secret-name", "preparing"));
  for (const char* target :
       {"/v1/jobs", "/v1/nodes", "/v1/nodes/n1", "/v1/leases", "/v1/queues", "/v1/usage",
        "/v1/budgets", "/v1/events", "/v1/plans", "/v1/jobs/mine/why"}) {
    const Asked asked = desk.get(target, "tenant:team-a");
    EXPECT_EQ(asked.status, 200) << target;
    EXPECT_EQ(asked.text.find("secret-name"), std::string::npos) << target << ": " << asked.text;
    EXPECT_EQ(asked.text.find("team-b"), std::string::npos) << target << ": " << asked.text;
  }
}

TEST(Events, AStreamHasEachEventOnceAndResumesWhereItBroke) {
  Desk desk;
  desk.submit("a", "team-a", 1);
  ASSERT_TRUE(desk.comes_to("a", "preparing"));
  HttpRequest request;
  request.method = "GET";
  request.path = "/v1/events/stream";
  request.query = {{"from", "0"}, {"queue", "team-a"}};
  request.headers = {{"authorization", "Bearer admin"}};
  const auto first = desk.send(request);
  ASSERT_EQ(first->wait().status, 200);
  desk.submit("b", "team-a", 1);
  desk.submit("c", "team-b", 1);
  ASSERT_TRUE(first->stream->waits_for("\"job\":\"b\""));
  ASSERT_TRUE(desk.comes_to("c", "preparing"));
  EXPECT_EQ(first->stream->text().find("\"job\":\"c\""), std::string::npos);
  // Resumed from each id, the rest follows exactly.
  const std::string whole = first->stream->text();
  const std::string begin = whole.substr(whole.find("id: "));
  for (std::size_t at = begin.find("id: "); at != std::string::npos;
       at = begin.find("id: ", at + 1)) {
    HttpRequest again = request;
    again.query = {{"queue", "team-a"}};
    const std::string id = begin.substr(at + 4, begin.find('\n', at) - at - 4);
    again.headers.emplace_back("last-event-id", id);
    const auto resumed = desk.send(again);
    ASSERT_EQ(resumed->wait().status, 200);
    const std::string rest = begin.substr(begin.find("\n\n", at) + 2);
    const std::string text = resumed->stream->text();
    const std::size_t from = text.find("id: ");
    EXPECT_EQ(from == std::string::npos ? "" : text.substr(from, rest.size()), rest);
  }
}

HttpRequest watch(const std::string& token = "admin") {
  HttpRequest request;
  request.method = "GET";
  request.path = "/v1/events/stream";
  request.headers = {{"authorization", "Bearer " + token}};
  return request;
}

TEST(Events, WhatNoServerCanHaveToldIsRefusedByTheOneThatLeads) {
  Desk desk;
  const Asked ahead = desk.get("/v1/events/stream?from=1000000");
  EXPECT_EQ(ahead.status, 404);
  EXPECT_THAT(ahead.at({"error", "message"}), HasSubstr("1000000 was asked for"));
  EXPECT_THAT(ahead.at({"error", "message"}), HasSubstr("of another journal"));
  desk.service.staleness_ms = [] { return 5; };
  EXPECT_EQ(desk.get("/v1/events/stream?from=1000000").status, 200) << "it may be behind";
}

TEST(Events, WhatIsNoRevisionIsRefused) {
  Desk desk;
  const Asked negative = desk.get("/v1/events/stream?from=-1");
  EXPECT_EQ(negative.status, 400);
  EXPECT_THAT(negative.at({"error", "message"}), HasSubstr("is '-1'; the revision of an event"));
  HttpRequest request = watch();
  request.headers.emplace_back("last-event-id", "seven");
  const HttpResponse word = desk.send(request)->wait();
  EXPECT_EQ(word.status, 400);
  EXPECT_THAT(word.body, HasSubstr(R"("field":"Last-Event-ID")"));
}

TEST(Events, OneCallerCannotHaveAllStreams) {
  Desk desk;
  for (std::size_t i = 0; i < EventHub::kMostOfOne; ++i) {
    ASSERT_EQ(desk.send(watch("viewer:team-a"))->wait().status, 200);
  }
  const HttpResponse refused = desk.send(watch("viewer:team-a"))->wait();
  EXPECT_EQ(refused.status, 429);
  EXPECT_THAT(refused.body, HasSubstr("a caller may have 2000"));
  EXPECT_EQ(desk.send(watch("viewer:team-b"))->wait().status, 200);
  EXPECT_EQ(desk.get("/healthz", "").status, 200);
  EXPECT_EQ(desk.get("/readyz", "").status, 200);
}

TEST(Events, AListenerThatHasGoneIsDropped) {
  Desk desk;
  const auto gone = desk.send(watch());
  ASSERT_EQ(gone->wait().status, 200);
  EXPECT_EQ(desk.events.open(), 1U);
  gone->stream->is_deaf = true;
  for (int i = 0; i < 500 && desk.events.open() > 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(desk.events.open(), 0U);
  EXPECT_TRUE(gone->stream->is_closed());
}

}  // namespace
}  // namespace berth::server
