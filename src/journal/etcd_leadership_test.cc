// Who leads, and how leadership passes on: handed over, by death, by standing still, by a cut wire.
#include "journal/etcd_leadership.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <future>
#include <optional>
#include <thread>

#include "journal/etcd_journal.h"
#include "journal/etcd_testing.h"

namespace berth::journal {
namespace {

using control::Term;
using testing::batch_of;
using ::testing::HasSubstr;
using testing::TcpProxy;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

std::int64_t ms_since(Clock::time_point begin) {
  return std::chrono::duration_cast<milliseconds>(Clock::now() - begin).count();
}

std::unique_ptr<EtcdLeadership> candidate(const EtcdSettings& settings, const std::string& prefix,
                                          const std::string& address, DurationMs ttl_ms = 1'000) {
  auto made = EtcdLeadership::open(settings, prefix, {address, ttl_ms});
  EXPECT_TRUE(made.has_value()) << made.error().to_text();
  return made ? std::move(*made) : nullptr;
}

// The term once elected, on a thread of its own.
std::future<std::optional<Term>> campaign(EtcdLeadership& leadership, std::stop_token stop = {}) {
  return std::async(std::launch::async, [&leadership, stop]() -> std::optional<Term> {
    const auto term = leadership.campaign(stop);
    EXPECT_TRUE(term.has_value()) << term.error().to_text();
    return term ? *term : std::nullopt;
  });
}

class EtcdLeadershipTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::has_etcd()) GTEST_SKIP() << testing::kNoEtcd;
    settings_ = testing::shared_etcd().settings();
  }
  // The text of a key once there is one.
  std::string waited_for(const std::string& key) const {
    const auto client = EtcdClient::open(settings_);
    const auto give_up = Clock::now() + std::chrono::seconds(10);
    while (Clock::now() < give_up) {
      const auto entry = (*client)->get(key);
      if (entry && *entry) return (*entry)->value;
      std::this_thread::sleep_for(milliseconds(10));
    }
    ADD_FAILURE() << key << " did not come";
    return {};
  }
  // Another process that leads and appends, see EtcdHolder.
  std::unique_ptr<testing::Process> holder(const std::string& ttl_ms) {
    ::setenv("BERTH_HOLDER_ENDPOINT", settings_.endpoints.front().c_str(), 1);
    ::setenv("BERTH_HOLDER_PREFIX", prefix_.c_str(), 1);
    ::setenv("BERTH_HOLDER_TTL_MS", ttl_ms.c_str(), 1);
    auto process = std::make_unique<testing::Process>(
        std::vector<std::string>{"/proc/self/exe", "--gtest_filter=EtcdHolder.*",
                                 "--gtest_also_run_disabled_tests"},
        folder_.file("holder.log"));
    const std::string term = waited_for(prefix_ + "-holder/term");
    const auto leader = candidate(settings_, prefix_, "asks:1")->leader();
    EXPECT_EQ(leader.value().value().address, "holder:1");
    EXPECT_EQ(std::to_string(leader.value().value().term), term);
    return process;
  }

  std::string prefix_ = testing::new_prefix();
  EtcdSettings settings_;
  testing::TemporaryFolder folder_;
};

// Run as a process of its own by the tests below: leads, appends for as long as it does, and says
// in etcd what became of that.
TEST(EtcdHolder, DISABLED_LeadsAndAppends) {
  const EtcdSettings settings{{::getenv("BERTH_HOLDER_ENDPOINT")}, std::nullopt, 1'000, 5'000};
  const std::string prefix = ::getenv("BERTH_HOLDER_PREFIX");
  const auto leadership =
      candidate(settings, prefix, "holder:1", std::atoi(::getenv("BERTH_HOLDER_TTL_MS")));
  const auto term = leadership->campaign({});
  const auto journal = std::move(*EtcdJournal::open(settings, prefix, term.value()));
  const auto client = std::move(*EtcdClient::open(settings));
  ASSERT_TRUE(client->put({prefix + "-holder/term", std::to_string(term.value()->number)}));
  const EventBatch batch = batch_of(1, 1);
  Status appended;
  while (leadership->holds() && appended) {
    appended = journal->append(journal->revision(), {&batch, 1});
    std::this_thread::sleep_for(milliseconds(5));
  }
  const std::string held = leadership->holds() ? "leads" : "knows";
  const std::string why = leadership->wait_lost({}).value().message;
  const Status late = journal->append(journal->revision(), {&batch, 1});
  ASSERT_TRUE(client->put({prefix + "-holder/end",
                           held + "; " + why + "; " + (late ? "appended" : late.error().message)}));
}

