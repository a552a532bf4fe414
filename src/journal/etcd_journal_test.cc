// What can happen to a journal in etcd: another one leads, answers are lost or late, etcd is full,
// keys are changed or are somebody else's.
#include "journal/etcd_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "journal/etcd_leadership.h"
#include "journal/etcd_testing.h"

namespace berth::journal {
namespace {

using control::Term;
using testing::batch_of;
using ::testing::HasSubstr;
using testing::replayed;
using testing::TcpProxy;
using Folder = EtcdLayout::Folder;

using Journal = std::unique_ptr<EtcdJournal>;

Journal opened(const EtcdSettings& settings, const std::string& prefix,
               std::optional<Term> term = {}) {
  auto journal = EtcdJournal::open(settings, prefix, term);
  EXPECT_TRUE(journal.has_value()) << journal.error().to_text();
  return journal ? std::move(*journal) : nullptr;
}

// A batch of so many events, in a call of its own.
Status append(EtcdJournal& journal, std::size_t events = 1) {
  const EventBatch batch = batch_of(journal.revision() + 1, events);
  return journal.append(journal.revision(), {&batch, 1});
}

// A batch whose record is larger than this many bytes; an event takes 3 at least.
EventBatch large_batch(std::size_t bytes) { return batch_of(1, bytes / 3); }

class EtcdJournalTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::has_etcd()) GTEST_SKIP() << testing::kNoEtcd;
    settings_ = testing::shared_etcd().settings();
    client_ = std::move(*EtcdClient::open(settings_));
  }
  Journal open(std::optional<Term> term = {}) const { return opened(settings_, prefix_, term); }
  std::unique_ptr<EtcdLeadership> candidate(const std::string& address) const {
    return std::move(*EtcdLeadership::open(settings_, prefix_, {address, 3'000}));
  }
  static Term elected(EtcdLeadership& leadership) {
    const auto term = leadership.campaign({});
    EXPECT_TRUE(term.has_value()) << term.error().to_text();
    return term.value().value();
  }
  EtcdLayout layout() const { return *EtcdLayout::under(prefix_); }
  std::string log_key(std::uint64_t revision) const { return layout().at(Folder::kLog, revision); }
  std::size_t count(Folder folder) const {
    const EtcdKeys keys = layout().all(folder);
    return client_->range({keys.begin, keys.end})->entries.size();
  }
  void change(const std::string& key, std::size_t at) const {
    std::string value = client_->get(key)->value().value;
    value[at] = static_cast<char>(value[at] ^ 0x40);
    ASSERT_TRUE(client_->put({key, value}));
  }

  std::string prefix_ = testing::new_prefix();
  EtcdSettings settings_;
  std::unique_ptr<EtcdClient> client_;
};

TEST_F(EtcdJournalTest, AFormerLeaderChangesNothing) {
  const auto a = candidate("a:1");
  const auto b = candidate("b:1");
  const Term first = elected(*a);
  const Journal old = open(first);
  ASSERT_TRUE(append(*old, 2));
  ASSERT_TRUE(a->resign());
  const Term second = elected(*b);
  EXPECT_GT(second.number, first.number);
  Status late = append(*old);
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().code, ErrorCode::kConflict);
  EXPECT_THAT(late.error().message, HasSubstr("does not lead any more"));
  EXPECT_THAT(late.error().message, HasSubstr("b:1 leads"));
  EXPECT_FALSE(old->save({2, "what it thinks"}).has_value());
  const Journal current = open(second);
  ASSERT_TRUE(append(*current, 3));
  EXPECT_FALSE(append(*old).has_value());
  EXPECT_EQ(replayed(*open())->size(), 2U);
  EXPECT_FALSE(open()->newest()->has_value());
}

// Nobody has written meanwhile, and the same process leads again: only the term tells.
TEST_F(EtcdJournalTest, AnEarlierTermOfTheSameLeaderChangesNothing) {
  const auto a = candidate("a:1");
  const auto b = candidate("b:1");
  const Term first = elected(*a);
  const Journal old = open(first);
  ASSERT_TRUE(append(*old));
  ASSERT_TRUE(a->resign());
  elected(*b);
  ASSERT_TRUE(b->resign());
  const Term third = elected(*a);
  EXPECT_GT(third.number, first.number);
  EXPECT_FALSE(append(*old).has_value());
  ASSERT_TRUE(append(*open(third)));
  EXPECT_FALSE(append(*old).has_value());
  EXPECT_EQ(replayed(*open())->size(), 2U);
}

// The public case 066: A begins a write in term 1 and stalls, B leads in term 2, A leads again in
// term 3, and only then the write arrives. Its sender leads, nobody has written meanwhile.
TEST_F(EtcdJournalTest, Case066AWriteOfTermOneThatArrivesInTermThreeIsRefused) {
  TcpProxy wire(settings_.endpoints.front());
  const auto a = candidate("a:1");
  const auto b = candidate("b:1");
  const Term first = elected(*a);
  const Journal stalled = opened({{wire.endpoint()}, std::nullopt, 200, 400}, prefix_, first);
  ASSERT_TRUE(append(*stalled, 2));
  wire.set(TcpProxy::Mode::kHoldRequests);
  const Status begun = append(*stalled, 3);
  ASSERT_FALSE(begun.has_value());
  EXPECT_EQ(begun.error().code, ErrorCode::kUnavailable);
  ASSERT_TRUE(a->resign());
  const Term second = elected(*b);
  ASSERT_TRUE(b->resign());
  const Term third = elected(*a);
  EXPECT_LT(first.number, second.number);
  EXPECT_LT(second.number, third.number);
  const Journal current = open(third);
  wire.set(TcpProxy::Mode::kPass);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // it arrives now
  EXPECT_EQ(open()->revision(), 2U) << "1 < 3";
  ASSERT_TRUE(append(*current, 4)) << "and nothing stands in the way of the present term";
  EXPECT_EQ(open()->revision(), 6U);
  EXPECT_FALSE(append(*stalled, 1).has_value());
  EXPECT_FALSE(stalled->save({2, "what it thinks"}).has_value());
}

TEST_F(EtcdJournalTest, ASecondWriterIsRefusedWithoutTerms) {
  const Journal one = open();
  const Journal other = open();
  ASSERT_TRUE(append(*one));
  const Status late = append(*other);
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().code, ErrorCode::kConflict);
  EXPECT_THAT(late.error().message, HasSubstr("another process writes it"));
  EXPECT_EQ(replayed(*one)->size(), 1U);
}

