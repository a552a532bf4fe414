// An etcd of three members of which some are killed, stand still and come back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "journal/etcd_following.h"
#include "journal/etcd_journal.h"
#include "journal/etcd_leadership.h"
#include "journal/etcd_testing.h"

namespace berth::journal {
namespace {

using Clock = std::chrono::steady_clock;

class ThreeMembers {
 public:
  ThreeMembers()
      : server_({3, 0, {}}),
        client_(std::move(*EtcdClient::open(server_.settings()))),
        leadership_(std::move(*EtcdLeadership::open(server_.settings(), "/berth", {"a:1", 3'000}))),
        term_(leadership_->campaign({}).value()),
        journal_(std::move(*EtcdJournal::open(server_.settings(), "/berth", term_))),
        following_(server_.settings(), "/berth") {}

  testing::EtcdServer& server() { return server_; }
  EtcdJournal& journal() { return *journal_; }

  std::size_t leading_member() const {
    for (std::size_t m = 0; m < client_->members(); ++m) {
      const auto status = client_->status_of(m);
      if (status && status->id == status->leader) return m;
    }
    ADD_FAILURE() << "no member leads";
    return 0;
  }
  // Until it is one of those that make a majority again.
  void wait_for(std::size_t member) const {
    const auto give_up = Clock::now() + std::chrono::seconds(10);
    while (Clock::now() < give_up) {
      const auto status = client_->status_of(member);
      if (status && status->leader != 0) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    ADD_FAILURE() << "the member does not come back";
  }
  // How long it took, in ms.
  long long append() {
    const auto begin = Clock::now();
    const EventBatch batch = testing::batch_of(++number_, 2);
    const Status appended = journal_->append(journal_->revision(), {&batch, 1});
    EXPECT_TRUE(appended.has_value()) << appended.error().to_text();
    kept_.push_back(testing::times_of(batch));
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin).count();
  }
  void expect_all_is_well() {
    ASSERT_TRUE(following_.has_caught_up(kept_.size()));
    EXPECT_TRUE(following_.times() == kept_);
    EXPECT_TRUE(*testing::replayed(*journal_) == kept_);
    EXPECT_TRUE(leadership_->holds());
  }

 private:
  testing::EtcdServer server_;
  std::unique_ptr<EtcdClient> client_;
  std::unique_ptr<EtcdLeadership> leadership_;
  std::optional<control::Term> term_;
  std::unique_ptr<EtcdJournal> journal_;
  testing::Following following_;
  std::uint64_t number_ = 0;
  testing::Times kept_;
};

TEST(EtcdMembers, AppendsGoOnWithoutOneOfThree) {
  if (!testing::has_etcd()) GTEST_SKIP() << testing::kNoEtcd;
  ThreeMembers three;
  for (int i = 0; i < 20; ++i) three.append();
  const std::size_t killed = three.leading_member();
  three.server().process(killed).kill();
  std::printf("the append after kill -9 of the leading member took %lld ms\n", three.append());
  for (int i = 0; i < 20; ++i) three.append();
  three.expect_all_is_well();

  three.server().start(killed);
  three.wait_for(killed);
  const std::size_t stopped = three.leading_member();
  ASSERT_NE(stopped, killed);
  three.server().process(stopped).signal(SIGSTOP);
  std::printf("the append after the leading member stood still took %lld ms\n", three.append());
  for (int i = 0; i < 20; ++i) three.append();
  three.expect_all_is_well();
  three.server().process(stopped).signal(SIGCONT);
  three.append();
  three.expect_all_is_well();
}

TEST(EtcdMembers, TheJournalIsKeptSmallWithoutOneOfThree) {
  if (!testing::has_etcd()) GTEST_SKIP() << testing::kNoEtcd;
  ThreeMembers three;
  three.server().process(2).kill();
  for (int i = 0; i < 3; ++i) {
    three.append();
    ASSERT_TRUE(three.journal().save({three.journal().revision(), "where it is"}));
    const Status compacted = three.journal().compact();
    EXPECT_TRUE(compacted.has_value()) << compacted.error().to_text();
  }
  const auto first = testing::replayed(three.journal());
  ASSERT_FALSE(first.has_value());
  EXPECT_THAT(first.error().message, ::testing::HasSubstr("are missing"));
}

TEST(EtcdMembers, AMemberThatComesBackIsUsedAgain) {
  if (!testing::has_etcd()) GTEST_SKIP() << testing::kNoEtcd;
  testing::EtcdServer server;
  const auto client = std::move(*EtcdClient::open(server.settings()));
  ASSERT_TRUE(client->put({"/a", "b"}));
  server.process(0).kill();
  const auto impatient =
      std::move(*EtcdClient::open({{server.endpoint(0)}, std::nullopt, 300, 1'500}));
  const auto nobody = impatient->get("/a");
  ASSERT_FALSE(nobody.has_value());
  EXPECT_EQ(nobody.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(nobody.error().message, ::testing::HasSubstr("etcd at " + server.endpoint(0)));
  server.start(0);
  for (const EtcdClient* one : {client.get(), impatient.get()}) {
    const auto again = one->get("/a");
    ASSERT_TRUE(again.has_value()) << again.error().to_text();
    EXPECT_EQ((*again)->value, "b");
  }
}

}  // namespace
}  // namespace berth::journal