TEST_F(EtcdLeadershipTest, ResignsAtOnce) {
  const auto a = candidate(settings_, prefix_, "a:1");
  const auto b = candidate(settings_, prefix_, "b:1");
  EXPECT_FALSE(a->leader()->has_value());
  EXPECT_FALSE(a->holds());
  EXPECT_THAT(a->wait_lost({})->message, HasSubstr("was not elected"));
  const auto first = campaign(*a).get();
  ASSERT_TRUE(first.has_value());
  EXPECT_TRUE(a->holds());
  auto waiting = campaign(*b);
  EXPECT_EQ(waiting.wait_for(milliseconds(1'500)), std::future_status::timeout)
      << "the lease is renewed";
  EXPECT_EQ(b->leader()->value().address, "a:1");
  EXPECT_EQ(b->leader()->value().term, first->number);
  const auto begin = Clock::now();
  ASSERT_TRUE(a->resign());
  EXPECT_FALSE(a->holds());
  EXPECT_THAT(a->wait_lost({})->message, HasSubstr("has resigned"));
  const auto second = waiting.get();
  std::printf("handed over in %lld ms\n", static_cast<long long>(ms_since(begin)));
  EXPECT_LT(ms_since(begin), 900) << "before a lease runs out";
  EXPECT_GT(second->number, first->number);
  EXPECT_EQ(a->leader()->value().address, "b:1");
}

TEST_F(EtcdLeadershipTest, OneOfManyIsElected) {
  std::vector<std::unique_ptr<EtcdLeadership>> all;
  std::vector<std::future<std::optional<Term>>> waiting;
  std::stop_source stop;
  for (int i = 0; i < 5; ++i) {
    all.push_back(candidate(settings_, prefix_, "c" + std::to_string(i) + ":1"));
    waiting.push_back(campaign(*all.back(), stop.get_token()));
  }
  std::uint64_t last = 0;
  for (std::size_t round = 0; round < all.size(); ++round) {
    std::string leader;
    while (leader.empty()) {
      const auto found = all.front()->leader();
      if (found && *found && (*found)->term > last) leader = (*found)->address;
    }
    const auto index = static_cast<std::size_t>(leader[1] - '0');
    const auto term = waiting[index].get();
    ASSERT_TRUE(term.has_value());
    EXPECT_GT(term->number, last);
    last = term->number;
    int holding = 0;
    for (const auto& one : all) holding += one->holds() ? 1 : 0;
    EXPECT_EQ(holding, 1);
    ASSERT_TRUE(all[index]->resign());
  }
  stop.request_stop();
}

TEST_F(EtcdLeadershipTest, IsTakenOverFromAProcessThatIsKilled) {
  const auto process = holder("3000");
  const auto next = candidate(settings_, prefix_, "next:1");
  auto waiting = campaign(*next);
  process->signal(SIGKILL);
  const auto begin = Clock::now();
  const auto term = waiting.get();
  std::printf("taken over %lld ms after kill -9, with a lease of 3000 ms\n",
              static_cast<long long>(ms_since(begin)));
  EXPECT_LT(ms_since(begin), 5'000);
  const auto journal = EtcdJournal::open(settings_, prefix_, term);
  const EventBatch batch = batch_of(1, 1);
  EXPECT_GT((*journal)->revision(), 0U) << "the one before has appended";
  EXPECT_TRUE((*journal)->append((*journal)->revision(), {&batch, 1}));
}

// It finds itself a former leader when it goes on, before it writes, and is refused if it does.
TEST_F(EtcdLeadershipTest, AProcessThatStoodStillKnows) {
  const auto process = holder("1000");
  const auto next = candidate(settings_, prefix_, "next:1");
  auto waiting = campaign(*next);
  process->signal(SIGSTOP);
  const auto term = waiting.get();
  const auto journal = std::move(*EtcdJournal::open(settings_, prefix_, term));
  const EventBatch batch = batch_of(2, 1);
  ASSERT_TRUE(journal->append(journal->revision(), {&batch, 1}));
  process->signal(SIGCONT);
  const std::string end = waited_for(prefix_ + "-holder/end");
  EXPECT_THAT(end, HasSubstr("knows; this process does not lead any more"));
  EXPECT_THAT(end, HasSubstr("its term"));
  EXPECT_THAT(end, HasSubstr("is over, next:1 leads"));
  ASSERT_TRUE(journal->append(journal->revision(), {&batch, 1})) << "nothing came between";
}

// Whoever is cut off from etcd is sure of it no later than others may be elected.
TEST_F(EtcdLeadershipTest, ALeaderThatIsCutOffKnows) {
  TcpProxy wire(settings_.endpoints.front());
  const auto cut_off = candidate({{wire.endpoint()}, std::nullopt, 300, 5'000}, prefix_, "a:1");
  ASSERT_TRUE(campaign(*cut_off).get().has_value());
  const auto next = candidate(settings_, prefix_, "b:1");
  auto waiting = campaign(*next);
  auto lost = std::async(std::launch::async, [&] {
    cut_off->wait_lost({});
    return Clock::now();
  });
  std::this_thread::sleep_for(milliseconds(500));  // with renewals
  EXPECT_TRUE(cut_off->holds());
  wire.set(TcpProxy::Mode::kHoldAll);
  const auto begin = Clock::now();
  const auto known = lost.get();
  EXPECT_FALSE(cut_off->holds());
  EXPECT_LE(std::chrono::duration_cast<milliseconds>(known - begin).count(), 1'100);
  waiting.get();
  EXPECT_GE(Clock::now(), known);
  wire.set(TcpProxy::Mode::kPass);
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_FALSE(cut_off->holds());
}

TEST_F(EtcdLeadershipTest, AKeyThatIsTakenAwayIsNoticed) {
  const auto a = candidate(settings_, prefix_, "a:1");
  ASSERT_TRUE(campaign(*a).get().has_value());
  const auto client = EtcdClient::open(settings_);
  ASSERT_TRUE((*client)->erase(EtcdLayout::under(prefix_)->leader(), {}));
  const auto begin = Clock::now();
  const auto lost = a->wait_lost({});
  EXPECT_LT(ms_since(begin), 900);
  EXPECT_THAT(lost->message, HasSubstr("was taken away from this process; nobody leads"));
  EXPECT_FALSE(a->holds());
  EXPECT_TRUE(campaign(*a).get().has_value()) << "and may be elected again";
}

TEST_F(EtcdLeadershipTest, WaitingCanBeStopped) {
  const auto a = candidate(settings_, prefix_, "a:1");
  const auto b = candidate(settings_, prefix_, "b:1");
  ASSERT_TRUE(campaign(*a).get().has_value());
  std::stop_source stop;
  auto waiting = campaign(*b, stop.get_token());
  auto lost = std::async(std::launch::async, [&] { return a->wait_lost(stop.get_token()); });
  std::this_thread::sleep_for(milliseconds(100));
  const auto begin = Clock::now();
  stop.request_stop();
  EXPECT_FALSE(waiting.get().has_value());
  EXPECT_FALSE(lost.get().has_value());
  EXPECT_LT(ms_since(begin), 500);
  EXPECT_TRUE(a->holds());
}

TEST(EtcdLeadership, RefusesWhatCannotWork) {
  const EtcdSettings settings{{"127.0.0.1:1"}, std::nullopt, 1'000, 1'000};
  EXPECT_EQ(EtcdLeadership::open(settings, "/a", {"", 3'000}).error().field, "address");
  EXPECT_EQ(EtcdLeadership::open(settings, "/a", {"a:1", 10}).error().field, "ttl_ms");
  EXPECT_EQ(EtcdLeadership::open(settings, "a", {"a:1", 3'000}).error().field, "prefix");
  EXPECT_EQ(EtcdLeadership::open({}, "/a", {"a:1", 3'000}).error().field, "endpoints");
}

}  // namespace
}  // namespace berth::journal