// The first attempt is carried out and its answer is lost; the second one goes another way.
TEST_F(EtcdJournalTest, AnAppendWhoseAnswerIsLostIsFoundOut) {
  TcpProxy wire(settings_.endpoints.front());
  EtcdSettings settings = settings_;
  settings.attempt_ms = 300;
  settings.endpoints.insert(settings.endpoints.begin(), wire.endpoint());
  const Journal journal = opened(settings, prefix_);
  ASSERT_TRUE(append(*journal, 2));
  wire.set(TcpProxy::Mode::kLoseAnswers);
  const auto begin = std::chrono::steady_clock::now();
  const Status appended = append(*journal, 3);
  ASSERT_TRUE(appended.has_value()) << appended.error().to_text();
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(300));
  EXPECT_EQ(client_->get(layout().head())->value().modified,
            client_->get(log_key(2))->value().created)
      << "it was carried out once";
  ASSERT_TRUE(append(*journal, 1));
  EXPECT_EQ(journal->revision(), 6U);
  EXPECT_EQ(replayed(*open())->size(), 3U);
}

// The first attempt arrives when the second one is done, and two more appends, too.
TEST_F(EtcdJournalTest, AnAppendThatArrivesLateChangesNothing) {
  TcpProxy wire(settings_.endpoints.front());
  EtcdSettings settings = settings_;
  settings.attempt_ms = 300;
  settings.endpoints.insert(settings.endpoints.begin(), wire.endpoint());
  const Journal journal = opened(settings, prefix_);
  ASSERT_TRUE(append(*journal, 2));
  wire.set(TcpProxy::Mode::kHoldRequests);
  ASSERT_TRUE(append(*journal, 3));
  ASSERT_TRUE(append(*journal, 4));
  wire.set(TcpProxy::Mode::kPass);
  ASSERT_TRUE(append(*journal, 5));
  const auto times = replayed(*open());
  ASSERT_TRUE(times.has_value()) << times.error().to_text();
  EXPECT_EQ(times->size(), 4U);
  EXPECT_EQ(open()->revision(), 14U);
}

