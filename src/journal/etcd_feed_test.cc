// Following a journal that another process writes, over watches that break and compaction.
#include "journal/etcd_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "journal/etcd_following.h"
#include "journal/etcd_journal.h"
#include "journal/etcd_testing.h"

namespace berth::journal {
namespace {

using testing::batch_of;
using testing::Following;
using ::testing::HasSubstr;
using testing::TcpProxy;
using testing::Times;
using testing::times_of;

class EtcdFeedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::has_etcd()) GTEST_SKIP() << testing::kNoEtcd;
    settings_ = testing::shared_etcd().settings();
  }
  void open_journal() {
    journal_ = std::move(*EtcdJournal::open(settings_, prefix_, std::nullopt));
  }
  void append(std::size_t events, int calls = 1) {
    for (int i = 0; i < calls; ++i) {
      const EventBatch batch = batch_of(++number_, events);
      ASSERT_TRUE(journal_->append(journal_->revision(), {&batch, 1}));
      kept_.push_back(times_of(batch));
    }
  }
  // All that was appended from some batch on, each once and in order, and that this is said.
  void expect_followed(Following& following, std::size_t without = 0) {
    ASSERT_TRUE(following.has_caught_up(kept_.size() - without)) << following.times().size();
    const auto first = kept_.begin() + static_cast<std::ptrdiff_t>(without);
    EXPECT_TRUE(following.times() == Times(first, kept_.end()));
    EXPECT_EQ(following.mark().revision, journal_->revision());
  }
  // An endpoint for the follower alone, before the others.
  EtcdSettings over(const TcpProxy& wire) const {
    return {{wire.endpoint(), settings_.endpoints.front()}, std::nullopt, 300, 5'000};
  }

  std::string prefix_ = testing::new_prefix();
  EtcdSettings settings_;
  std::unique_ptr<EtcdJournal> journal_;

 private:
  std::uint64_t number_ = 0;
  Times kept_;
};

TEST_F(EtcdFeedTest, FollowsFromBeforeTheBeginning) {
  Following following(settings_, prefix_);
  ASSERT_TRUE(following.has_caught_up(0));
  EXPECT_EQ(following.mark().revision, 0U);
  open_journal();
  append(3);
  append(1, 100);
  append(400'000);  // of 1.2 MB, and so in parts
  append(2, 100);
  expect_followed(following);
  Following late(settings_, prefix_, 3);
  expect_followed(late, 1);
  append(5);
  expect_followed(following);
  expect_followed(late, 1);
  EXPECT_TRUE(following.end().has_value());
  EXPECT_TRUE(late.end().has_value());
}

TEST_F(EtcdFeedTest, TheMarkIsRenewedWhileNothingHappens) {
  open_journal();
  append(1);
  Following following(settings_, prefix_);
  expect_followed(following);
  const auto first = following.mark().as_of;
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (following.mark().as_of == first && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_GT(following.mark().as_of, first);
}

TEST_F(EtcdFeedTest, ABrokenWatchLeavesNothingOut) {
  open_journal();
  TcpProxy wire(settings_.endpoints.front());
  Following following({{wire.endpoint()}, std::nullopt, 300, 5'000}, prefix_);
  for (int i = 0; i < 5; ++i) {
    append(1, 20);
    wire.cut();
    append(2, 20);
  }
  expect_followed(following);
  EXPECT_TRUE(following.end().has_value());
}

// The connection stands and brings nothing any more.
TEST_F(EtcdFeedTest, ASilentWatchIsFoundOut) {
  open_journal();
  TcpProxy wire(settings_.endpoints.front());
  Following following(over(wire), prefix_);
  append(1, 10);
  expect_followed(following);
  wire.set(TcpProxy::Mode::kHoldAll);
  append(2, 10);
  expect_followed(following);
  EXPECT_TRUE(following.end().has_value());
}

TEST_F(EtcdFeedTest, NothingIsSaidWhileEtcdIsAway) {
  open_journal();
  append(1, 3);
  TcpProxy wire(settings_.endpoints.front());
  Following following({{wire.endpoint()}, std::nullopt, 200, 5'000}, prefix_);
  expect_followed(following);
  wire.set(TcpProxy::Mode::kHoldAll);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // what is under way arrives
  const auto away = std::chrono::steady_clock::now();
  append(1, 3);
  std::this_thread::sleep_for(std::chrono::milliseconds(700));  // longer than between checks
  EXPECT_LT(following.mark().as_of, away);
  wire.set(TcpProxy::Mode::kPass);
  wire.cut();
  expect_followed(following);
  EXPECT_GT(following.mark().as_of, away);
}

TEST_F(EtcdFeedTest, CompactionIsNoticedByThoseWhoAreBehindIt) {
  open_journal();
  TcpProxy wire(settings_.endpoints.front());
  Following live({{wire.endpoint()}, std::nullopt, 300, 5'000}, prefix_);
  append(1, 10);
  ASSERT_TRUE(journal_->save({10, "ten"}));
  append(1, 10);
  ASSERT_TRUE(journal_->save({20, "twenty"}));
  expect_followed(live);
  ASSERT_TRUE(journal_->compact());
  append(1, 5);
  wire.cut();
  ASSERT_TRUE(journal_->compact());
  append(1, 5);
  expect_followed(live);
  Following behind(settings_, prefix_, 5);
  const Status status = behind.outcome();
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(status.error().message,
              HasSubstr("what follows revision 5 is compacted: load the newest snapshot"));
  const auto feed = EtcdFeed::open(settings_, prefix_);
  const auto snapshot = (*feed)->newest();
  ASSERT_TRUE(snapshot.has_value() && snapshot->has_value());
  EXPECT_EQ((*snapshot)->bytes, "twenty");
  Following again(settings_, prefix_, (*snapshot)->revision);
  expect_followed(again, 20);
}

TEST_F(EtcdFeedTest, WhatIsLostIsNotCalledCompacted) {
  open_journal();
  append(1, 4);
  const auto client = EtcdClient::open(settings_);
  const EtcdLayout layout = *EtcdLayout::under(prefix_);
  ASSERT_TRUE((*client)->erase(layout.at(EtcdLayout::Folder::kLog, 0), {}));
  Following first(settings_, prefix_);
  EXPECT_EQ(first.outcome().error().code, ErrorCode::kCorrupt);
  Following beyond(settings_, prefix_, 5);
  EXPECT_EQ(beyond.outcome().error().code, ErrorCode::kConflict);
}

TEST_F(EtcdFeedTest, AnErrorOfTheReaderEndsIt) {
  open_journal();
  append(1, 2);
  const auto feed = EtcdFeed::open(settings_, prefix_);
  for (const int enough : {1, 3}) {  // in what is there, and in what comes
    int seen = 0;
    const Status status = (*feed)->follow(
        0,
        [&](const EventBatch&) -> Status {
          if (++seen == enough) return fail(ErrorCode::kUnavailable, "enough");
          return {};
        },
        [&](const control::FeedMark& mark) {
          if (mark.revision == 2) append(1);
        },
        {});
    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(status.error().message, "enough");
    EXPECT_EQ(seen, enough);
  }
}

}  // namespace
}  // namespace berth::journal
