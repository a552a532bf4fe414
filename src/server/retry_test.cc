// Requests that come again under the same key, and keys that are used for something else: nothing
// is done twice, and nothing is acknowledged that was not done.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/testing.h"

namespace berth::server {
namespace {

using testing::Asked;
using testing::Desk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Asked keyed(Desk& desk, const std::string& method, const std::string& target,
            const std::string& key, const std::string& body = "") {
  return desk.ask(method, target, body, "tenant:team-a", {{"idempotency-key", key}});
}

// One that finds no room, so that it ends as soon as it is cancelled.
Asked submit(Desk& desk, const std::string& name, const std::string& key) {
  return keyed(desk, "POST", "/v1/jobs", key,
               R"({"name":")" + name +
                   R"(","queue":"team-a","roles":[{"containers":[{"devices":{"count":9}}]}]})");
}

TEST(Retry, TheKeyOfOneJobSubmitsNoOther) {
  Desk desk;
  EXPECT_EQ(submit(desk, "one", "k").at({"id"}), "1");
  const Asked other = submit(desk, "two", "k");
  EXPECT_EQ(other.status, 409);
  EXPECT_THAT(other.text, HasSubstr("was used for job 'one'"));
  EXPECT_THAT(other.text, HasSubstr("job 'two' needs"));
  EXPECT_THAT(desk.get("/v1/jobs").names(), ElementsAre("one"));
  EXPECT_EQ(submit(desk, "one", "k").status, 201);
  EXPECT_EQ(submit(desk, "two", "k2").status, 201);
}

TEST(Retry, TheKeyOfAJobThatHasEndedIsStillItsOwn) {
  Desk desk;
  submit(desk, "one", "k");
  ASSERT_EQ(desk.ask("DELETE", "/v1/jobs/one").status, 200);
  ASSERT_TRUE(desk.comes_to("one", "cancelled"));
  const Asked again = submit(desk, "one", "k");
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.at({"id"}), "1") << "and not another job";
  const Asked other = submit(desk, "two", "k");
  EXPECT_EQ(other.status, 409);
  EXPECT_THAT(other.text, HasSubstr("was used for job 'one'"));
  EXPECT_EQ(desk.get("/v1/jobs/one").at({"status"}), "cancelled");
  EXPECT_EQ(desk.get("/v1/jobs/two").status, 404);
}

TEST(Retry, TheKeyOfASubmitDoesNothingElse) {
  Desk desk;
  submit(desk, "one", "k");
  for (const auto& [method, target] : std::vector<std::pair<std::string, std::string>>{
           {"DELETE", "/v1/jobs/one"}, {"POST", "/v1/jobs/one/hold"}}) {
    const Asked refused = keyed(desk, method, target, "k");
    EXPECT_EQ(refused.status, 409) << refused.text;
    EXPECT_THAT(refused.text, HasSubstr("needs a key of its own"));
    EXPECT_THAT(refused.text, HasSubstr("Idempotency-Key"));
  }
  EXPECT_EQ(desk.get("/v1/jobs/one").at({"status"}), "pending");
  EXPECT_EQ(desk.get("/v1/jobs/one").at({"held"}), "");
}

TEST(Retry, ACancelThatComesAgainIsAnsweredAsTheFirst) {
  Desk desk;
  submit(desk, "one", "k");
  EXPECT_EQ(keyed(desk, "DELETE", "/v1/jobs/one", "c").status, 200);
  ASSERT_TRUE(desk.comes_to("one", "cancelled"));
  const Asked again = keyed(desk, "DELETE", "/v1/jobs/one", "c");
  EXPECT_EQ(again.status, 200) << again.text;
  EXPECT_EQ(again.at({"name"}), "one");
  EXPECT_EQ(keyed(desk, "DELETE", "/v1/jobs/one", "d").status, 404) << "another one is not";
  // The name is that of another job now, which the first request never meant.
  EXPECT_EQ(submit(desk, "one", "k2").status, 201);
  EXPECT_EQ(keyed(desk, "DELETE", "/v1/jobs/one", "c").status, 200);
  EXPECT_EQ(desk.get("/v1/jobs/one").at({"status"}), "pending");
}

TEST(Retry, AKeyCountsTogetherWithWhatIsAsked) {
  Desk desk;
  submit(desk, "one", "k1");
  submit(desk, "two", "k2");
  EXPECT_EQ(keyed(desk, "POST", "/v1/jobs/one/hold", "h").status, 200);
  EXPECT_EQ(keyed(desk, "POST", "/v1/jobs/two/hold", "h").status, 200);
  EXPECT_EQ(desk.get("/v1/jobs/two").at({"held"}), "true") << "done, as it was answered";
  for (const char* count : {"2", "3"}) {
    const std::string body = std::string(R"({"count":)") + count + "}";
    EXPECT_EQ(keyed(desk, "POST", "/v1/jobs/one/resize", "r", body).status, 200);
    EXPECT_EQ(desk.get("/v1/jobs/one").at({"tasks"}), count);
  }
}

}  // namespace
}  // namespace berth::server