TEST_F(EtcdJournalTest, NothingIsTakenAfterAnAppendOfWhichNobodyKnows) {
  TcpProxy wire(settings_.endpoints.front());
  const Journal journal = opened({{wire.endpoint()}, std::nullopt, 200, 400}, prefix_);
  ASSERT_TRUE(append(*journal, 2));
  wire.set(TcpProxy::Mode::kLoseAnswers);
  const Status unknown = append(*journal, 3);
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(unknown.error().message, HasSubstr("nobody knows whether the append took place"));
  wire.set(TcpProxy::Mode::kPass);
  wire.cut();
  EXPECT_THAT(append(*journal, 3).error().message, HasSubstr("it must be opened again"));
  EXPECT_EQ(open()->revision(), 5U) << "it did take place";
}

// More than one request of etcd takes, in one batch and in many.
TEST_F(EtcdJournalTest, ALargeAppendIsOne) {
  const Journal journal = open();
  ASSERT_TRUE(append(*journal, 2));
  std::vector<EventBatch> batches{large_batch(std::size_t{3} << 20), batch_of(9, 3)};
  for (std::uint64_t i = 10; i < 300; ++i) batches.push_back(batch_of(i, 1));
  ASSERT_TRUE(journal->append(2, batches));
  EXPECT_GE(count(Folder::kParts), 3U);
  EXPECT_EQ(count(Folder::kLog), 2U);
  ASSERT_TRUE(append(*journal, 1));
  const auto times = replayed(*open());
  ASSERT_TRUE(times.has_value()) << times.error().to_text();
  ASSERT_EQ(times->size(), 2 + batches.size());
  EXPECT_EQ((*times)[1], testing::times_of(batches[0]));
  // From inside what is one entry.
  const std::uint64_t inside = 2 + batches[0].size();
  EXPECT_EQ(replayed(*journal, inside)->size(), batches.size());
  EXPECT_EQ(replayed(*journal, inside + 1).error().code, ErrorCode::kConflict);
}

// Of a writer that did not come to an end.
TEST_F(EtcdJournalTest, PartsThatNothingNamesAreNoRecords) {
  const Journal journal = open();
  ASSERT_TRUE(append(*journal, 2));
  for (const Folder folder : {Folder::kParts, Folder::kSnapshotParts}) {
    const EtcdKeys keys = layout().parts(folder, 2, "of-somebody");
    ASSERT_TRUE(client_->put({EtcdLayout::part(keys, 0), "half of something"}));
  }
  EXPECT_EQ(replayed(*open())->size(), 1U);
  EXPECT_FALSE(open()->newest()->has_value());
  ASSERT_TRUE(append(*journal, 2));
  ASSERT_TRUE(journal->save({2, "two"}));
  ASSERT_TRUE(append(*journal, 1));
  for (const std::uint64_t revision : {4U, 5U}) ASSERT_TRUE(journal->save({revision, "more"}));
  ASSERT_TRUE(journal->compact());
  EXPECT_EQ(count(Folder::kParts), 0U);
  EXPECT_EQ(count(Folder::kSnapshotParts), 2U);
  EXPECT_EQ(replayed(*open(), 4)->size(), 1U);
}

