// Pages of lists hold each item once, whatever happens between two of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "server/testing.h"

namespace berth::server {
namespace {

using testing::Asked;
using testing::Desk;
using ::testing::ElementsAre;

void end(Desk& desk, const std::string& job) {
  ASSERT_EQ(desk.ask("DELETE", "/v1/jobs/" + job).status, 200);
  ASSERT_TRUE(desk.comes_to(job, "cancelled"));
}

// The names of page after page of one; `between` is called after each page.
std::vector<std::string> names_by_page(Desk& desk, const std::function<void()>& between) {
  std::vector<std::string> names;
  std::string after;
  do {
    const Asked page = desk.get("/v1/jobs?limit=1" + (after.empty() ? "" : "&after=" + after));
    for (const std::string& name : page.names()) names.push_back(name);
    after = page.at({"next"});
    between();
  } while (!after.empty() && names.size() < 20);
  return names;
}

TEST(Pages, JobsThatEndInAnotherOrderThanTheyCameAreAllListed) {
  Desk desk;
  for (const char* job : {"j1", "j2", "j3", "j4"}) desk.submit(job, "team-a", 9);
  for (const char* job : {"j3", "j1", "j4", "j2"}) end(desk, job);
  EXPECT_THAT(names_by_page(desk, [] {}), ElementsAre("j2", "j4", "j1", "j3"));
}

TEST(Pages, JobsThatEndBetweenTwoPagesMoveNoOther) {
  Desk desk;
  for (const char* job : {"j1", "j2", "j3", "j4"}) desk.submit(job, "team-a", 9);
  for (const char* job : {"j3", "j1", "j4", "j2"}) end(desk, job);
  int more = 0;
  const auto another = [&] {
    if (more == 3) return;
    const std::string job = "k" + std::to_string(++more);
    desk.submit(job, "team-a", 9);
    end(desk, job);
  };
  EXPECT_THAT(names_by_page(desk, another), ElementsAre("j2", "j4", "j1", "j3"));
}

}  // namespace
}  // namespace berth::server
