// What every journal must do, asked of each back end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "journal/etcd_journal.h"
#include "journal/etcd_testing.h"
#include "journal/journal_testing.h"
#include "journal/memory_journal.h"
#include "journal/sqlite_journal.h"

namespace berth::journal {
namespace {

using control::Snapshot;
using testing::batch_of;
using testing::replayed;
using testing::Times;
using testing::times_of;

// A back end with one journal in it.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual control::Journal& journal() = 0;
  virtual control::Snapshots& snapshots() = 0;
  // As a program finds it that starts again.
  virtual void reopen() = 0;
};

class InMemory final : public Backend {
 public:
  control::Journal& journal() override { return journal_; }
  control::Snapshots& snapshots() override { return journal_; }
  void reopen() override {}

 private:
  MemoryJournal journal_;
};

class InSqlite final : public Backend {
 public:
  InSqlite() { reopen(); }
  control::Journal& journal() override { return *journal_; }
  control::Snapshots& snapshots() override { return *journal_; }
  void reopen() override {
    journal_.reset();
    auto opened = SqliteJournal::open(folder_.file("journal"));
    ASSERT_TRUE(opened.has_value()) << opened.error().to_text();
    journal_ = std::move(*opened);
  }

 private:
  testing::TemporaryFolder folder_;
  std::unique_ptr<SqliteJournal> journal_;
};

// One server for all tests, with a prefix for each.
class InEtcd final : public Backend {
 public:
  InEtcd() { reopen(); }
  control::Journal& journal() override { return *journal_; }
  control::Snapshots& snapshots() override { return *journal_; }
  void reopen() override {
    auto opened = EtcdJournal::open(testing::shared_etcd().settings(), prefix_, std::nullopt);
    ASSERT_TRUE(opened.has_value()) << opened.error().to_text();
    journal_ = std::move(*opened);
  }

 private:
  std::string prefix_ = testing::new_prefix();
  std::unique_ptr<EtcdJournal> journal_;
};

struct Kind {
  std::string name;
  std::unique_ptr<Backend> (*make)();
};

template <typename Made>
std::unique_ptr<Backend> make() {
  return std::make_unique<Made>();
}

class JournalConformance : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (GetParam().name == "etcd" && !testing::has_etcd()) GTEST_SKIP() << testing::kNoEtcd;
    backend_ = GetParam().make();
  }

  control::Journal& journal() { return backend_->journal(); }
  control::Snapshots& snapshots() { return backend_->snapshots(); }
  void reopen() { backend_->reopen(); }

  // Appends batches of the given sizes in one call.
  Status append(std::initializer_list<std::size_t> sizes) {
    std::vector<EventBatch> batches;
    Times times;
    std::uint64_t events = 0;
    for (const std::size_t size : sizes) {
      batches.push_back(batch_of(++number_, size));
      times.push_back(times_of(batches.back()));
      events += size;
    }
    Status status = journal().append(revision_, batches);
    if (!status) return status;
    revision_ += events;
    kept_.insert(kept_.end(), times.begin(), times.end());
    return {};
  }
  void expect_kept(std::uint64_t after = 0, std::size_t without = 0) {
    const auto times = replayed(journal(), after);
    ASSERT_TRUE(times.has_value()) << times.error().to_text();
    EXPECT_EQ(*times, Times(kept_.begin() + static_cast<std::ptrdiff_t>(without), kept_.end()));
  }

  std::uint64_t revision_ = 0;

 private:
  std::unique_ptr<Backend> backend_;
  std::uint64_t number_ = 0;
  Times kept_;  // all that was appended
};

TEST_P(JournalConformance, ANewOneHoldsNothing) {
  expect_kept();
  const auto snapshot = snapshots().newest();
  ASSERT_TRUE(snapshot.has_value());
  EXPECT_FALSE(snapshot->has_value());
  EXPECT_TRUE(snapshots().compact().has_value());
  reopen();
  expect_kept();
}

TEST_P(JournalConformance, GivesBackWhatWasAppended) {
  ASSERT_TRUE(append({1}));
  ASSERT_TRUE(append({3, 1, 500}));
  ASSERT_TRUE(append({2}));
  expect_kept();
  reopen();
  expect_kept();
  ASSERT_TRUE(append({4, 4}));
  expect_kept();
  reopen();
  expect_kept();
}