TEST_F(EtcdJournalTest, CompactionKeepsTheEntryInWhichASnapshotIs) {
  const Journal journal = open();
  ASSERT_TRUE(append(*journal, 1));
  const std::vector<EventBatch> batches{batch_of(1, 2), batch_of(2, 3), batch_of(3, 4)};
  ASSERT_TRUE(journal->append(1, batches));
  ASSERT_TRUE(journal->save({3, "inside"}));
  ASSERT_TRUE(journal->save({10, "end"}));
  ASSERT_TRUE(journal->compact());
  EXPECT_EQ(count(Folder::kLog), 1U);
  EXPECT_EQ(replayed(*open(), 3)->size(), 2U);
  EXPECT_EQ(replayed(*open(), 0).error().code, ErrorCode::kCorrupt);
}

TEST_F(EtcdJournalTest, DamageIsRefusedWithItsPlace) {
  const Journal journal = open();
  for (const std::size_t events : {1U, 2U, 3U, 4U})
    ASSERT_TRUE(append(*journal, events));  // 0 1 3 6
  change(log_key(3), 12);
  auto times = replayed(*journal);
  ASSERT_FALSE(times.has_value());
  EXPECT_EQ(times.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(times.error().message, HasSubstr(prefix_ + " in etcd: the record at revision 3: "));
  change(log_key(3), 0);
  EXPECT_THAT(replayed(*journal).error().message, HasSubstr("the record at revision 3: "));
  ASSERT_TRUE(client_->erase(log_key(3), {}));
  EXPECT_THAT(replayed(*journal).error().message, HasSubstr("from revision 3 to 6 are missing"));
  ASSERT_TRUE(client_->erase(log_key(6), {}));
  EXPECT_THAT(replayed(*journal).error().message, HasSubstr("from revision 3 to 10 are missing"));
  change(layout().head(), 3);
  const auto head = EtcdJournal::open(settings_, prefix_, std::nullopt);
  ASSERT_FALSE(head.has_value());
  EXPECT_EQ(head.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(head.error().message, HasSubstr("its head: its checksum is wrong"));
}

TEST_F(EtcdJournalTest, DamagedPartsAreRefused) {
  const Journal journal = open();
  const EventBatch batch = large_batch(std::size_t{3} << 20);
  ASSERT_TRUE(journal->append(0, {&batch, 1}));
  ASSERT_TRUE(journal->save({journal->revision(), std::string(3'000'000, 'x')}));
  for (const Folder folder : {Folder::kParts, Folder::kSnapshotParts}) {
    const EtcdKeys keys = layout().all(folder);
    change(client_->range({keys.begin, keys.end})->entries[1].key, 99);
  }
  EXPECT_THAT(replayed(*journal).error().message,
              HasSubstr("the record at revision 0: its parts are not what was written"));
  const auto snapshot = journal->newest();
  ASSERT_FALSE(snapshot.has_value());
  EXPECT_EQ(snapshot.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(snapshot.error().message, HasSubstr("the snapshot of revision"));
}

TEST_F(EtcdJournalTest, WhatIsNoJournalIsRefusedAndLeftAlone) {
  const auto refusal = [&](const std::string& prefix) {
    const auto journal = EtcdJournal::open(settings_, prefix, std::nullopt);
    EXPECT_FALSE(journal.has_value());
    return journal ? Error{} : journal.error();
  };
  ASSERT_TRUE(client_->put({prefix_ + "/mine", "what"}));
  EXPECT_THAT(refusal(prefix_).message, HasSubstr("is no journal of Berth: it holds " + prefix_));
  EXPECT_FALSE((*client_->get(layout().format())).has_value());
  ASSERT_TRUE(client_->put({layout().format(), "2.1"}));
  EXPECT_THAT(refusal(prefix_).message, HasSubstr("is no journal of Berth"));
  ASSERT_TRUE(client_->put({layout().format(), "berth-journal/3"}));
  EXPECT_THAT(refusal(prefix_).message, HasSubstr("has format 3; this version of Berth reads 2"));
  for (const char* wrong : {"", "berth", "/", "/berth/", "/a//b"}) {
    EXPECT_EQ(refusal(wrong).field, "prefix") << wrong;
  }
}

// A server of its own, with little room.
class SmallEtcd : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::has_etcd()) GTEST_SKIP() << testing::kNoEtcd;
    testing::EtcdServer::Options small;
    small.quota_bytes = std::uint64_t{12} << 20;
    server_.emplace(small);
    journal_ = opened(server_->settings(), kPrefix);
    candidate_ = std::move(*EtcdLeadership::open(server_->settings(), kPrefix, {"a:1", 3'000}));
  }
  Status append_much() { return journal_->append(journal_->revision(), {&batch_, 1}); }
  Result<std::optional<control::Term>> campaign() { return candidate_->campaign({}); }

  static constexpr const char* kPrefix = "/berth/small";
  EventBatch batch_ = large_batch(900'000);
  std::optional<testing::EtcdServer> server_;
  Journal journal_;
  std::unique_ptr<EtcdLeadership> candidate_;
};

TEST_F(SmallEtcd, WhatSnapshotsMakeNeedlessGivesWayToWhatIsNew) {
  for (int i = 0; i < 30; ++i) {
    const Status appended = append_much();
    ASSERT_TRUE(appended.has_value()) << i << ": " << appended.error().to_text();
    const Status saved = journal_->save({journal_->revision(), "where it is"});
    ASSERT_TRUE(saved.has_value()) << i << ": " << saved.error().to_text();
  }
  auto elected = campaign();
  if (!elected) {  // it is just full
    ASSERT_EQ(elected.error().code, ErrorCode::kLimitExceeded);
    ASSERT_TRUE(journal_->compact());
    elected = campaign();
  }
  ASSERT_TRUE(elected.has_value()) << elected.error().to_text();
  EXPECT_TRUE(elected->has_value());
  const auto snapshot = journal_->newest();
  ASSERT_TRUE(snapshot.has_value() && snapshot->has_value());
  EXPECT_EQ((*snapshot)->revision, journal_->revision());
  EXPECT_TRUE(replayed(*journal_, (*snapshot)->revision).has_value());
}

TEST_F(SmallEtcd, AFullOneSaysSoAndGoesOnOnceThereIsRoom) {
  const auto client = std::move(*EtcdClient::open(server_->settings()));
  ASSERT_TRUE(append_much());
  Status junk;
  for (int i = 0; i < 40 && junk; ++i) {
    junk = client->put({"/junk/" + std::to_string(i), std::string(900'000, 'x')});
  }
  ASSERT_FALSE(junk.has_value()) << "the quota is not kept";
  const Status full = append_much();
  ASSERT_FALSE(full.has_value());
  EXPECT_EQ(full.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(full.error().message, HasSubstr("nothing was appended"));
  EXPECT_THAT(full.error().message, HasSubstr("its store is full (alarm NOSPACE)"));
  const auto standing = campaign();
  ASSERT_FALSE(standing.has_value());
  EXPECT_EQ(standing.error().code, ErrorCode::kLimitExceeded);
  EXPECT_THAT(standing.error().message, HasSubstr("compact the journal"));

  ASSERT_TRUE(client->erase("/junk/", "/junk0"));
  const Status appended = append_much();
  ASSERT_TRUE(appended.has_value()) << appended.error().to_text();
  EXPECT_TRUE(campaign().value().has_value()) << "the alarm is withdrawn";
  EXPECT_TRUE(replayed(*journal_).has_value());
}

}  // namespace
}  // namespace berth::journal
