// Tokens from their issue to their end, over the API and after a restart; and that a secret is in
// the answer to its issue and nowhere else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "server/operations.h"
#include "server/testing.h"
#include "server/token_secret.h"

namespace berth::server {
namespace {

using testing::Asked;
using testing::Desk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Asked issue(Desk& desk, const std::string& name, const std::string& role,
            const std::string& queue = "", const std::string& expires_in = "1h") {
  return desk.ask("POST", "/v1/tokens",
                  R"({"name":")" + name + R"(","role":")" + role + R"(","expires_in":")" +
                      expires_in + "\"" + (queue.empty() ? "" : R"(,"queue":")" + queue + "\"") +
                      "}");
}

TEST(TokenSecret, NamesItsTokenAndIsNeverTheSame) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const auto made = make_secret();
    ASSERT_TRUE(made);
    EXPECT_EQ(made->secret.size(), std::string("berth_").size() + 9 + 1 + 43);
    EXPECT_EQ(id_of_secret(made->secret), made->id);
    EXPECT_EQ(hash_of(made->secret), made->hash);
    EXPECT_TRUE(seen.insert(made->secret).second);
  }
}

TEST(TokenSecret, HashesAreThoseOfSha256AndForeignTextsNameNoToken) {
  EXPECT_EQ(hash_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  for (const char* text : {"", "berth", "berth_", "berth__x", "berth_abc", "Bearer berth_a_b"}) {
    EXPECT_EQ(id_of_secret(text), std::nullopt) << text;
  }
  EXPECT_TRUE(equal_secrets("ab", "ab"));
  EXPECT_FALSE(equal_secrets("ab", "ac"));
  EXPECT_FALSE(equal_secrets("ab", "abc"));
}

TEST(Tokens, OpenWhatTheirRoleMayUntilTheyAreRevoked) {
  Desk desk;
  const Asked issued = issue(desk, "ci", "tenant", "team-a");
  ASSERT_EQ(issued.status, 201) << issued.text;
  const std::string secret = issued.at({"secret"});
  EXPECT_EQ(desk.submit("a", "team-a", 1, secret).status, 201);
  EXPECT_EQ(desk.submit("b", "team-b", 1, secret).status, 404);
  EXPECT_EQ(desk.get("/v1/version", secret).at({"you"}), "ci");
  EXPECT_EQ(desk.get("/v1/tokens", secret).status, 403);
  EXPECT_EQ(desk.ask("DELETE", "/v1/tokens/" + issued.at({"id"})).status, 200);
  const Asked refused = desk.get("/v1/version", secret);
  EXPECT_EQ(refused.status, 401) << "at once";
  EXPECT_THAT(refused.text, Not(HasSubstr(secret)));
  EXPECT_THAT(desk.get("/v1/tokens").items(), IsEmpty());
  EXPECT_EQ(desk.ask("DELETE", "/v1/tokens/" + issued.at({"id"})).status, 404);
}

TEST(Tokens, AStreamOfEventsEndsWithThem) {
  Desk desk;
  const Asked issued = issue(desk, "ci", "viewer", "team-a");
  HttpRequest request;
  request.method = "GET";
  request.path = "/v1/events/stream";
  request.headers = {{"authorization", "Bearer " + issued.at({"secret"})}};
  const auto stream = desk.send(request);
  ASSERT_EQ(stream->wait().status, 200);
  ASSERT_EQ(desk.ask("DELETE", "/v1/tokens/" + issued.at({"id"})).status, 200);
  desk.submit("a", "team-a", 1);
  ASSERT_TRUE(desk.comes_to("a", "preparing"));  // read, so that its events have been told
  EXPECT_TRUE(stream->stream->is_closed());
  EXPECT_THAT(stream->stream->text(), Not(HasSubstr("id: ")));
  EXPECT_EQ(desk.events.open(), 0U);
  EXPECT_EQ(desk.send(request)->wait().status, 401);
}

TEST(Tokens, EndByTheServersClock) {
  Desk desk;
  const Asked issued = issue(desk, "ci", "admin", "", "1m");
  const std::string secret = issued.at({"secret"});
  desk.clock.set(1'000'000 + 59'999);
  EXPECT_EQ(desk.get("/v1/version", secret).status, 200);
  desk.clock.set(1'000'000 + 60'000);
  const Asked over = desk.get("/v1/version", secret);
  EXPECT_EQ(over.status, 401);
  EXPECT_THAT(over.text, HasSubstr("'ci' expired at"));
  EXPECT_EQ(desk.get("/v1/tokens").items().at(0).find("expired")->as_bool(), true);
}

TEST(Tokens, AForeignSecretOfAKnownTokenOpensNothing) {
  Desk desk;
  const std::string secret = issue(desk, "ci", "admin").at({"secret"});
  std::string forged = secret;
  forged.back() = forged.back() == 'x' ? 'y' : 'x';
  for (const std::string& wrong :
       {forged, secret + "x", secret.substr(0, secret.size() - 1), std::string("berth_")}) {
    const Asked refused = desk.get("/v1/version", wrong);
    EXPECT_EQ(refused.status, 401);
    EXPECT_THAT(refused.text, HasSubstr("not known here"));
  }
}

TEST(Tokens, ARequestThatCannotBeIsExplained) {
  Desk desk;
  EXPECT_THAT(issue(desk, "a", "tenant").text, HasSubstr("role tenant is of one queue"));
  EXPECT_THAT(issue(desk, "a", "viewer").text, HasSubstr("role viewer is of one queue"));
  EXPECT_THAT(issue(desk, "a", "admin", "team-a").text, HasSubstr("of the whole tree"));
  const Asked unknown = issue(desk, "a", "viewer", "team-x");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_THAT(unknown.text, HasSubstr("team-x"));
  EXPECT_EQ(issue(desk, "a", "root").status, 400);
  EXPECT_EQ(issue(desk, "a b", "admin").status, 400);
  EXPECT_EQ(issue(desk, "a", "admin", "", "0s").status, 400);
  ASSERT_EQ(issue(desk, "a", "admin").status, 201);
  EXPECT_EQ(issue(desk, "a", "admin").status, 409) << "one token a name";
}

// The journal may hold one all the same: of a file of first tokens that an older version took.
TEST(Tokens, ATenantOfNoQueueOpensNothing) {
  Desk desk;
  for (const char* role : {"tenant", "viewer"}) {
    const auto made = make_secret();
    ASSERT_TRUE(made);
    const Token token{made->id, std::string(role) + "-of-none", made->hash, role, {}, kNever};
    ASSERT_TRUE(desk.loop.execute({IssueToken{token}, {}, {}}));
    const Asked refused = desk.get("/v1/jobs", made->secret);
    EXPECT_EQ(refused.status, 401) << role;
    EXPECT_THAT(refused.text, HasSubstr("its queue is missing"));
  }
}

TEST(Tokens, ARetriedIssueShowsNoSecondSecret) {
  Desk desk;
  const std::string body = R"({"name":"ci","role":"admin"})";
  const auto ask = [&] {
    return desk.ask("POST", "/v1/tokens", body, "admin", {{"idempotency-key", "k"}});
  };
  EXPECT_EQ(ask().status, 201);
  const Asked again = ask();
  EXPECT_EQ(again.status, 409);
  EXPECT_THAT(again.text, HasSubstr("shown once"));
  EXPECT_EQ(desk.get("/v1/tokens").items().size(), 1U);
}

TEST(Tokens, AnotherCallersKeyIsNotTheSameRequest) {
  Desk desk;
  const std::string body =
      R"({"name":"NAME","queue":"team-a","roles":[{"containers":[{"cpu":1}]}]})";
  const auto ask = [&](const std::string& name, const std::string& token) {
    std::string named = body;
    named.replace(named.find("NAME"), 4, name);
    return desk.ask("POST", "/v1/jobs", named, token, {{"idempotency-key", "k"}});
  };
  EXPECT_EQ(ask("one", "tenant:team-a").at({"id"}), "1");
  EXPECT_EQ(ask("two", "admin").at({"id"}), "2");
  EXPECT_EQ(
      desk.ask("POST", "/v1/jobs", body, "admin", {{"idempotency-key", std::string(257, 'k')}})
          .status,
      413);
}

// Every operation with every role, by real tokens: refused exactly when the table says so.
TEST(Tokens, EveryOperationAsksForWhatItNeeds) {
  Desk desk;
  const std::pair<Role, std::string> roles[] = {{Role::kAdmin, ""},
                                                {Role::kOperator, ""},
                                                {Role::kTenant, "team-a"},
                                                {Role::kViewer, "team-a"}};
  for (const auto& [role, queue] : roles) {
    const std::string name(word(role));
    const Asked issued = issue(desk, name, name, queue);
    ASSERT_EQ(issued.status, 201) << issued.text;
    for (const Operation& operation : operations()) {
      std::string path = operation.path;
      for (std::size_t at = path.find('{'); at != std::string::npos; at = path.find('{')) {
        path.replace(at, path.find('}') - at + 1, "none");
      }
      HttpRequest request;
      request.method = operation.method;
      request.path = path;
      request.headers = {{"authorization", "Bearer " + issued.at({"secret"})}};
      const int status = desk.send(request)->wait().status;
      EXPECT_NE(status, 401) << operation.id;
      if (!may(role, operation.need)) {
        EXPECT_EQ(status, 403) << name << " " << operation.id;
      } else {
        EXPECT_NE(status, 403) << name << " " << operation.id;
      }
      request.headers.clear();
      const int stranger = desk.send(request)->wait().status;
      EXPECT_EQ(stranger == 401, operation.need != Need::kNothing) << operation.id;
    }
  }
}

// All bytes that a journal and its snapshot have.
std::string bytes_of(Desk& desk) {
  ByteWriter out;
  EXPECT_TRUE(desk.journal.replay(0, [&](const EventBatch& events) -> Status {
    for (const Event& event : events) write_event(out, event);
    return {};
  }));
  return out.take() + desk.controller.state().save();
}

TEST(Tokens, SecretsAreInNoJournalSnapshotOrAnswerAndTokensSurviveARestart) {
  Desk desk;
  const Asked issued = issue(desk, "ci", "tenant", "team-a");
  const std::string secret = issued.at({"secret"});
  const std::string random = secret.substr(secret.rfind('_') + 1);
  desk.submit("a", "team-a", 1, secret);
  desk.submit("b", "team-x", 1, secret);
  std::string answers = desk.get("/v1/jobs", secret + "x").text;
  for (const char* target : {"/v1/tokens", "/v1/events", "/v1/jobs/a", "/v1/jobs", "/metrics"}) {
    answers += desk.get(target).text;
  }
  EXPECT_THAT(answers, HasSubstr("token " + issued.at({"id"}) + " of ci issued"));
  EXPECT_EQ(answers.find(random), std::string::npos);
  EXPECT_EQ(answers.find(hash_of(secret)), std::string::npos) << "nor is its hash for anyone";
  desk.loop.stop();
  EXPECT_EQ(bytes_of(desk).find(random), std::string::npos);
  EXPECT_NE(bytes_of(desk).find(hash_of(secret)), std::string::npos);

  Replica replica(desk.clock);
  control::testing::RecordingExecutor executor;
  control::Controller again(
      {desk.journal, executor, desk.clock, desk.metrics, desk.learner, &desk.journal, &replica},
      {});
  ASSERT_TRUE(again.recover());
  const auto who = TokenBook(replica.tokens(), desk.clock).find(secret);
  ASSERT_TRUE(who) << who.error().to_text();
  EXPECT_EQ(who->name, "ci");
  EXPECT_EQ(who->queue, "team-a");
  EXPECT_EQ(who->token, issued.at({"id"}));
  EXPECT_EQ(who->expires_at, 1'000'000 + kHourMs);
}

TEST(Audit, EventsSayWhoAskedForThem) {
  Desk desk;
  const std::string secret = issue(desk, "ci", "tenant", "team-a").at({"secret"});
  desk.submit("a", "team-a", 9, secret);  // finds no room, so that it ends at once
  desk.ask("DELETE", "/v1/jobs/a");
  ASSERT_TRUE(desk.comes_to("a", "cancelled"));
  std::map<std::string, std::string> actors;
  const Asked events = desk.get("/v1/events?job=a");
  for (const codec::Document& event : events.items()) {
    const codec::Document* actor = event.find("actor");
    actors[event.find("type")->as_string()] = actor == nullptr ? "" : actor->as_string();
  }
  EXPECT_EQ(actors["job-submitted"], "ci");
  EXPECT_EQ(actors["job-ended"], "admin");
}

TEST(Redaction, AViewerReadsNoEnvironmentAndNobodyReadsThatOfOthers) {
  Desk desk;
  const std::string job =
      R"({"name":"a","queue":"team-a","roles":[{"containers":[{"devices":{"count":9},)"
      R"("environment":{"TOKEN":"hunter2"}}]}]})";
  ASSERT_EQ(desk.ask("POST", "/v1/jobs", job, "tenant:team-a").status, 201);
  for (const char* token : {"admin", "operator", "tenant:team-a", "tenant:org"}) {
    EXPECT_THAT(desk.get("/v1/jobs/a", token).text, HasSubstr("hunter2")) << token;
  }
  const Asked seen = desk.get("/v1/jobs/a", "viewer:team-a");
  EXPECT_THAT(seen.text, HasSubstr(R"("TOKEN":"hidden")"));
  for (const char* token : {"viewer:team-a", "viewer:org", "tenant:team-b", "viewer:team-b"}) {
    for (const char* target :
         {"/v1/jobs/a", "/v1/jobs", "/v1/jobs/a/why", "/v1/events", "/v1/leases", "/v1/waiting"}) {
      EXPECT_THAT(desk.get(target, token).text, Not(HasSubstr("hunter2"))) << token << target;
    }
  }
  EXPECT_THAT(desk.get("/v1/events").text, Not(HasSubstr("hunter2")));
  EXPECT_THAT(desk.ask("POST", "/v1/jobs", job).text, Not(HasSubstr("hunter2"))) << "a conflict";
}

}  // namespace
}  // namespace berth::server
