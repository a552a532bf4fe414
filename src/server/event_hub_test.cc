// Streams of events at a replica that is fed by hand, as a follower's is by its journal: none
// misses an event or gets one twice, none holds more than its share, and none outlives its token.
#include "server/event_hub.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "server/testing.h"

namespace berth::server {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::KeptStream;

constexpr std::size_t kMostOfOneEvent = 1'024;
const Principal kAnyone{"anyone", Role::kAdmin, ""};

class SharedClock final : public control::Clock {
 public:
  TimeMs now() const override { return now_; }
  void set(TimeMs now) { now_ = now; }

 private:
  std::atomic<TimeMs> now_ = 1'000;
};

EventBody issued(const std::string& id) {
  Token token;
  token.id = id;
  token.name = id;
  token.role = "admin";
  return TokenIssued{std::make_shared<const Token>(token)};
}
// An event of each revision, which streams tell.
Event any_event() { return {1'000, issued("any")}; }

engine::ClusterState state_at(std::uint64_t revision) {
  engine::ClusterState state;
  while (state.revision() < revision) state.apply(any_event());
  return state;
}

bool comes_true(const std::function<bool()>& condition) {
  for (int i = 0; i < 20'000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

// What the stream was told, by revision.
std::vector<std::uint64_t> ids(KeptStream& stream) {
  std::vector<std::uint64_t> all;
  const std::string text = stream.text();
  for (std::size_t at = text.find("id: "); at != std::string::npos;
       at = text.find("id: ", at + 1)) {
    all.push_back(std::stoull(text.substr(at + 4)));
  }
  return all;
}
std::vector<std::uint64_t> range(std::uint64_t first, std::uint64_t last) {
  std::vector<std::uint64_t> all(last - first + 1);
  std::iota(all.begin(), all.end(), first);
  return all;
}

class EventStreams : public ::testing::Test {
 protected:
  explicit EventStreams(DurationMs heartbeat_ms = kHourMs) : hub(replica, clock, heartbeat_ms) {}

  // The events after one revision up to another.
  void hear(std::uint64_t after, std::uint64_t last) {
    EventBatch batch;
    for (std::uint64_t i = after; i < last; ++i) batch.push_back(any_event());
    replica.committed(after, {batch});
    ASSERT_TRUE(replica.wait_for(last, 20'000));
  }
  Status open(std::shared_ptr<KeptStream> stream, std::uint64_t seen,
              const Principal& who = kAnyone) {
    return hub.subscribe(who, seen, {}, [&] { return stream; });
  }
  std::shared_ptr<KeptStream> opened(std::uint64_t seen, const Principal& who = kAnyone) {
    auto stream = std::make_shared<KeptStream>();
    const Status done = open(stream, seen, who);
    EXPECT_TRUE(done) << done.error().to_text();
    return stream;
  }
  // Takes what waits, again and again, until it has the revision.
  static bool drains_to(KeptStream& stream, std::uint64_t revision) {
    return comes_true([&] {
      EXPECT_LE(stream.waiting(), EventHub::kPieceBytes + kMostOfOneEvent);
      stream.drain();
      const std::vector<std::uint64_t> all = ids(stream);
      return !all.empty() && all.back() == revision;
    });
  }

  SharedClock clock;
  Replica replica{clock};
  EventHub hub;
};

// Looked after often; otherwise never.
class BeatingStreams : public EventStreams {
 protected:
  BeatingStreams() : EventStreams(10) {}
};

TEST_F(EventStreams, AServerThatIsBehindItsClientTellsNothingTwice) {
  hear(0, 90);
  const auto stream = opened(100);
  hear(90, 105);
  ASSERT_TRUE(stream->waits_for("id: 105\n"));
  EXPECT_EQ(ids(*stream), range(101, 105));
}

TEST_F(EventStreams, NothingIsMissedOrToldTwiceAcrossASnapshotAndAResume) {
  hear(0, 10);
  const auto first = opened(0);
  // A snapshot that is older than what was heard, and what follows it, once more.
  replica.begin(state_at(5));
  hear(5, 12);
  ASSERT_TRUE(first->waits_for("id: 12\n"));
  EXPECT_FALSE(first->is_closed());
  replica.begin(state_at(30));
  EXPECT_TRUE(first->is_closed()) << "it has not heard of 13 to 30";
  EXPECT_EQ(ids(*first), range(1, 12));
  EXPECT_EQ(hub.open(), 0U);

  const auto refused = open(std::make_shared<KeptStream>(), 12);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr("up to revision 30"), HasSubstr("12")));
  const auto second = opened(30);
  const auto ahead = opened(33);  // has heard more elsewhere
  hear(28, 35);
  ASSERT_TRUE(second->waits_for("id: 35\n"));
  EXPECT_EQ(ids(*second), range(31, 35));
  ASSERT_TRUE(ahead->waits_for("id: 35\n"));
  EXPECT_EQ(ids(*ahead), range(34, 35));
  const auto resumed = opened(32);
  hear(35, 36);
  ASSERT_TRUE(resumed->waits_for("id: 36\n"));
  EXPECT_EQ(ids(*resumed), range(33, 36));
}

TEST_F(EventStreams, AResumeIsSentInPiecesAsTheyAreTaken) {
  hear(0, 6'000);
  const auto stream = std::make_shared<KeptStream>();
  stream->is_slow = true;
  ASSERT_TRUE(open(stream, 0));
  EXPECT_EQ(hub.open(), 1U);
  EXPECT_THAT(ids(*stream), ::testing::Not(IsEmpty()));
  hear(6'000, 6'100);
  ASSERT_TRUE(drains_to(*stream, 6'100));
  hear(6'100, 6'101);
  ASSERT_TRUE(drains_to(*stream, 6'101)) << "it hears what happens";
  EXPECT_EQ(ids(*stream), range(1, 6'101));
}

TEST_F(EventStreams, AStreamThatTurnsSlowGetsTheRestFromTheLog) {
  const auto stream = opened(0);
  const auto quick = opened(0);
  stream->is_slow = true;
  hear(0, 3'000);
  ASSERT_TRUE(quick->waits_for("id: 3000\n"));
  EXPECT_LT(ids(*stream).size(), 3'000U);
  hear(3'000, 3'010);
  ASSERT_TRUE(drains_to(*stream, 3'010));
  EXPECT_EQ(ids(*stream), range(1, 3'010));
  ASSERT_TRUE(quick->waits_for("id: 3010\n"));
  EXPECT_EQ(ids(*quick), range(1, 3'010));
}

TEST_F(EventStreams, AStreamThatTheLogHasPassedIsTold) {
  const auto stream = opened(0);
  stream->is_slow = true;
  const std::uint64_t last = EventLog::kKept + 5'000;
  for (std::uint64_t at = 0; at < last; at += 5'000) hear(at, at + 5'000);
  stream->drain();
  ASSERT_TRUE(stream->waits_for("event: error\n"));
  EXPECT_THAT(stream->text(), HasSubstr("events up to revision 5000 are not kept any more"));
  EXPECT_TRUE(comes_true([&] { return stream->is_closed(); }));
  const std::vector<std::uint64_t> told = ids(*stream);
  EXPECT_EQ(told, range(1, told.size())) << "and has no gap before";
}

TEST_F(BeatingStreams, EndWhenWhatOpenedThemHasExpired) {
  const auto kept = opened(0);
  const auto ending = opened(0, {"user", Role::kViewer, "team-a", {}, 2'000});
  clock.set(1'999);
  ASSERT_TRUE(comes_true([&] {  // a whole beat after it
    const std::string text = ending->text();
    return text.size() >= 3 * std::string(": still here\n\n").size();
  }));
  EXPECT_FALSE(ending->is_closed());
  clock.set(2'000);
  EXPECT_TRUE(comes_true([&] { return ending->is_closed(); }));
  EXPECT_FALSE(kept->is_closed());
  EXPECT_EQ(hub.open(), 1U);
}

TEST_F(EventStreams, EndWithTheRevocationOfTheirToken) {
  const Principal leaver{"leaver", Role::kAdmin, "", "gone"};
  replica.committed(0, {{{1'000, issued("gone")}, {1'000, issued("stays")}}});
  const auto gone = opened(0, leaver);
  const auto stays = opened(0, {"other", Role::kAdmin, "", "stays"});
  replica.committed(2, {{{1'000, TokenRevoked{"gone"}}, {1'000, issued("next")}}});
  ASSERT_TRUE(stays->waits_for("id: 4\n"));
  EXPECT_TRUE(gone->is_closed());
  EXPECT_THAT(ids(*gone), ElementsAre(1, 2)) << "nothing of its revocation or after it";
  EXPECT_FALSE(stays->is_closed());
  // One that was let in before that.
  EXPECT_FALSE(open(std::make_shared<KeptStream>(), 0, leaver));
  EXPECT_EQ(hub.open(), 1U);
}

TEST_F(BeatingStreams, OneCallerAndAllTogetherHaveALimit) {
  const auto fill = [&](const std::string& name, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) opened(0, {name, Role::kAdmin, ""});
  };
  const auto refusal = [&](const std::string& name) {
    bool is_opened = false;
    const Status done = hub.subscribe({name, Role::kAdmin, ""}, 0, {}, [&] {
      is_opened = true;
      return std::make_shared<KeptStream>();
    });
    EXPECT_FALSE(is_opened);
    return done ? "" : done.error().message;
  };
  const auto last = opened(0, {"a", Role::kAdmin, ""});
  fill("a", EventHub::kMostOfOne - 1);
  EXPECT_THAT(refusal("a"), AllOf(HasSubstr("'a' has 2000 streams"), HasSubstr("may have 2000")));
  fill("b", EventHub::kMostOfAll - EventHub::kMostOfOne);
  EXPECT_THAT(refusal("c"), AllOf(HasSubstr("has 3500 streams"), HasSubstr("may have 3500")));
  last->is_deaf = true;
  ASSERT_TRUE(comes_true([&] { return hub.open() == EventHub::kMostOfAll - 1; }));
  opened(0, {"a", Role::kAdmin, ""});
}

}  // namespace
}  // namespace berth::server