TEST_P(JournalConformance, RefusesABatchThatDoesNotFollow) {
  ASSERT_TRUE(append({2}));
  const EventBatch batch = batch_of(9, 1);
  for (const std::uint64_t wrong : {0, 1, 3}) {
    const Status status = journal().append(wrong, {&batch, 1});
    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(status.error().code, ErrorCode::kConflict);
  }
  expect_kept();
  ASSERT_TRUE(append({1}));
  expect_kept();
}

TEST_P(JournalConformance, AReaderMayStop) {
  ASSERT_TRUE(append({1, 1, 1}));
  int seen = 0;
  const Status status = journal().replay(0, [&](const EventBatch&) -> Status {
    if (++seen == 2) return fail(ErrorCode::kInvalid, "enough");
    return {};
  });
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().message, "enough");
  EXPECT_EQ(seen, 2);
}

TEST_P(JournalConformance, GoesOnFromASnapshot) {
  ASSERT_TRUE(append({2, 3}));
  ASSERT_TRUE(snapshots().save({2, "early"}));
  ASSERT_TRUE(snapshots().save({5, "late"}));
  ASSERT_TRUE(append({4}));
  for (int life = 0; life < 2; ++life) {
    const auto snapshot = snapshots().newest();
    ASSERT_TRUE(snapshot.has_value());
    ASSERT_TRUE(snapshot->has_value());
    EXPECT_EQ((*snapshot)->revision, 5U);
    EXPECT_EQ((*snapshot)->bytes, "late");
    expect_kept(5, 2);
    reopen();
  }
}

TEST_P(JournalConformance, CompactionKeepsWhatTwoSnapshotsNeed) {
  ASSERT_TRUE(append({2, 3}));
  ASSERT_TRUE(snapshots().save({2, "first"}));
  ASSERT_TRUE(snapshots().compact());
  expect_kept();  // one alone is not enough to forget anything
  ASSERT_TRUE(snapshots().save({5, "second"}));
  ASSERT_TRUE(append({4}));
  ASSERT_TRUE(snapshots().save({9, "third"}));
  ASSERT_TRUE(snapshots().compact());
  for (int life = 0; life < 2; ++life) {
    expect_kept(5, 2);
    expect_kept(9, 3);
    const auto all = replayed(journal());
    ASSERT_FALSE(all.has_value());
    EXPECT_EQ(all.error().code, ErrorCode::kCorrupt);
    EXPECT_THAT(all.error().message, ::testing::HasSubstr("from revision 0 to 5 are missing"));
    reopen();
  }
  ASSERT_TRUE(append({1}));
  expect_kept(9, 3);
}

// Where all records are in the snapshots the journal still knows where it is.
TEST_P(JournalConformance, GoesOnAfterAllRecordsAreForgotten) {
  ASSERT_TRUE(append({2}));
  ASSERT_TRUE(append({3}));
  ASSERT_TRUE(snapshots().save({2, "first"}));
  ASSERT_TRUE(snapshots().save({5, "second"}));
  ASSERT_TRUE(snapshots().compact());
  reopen();
  ASSERT_TRUE(append({1}));
  expect_kept(5, 2);
}

TEST_P(JournalConformance, RefusesASnapshotOfWhatIsNotThere) {
  ASSERT_TRUE(append({2}));
  const Status status = snapshots().save({3, "tomorrow"});
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, ErrorCode::kConflict);
}

TEST_P(JournalConformance, KeepsALargeSnapshotWhole) {
  ASSERT_TRUE(append({1}));
  std::string bytes(std::size_t{40} << 20, 'x');
  for (std::size_t i = 0; i < bytes.size(); i += 4'097) bytes[i] = static_cast<char>(i % 251);
  ASSERT_TRUE(snapshots().save({1, bytes}));
  reopen();
  const auto snapshot = snapshots().newest();
  ASSERT_TRUE(snapshot.has_value());
  ASSERT_TRUE(snapshot->has_value());
  EXPECT_TRUE((*snapshot)->bytes == bytes);
}

INSTANTIATE_TEST_SUITE_P(Backends, JournalConformance,
                         ::testing::Values(Kind{"memory", make<InMemory>},
                                           Kind{"sqlite", make<InSqlite>},
                                           Kind{"etcd", make<InEtcd>}),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace berth::journal
