// The public cases 066 and 069, as far as they are the node's: an order of an old term, whoever
// leads now, and a grant of cards that are another node's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "agent/core/testing.h"
#include "base/rng.h"

namespace berth::agent {
namespace {

using testing::cards;
using ::testing::ElementsAre;
using testing::grant;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::key;
using testing::order;
using testing::text_of;

std::vector<std::string> tell(LeaseBook& book, const Order& what) {
  return text_of(book.order(what, 0));
}

constexpr int kSchedules = 10'000;

// A leads in term 1 and begins to welcome the node, then stalls; B leads in term 2 and gives the
// GPU to J2; A leads again in term 3; what was begun in term 1 arrives.
TEST(Case066, WhatWasBegunInTermOneIsRefusedThoughItsSenderLeadsTermThree) {
  LeaseBook book;
  book.set_node("n1", 1);
  ASSERT_TRUE(book.welcome({2, 1000, 3000}));
  Grant second = grant(2, 0);
  second.term = 2;
  ASSERT_THAT(tell(book, order(PrepareOrder{second}, 2)), ElementsAre("prepare 2"));
  book.prepared(key(2));
  ASSERT_THAT(tell(book, order(StartOrder{key(2)}, 2)), ElementsAre("start 2"));
  ASSERT_TRUE(book.welcome({3, 1000, 3000}));

  const Status late = book.welcome({1, 1000, 3000});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().message,
            "the server's term is 1; one of term 3 has been followed, and none before it is");
  const std::string before = book.save();
  EXPECT_THAT(tell(book, order(PrepareOrder{grant(1, 0)}, 1)), ElementsAre("report refused 1"));
  EXPECT_THAT(tell(book, order(RevokeOrder{key(2), ReclaimGrade::kKill, 0, 0, {}}, 1)),
              ElementsAre("report refused 2"));
  EXPECT_EQ(book.save(), before);
  EXPECT_EQ(book.find(LeaseId(2))->state, TaskState::kRunning) << "J2 keeps the GPU";
}

Order some_order(Rng& rng, std::uint64_t term) {
  const std::uint64_t lease = 1 + rng.below(4);
  const std::uint64_t epoch = 1 + rng.below(3);
  const auto card = static_cast<std::uint16_t>(rng.below(3));
  switch (rng.below(7)) {
    case 0:
    case 1:
      return order(PrepareOrder{grant(lease, card, epoch)}, term);
    case 2:
      return order(StartOrder{key(lease, epoch)}, term);
    case 3:
      return order(ResumeOrder{key(lease, epoch), cards(card)}, term);
    case 4:
      return order(MoveOrder{grant(lease, card, epoch), rng.below(2) == 0 ? "" : "n2"}, term);
    case 5:
      return order(LayoutOrder{1 + rng.below(5), card, {}, {}}, term);
    default:
      return order(RevokeOrder{key(lease, epoch), ReclaimGrade::kKill, 0, 0, {}}, term);
  }
}

// Leaders take turns, their orders arrive whenever they like, sessions come and go, the agent
// starts again: whatever is of an older term than one that was seen changes nothing.
TEST(Case066, NoOrderOfAnOlderTermIsFollowedInTenThousandSchedules) {
  std::uint64_t stale = 0;
  for (int seed = 0; seed < kSchedules; ++seed) {
    Rng rng(static_cast<std::uint64_t>(seed));
    LeaseBook book;
    book.set_node("n1", 3);
    std::vector<Order> in_flight;
    std::uint64_t term = 1;
    std::uint64_t seen = 0;
    for (int step = 0; step < 40; ++step) {
      if (rng.below(8) == 0) ++term;
      in_flight.push_back(some_order(rng, term));
      if (rng.below(10) == 0) {
        const std::uint64_t greets = 1 + rng.below(term);
        ASSERT_EQ(book.welcome({greets, 1000, 3000}).has_value(), greets >= seen) << seed;
        seen = std::max(seen, greets);
      }
      if (rng.below(20) == 0) book = *LeaseBook::load(book.save());
      if (rng.below(3) == 0) {
        for (const auto& [lease, task] : std::map(book.tasks())) book.prepared(task.grant.key);
      }
      const std::size_t at = rng.below(in_flight.size());
      const Order arrives = in_flight[at];
      if (rng.below(4) > 0) in_flight.erase(in_flight.begin() + static_cast<long>(at));
      const std::string before = book.save();
      const Outcome outcome = book.order(arrives, 0);
      if (arrives.term >= seen) {
        seen = arrives.term;
        ASSERT_EQ(book.term(), seen) << seed;
        continue;
      }
      ++stale;
      ASSERT_EQ(book.save(), before) << seed;
      ASSERT_TRUE(outcome.tasks.empty() && outcome.layouts.empty()) << seed;
      ASSERT_EQ(outcome.reports.size(), 1U) << seed;
      const auto* refused = std::get_if<OrderRefused>(&outcome.reports.front().body);
      ASSERT_NE(refused, nullptr) << seed;
      ASSERT_THAT(refused->reason, HasSubstr("is followed")) << seed;
    }
  }
  EXPECT_GT(stale, 10'000U);
}

Grant grant_on(const std::string& node, std::uint64_t lease, std::uint16_t card) {
  Grant made = grant(lease, card);
  made.node = node;
  return made;
}

// J is decided for node 1, GPU 3; its bind lands on node 2, whose GPU 3 belongs to K.
TEST(Case069, AGrantOfAnotherNodeIsNotCarriedOut) {
  LeaseBook second;
  second.set_node("n2", 4);
  ASSERT_THAT(tell(second, order(PrepareOrder{grant_on("n2", 8, 3)})), ElementsAre("prepare 8"));
  second.prepared(key(8));
  tell(second, order(StartOrder{key(8)}));
  EXPECT_THAT(tell(second, order(PrepareOrder{grant_on("n1", 7, 3)})),
              ElementsAre("report prepare failed 7"));
  const auto failed = std::get<ReportPrepareFailed>(second.unacknowledged().back().body);
  EXPECT_EQ(failed.reason, "it is a grant of node 'n1'; this is node 'n2'");
  EXPECT_THAT(tell(second, order(PrepareOrder{grant_on("n1", 6, 0)})),
              ElementsAre("report prepare failed 6"))
      << "though its card 0 is free here";
  EXPECT_EQ(second.find(LeaseId(8))->state, TaskState::kRunning) << "K is untouched";
  EXPECT_THAT(tell(second, order(MoveOrder{grant_on("n1", 8, 1), ""})),
              ElementsAre("report refused 8"));
  EXPECT_THAT(tell(second, order(MoveOrder{grant_on("n1", 5, 1), "n3"})),
              ElementsAre("report ended lost 5"));
}

TEST(Case069, ACardThatTheNodeDoesNotHaveIsNotPromised) {
  LeaseBook book;
  book.set_node("n1", 2);
  EXPECT_THAT(tell(book, order(PrepareOrder{grant_on("n1", 1, 3)})),
              ElementsAre("report prepare failed 1"));
  const auto failed = std::get<ReportPrepareFailed>(book.unacknowledged().back().body);
  EXPECT_EQ(failed.reason, "it names card 3; the node has 2");
  tell(book, order(PrepareOrder{grant_on("n1", 2, 1)}));
  book.prepared(key(2));
  tell(book, order(StartOrder{key(2)}));
  EXPECT_THAT(tell(book, order(MoveOrder{grant_on("n1", 2, 2), ""})),
              ElementsAre("report refused 2"));
  EXPECT_EQ(book.find(LeaseId(2))->grant.cards, cards(1));
  EXPECT_THAT(tell(book, order(LayoutOrder{1, 2, {{"1g.10gb", 0, ""}}, {}})),
              ElementsAre("report layout"))
      << "told as what could not be made";
  EXPECT_THAT(tell(book, order(PrepareOrder{grant(3, 0)})), ElementsAre("prepare 3"))
      << "a server that names no node means the one that it tells";
}

// Two nodes of four cards. A bind is sent to its own node, or, by mistake, to the other; it comes
// late, twice, after others. What a node mounts is what was decided, and nothing twice.
TEST(Case069, NothingIsMountedWronglyInTenThousandBinds) {
  std::uint64_t binds = 0;
  std::uint64_t mounts = 0;
  std::uint64_t astray = 0;
  for (std::uint64_t seed = 0; binds < 10'000; ++seed) {
    Rng rng(seed);
    LeaseBook books[2];
    std::map<LeaseId, Grant> decided;
    std::map<LeaseKey, int> mounted;
    std::vector<Grant> in_flight;
    for (int node = 0; node < 2; ++node) books[node].set_node("n" + std::to_string(node), 4);
    for (int step = 0; step < 60; ++step) {
      if (rng.below(3) > 0) {
        const std::string node = "n" + std::to_string(rng.below(2));
        const Grant made = grant_on(node, ++binds, static_cast<std::uint16_t>(rng.below(4)));
        decided.emplace(made.key.lease, made);
        in_flight.push_back(made);
      }
      if (in_flight.empty()) continue;
      const std::size_t at = rng.below(in_flight.size());
      const Grant arrives = in_flight[at];
      if (rng.below(2) == 0) in_flight.erase(in_flight.begin() + static_cast<long>(at));
      const std::size_t to = rng.below(2);
      astray += arrives.node == "n" + std::to_string(to) ? 0U : 1U;
      for (const TaskAction& action : books[to].order(order(PrepareOrder{arrives}), 0).tasks) {
        ASSERT_EQ(action.kind, ActionKind::kPrepare) << seed;
        ASSERT_EQ(++mounted[action.key], 1) << seed;
        const Grant& wanted = decided.at(action.key.lease);
        ASSERT_EQ(wanted.node, "n" + std::to_string(to)) << seed;
        ASSERT_EQ(books[to].find(action.key.lease)->grant, wanted) << seed;
        ++mounts;
      }
      if (rng.below(4) == 0 && !books[to].tasks().empty()) {
        const LeaseKey ends = books[to].tasks().begin()->second.grant.key;
        books[to].prepare_failed(ends, "no image");
      }
    }
  }
  EXPECT_GT(mounts, 1'000U);
  EXPECT_GT(astray, 3'000U);
}

}  // namespace
}  // namespace berth::agent
