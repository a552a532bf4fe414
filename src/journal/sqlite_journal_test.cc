// What can happen to a journal on a disk: the program is killed, the disk is full, bytes are lost
// or changed, the file is something else.
#include "journal/sqlite_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "base/rng.h"
#include "journal/journal_testing.h"

namespace berth::journal {
namespace {

using testing::batch_of;
using ::testing::HasSubstr;
using testing::replayed;

std::unique_ptr<SqliteJournal> opened(const std::string& path) {
  auto journal = SqliteJournal::open(path);
  EXPECT_TRUE(journal.has_value()) << journal.error().to_text();
  return journal ? std::move(*journal) : nullptr;
}

Error refusal(const std::string& path) {
  const auto journal = SqliteJournal::open(path);
  EXPECT_FALSE(journal.has_value());
  return journal ? Error{} : journal.error();
}

// Appends batches of 1 to 5 events, `calls` times.
void fill(SqliteJournal& journal, std::uint64_t calls) {
  for (std::uint64_t i = 0; i < calls; ++i) {
    const EventBatch batch = batch_of(journal.revision(), 1 + i % 5);
    ASSERT_TRUE(journal.append(journal.revision(), {&batch, 1}));
  }
}

// Says after each call which revision is durable, until it is killed.
[[noreturn]] void append_for_ever(const std::string& path, int told) {
  auto journal = SqliteJournal::open(path);
  if (!journal) _exit(1);
  for (;;) {
    std::vector<EventBatch> batches;
    for (std::uint64_t b = 0; b < 3; ++b) {
      batches.push_back(batch_of((*journal)->revision() + b, 1 + b));
    }
    if (!(*journal)->append((*journal)->revision(), batches)) _exit(2);
    const std::uint64_t revision = (*journal)->revision();
    if (write(told, &revision, sizeof revision) != sizeof revision) _exit(3);
  }
}

TEST(SqliteJournal, WhatWasSaidToBeDurableSurvivesAKill) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("journal");
  std::uint64_t durable = 0;
  Rng rng(1);
  for (int round = 0; round < 12; ++round) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const pid_t child = fork();
    if (child == 0) append_for_ever(path, pipe_ends[1]);
    close(pipe_ends[1]);
    for (std::uint64_t told = 1 + rng.below(40); told > 0; --told) {
      ASSERT_EQ(read(pipe_ends[0], &durable, sizeof durable), ssize_t{sizeof durable});
    }
    kill(child, SIGKILL);
    while (read(pipe_ends[0], &durable, sizeof durable) == ssize_t{sizeof durable}) {
    }
    close(pipe_ends[0]);
    waitpid(child, nullptr, 0);
    const auto journal = opened(path);
    ASSERT_NE(journal, nullptr);
    EXPECT_GE(journal->revision(), durable);
    EXPECT_EQ(journal->revision() % 6, 0U) << "a call is there as a whole or not at all";
    EXPECT_TRUE(replayed(*journal).has_value());
  }
}

// A write that was cut off anywhere is undone, and the calls before it stay.
TEST(SqliteJournal, ATornTailIsCut) {
  const testing::TemporaryFolder folder;
  const auto journal = opened(folder.file("journal"));
  fill(*journal, 20);
  const auto log = std::filesystem::file_size(folder.file("journal-wal"));
  std::uint64_t last = 0;
  for (std::uintmax_t cut = 0; cut <= log; cut += 997) {
    const std::string copy = folder.file("copy");
    std::filesystem::remove(copy + "-shm");
    std::filesystem::copy_file(folder.file("journal"), copy,
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::copy_file(folder.file("journal-wal"), copy + "-wal",
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(copy + "-wal", cut);
    const auto torn = opened(copy);
    ASSERT_NE(torn, nullptr);
    EXPECT_EQ(torn->had_tail(), cut > 0) << "for a warning";
    EXPECT_GE(torn->revision(), last);
    last = torn->revision();
    EXPECT_TRUE(replayed(*torn).has_value());
    fill(*torn, 1);
  }
  EXPECT_GT(last, 0U);
}

TEST(SqliteJournal, AFullDiskLosesNothing) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("journal");
  const auto journal = opened(path);
  fill(*journal, 10);
  const std::uint64_t before = journal->revision();
  ASSERT_TRUE(journal->limit_pages(1));  // raised by SQLite to what there is
  const EventBatch large = batch_of(before, 100'000);
  const Status status = journal->append(before, {&large, 1});
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(status.error().message, HasSubstr("the disk is full"));
  EXPECT_EQ(journal->revision(), before);
  EXPECT_EQ(replayed(*journal)->size(), 10U);
  ASSERT_TRUE(journal->limit_pages(1'000'000));
  EXPECT_TRUE(journal->append(before, {&large, 1}));
  EXPECT_EQ(replayed(*journal)->size(), 11U);
}

// Of the file with its log, after so many rounds of work, each with a snapshot as large as the
// last.
std::uintmax_t size_after(const testing::TemporaryFolder& folder, SqliteJournal& journal,
                          int rounds) {
  for (int round = 0; round < rounds; ++round) {
    const std::vector<EventBatch> batches(300, batch_of(journal.revision(), 3));
    EXPECT_TRUE(journal.append(journal.revision(), batches));
    EXPECT_TRUE(journal.save({journal.revision(), std::string(50'000, 'x')}));
    EXPECT_TRUE(journal.compact());
  }
  return std::filesystem::file_size(folder.file("journal")) +
         std::filesystem::file_size(folder.file("journal-wal"));
}

// The public case 064: what is compacted makes room for what comes.
TEST(Case064, AFileThatIsCompactedGrowsNoMoreHoweverMuchWasWritten) {
  const testing::TemporaryFolder folder;
  const auto journal = opened(folder.file("journal"));
  // SQLite's log is reused once it has 1,000 pages.
  const std::uintmax_t early = size_after(folder, *journal, 60);
  EXPECT_LE(size_after(folder, *journal, 540), early * 105 / 100);
  EXPECT_EQ(replayed(*journal, journal->revision())->size(), 0U);
}

// One file changed behind the journal's back.
void change(const std::string& path, const std::string& sql) {
  auto file = SqliteFile::open(path);
  ASSERT_TRUE(file.has_value()) << file.error().to_text();
  const Status changed = file->run(sql);
  ASSERT_TRUE(changed.has_value()) << changed.error().to_text();
}

TEST(SqliteJournal, DamageIsRefusedWithItsPlace) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("journal");
  fill(*opened(path), 10);  // revisions 0 1 3 6 10 15 16 ...
  change(path,
         "UPDATE records SET record = substr(record, 1, 9) || x'ff' || substr(record, 11)"
         " WHERE revision = 3");
  auto times = replayed(*opened(path));
  ASSERT_FALSE(times.has_value());
  EXPECT_EQ(times.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(times.error().message, HasSubstr(path + ": the record at revision 3: "));
  change(path, "DELETE FROM records WHERE revision = 3");
  times = replayed(*opened(path));
  ASSERT_FALSE(times.has_value());
  EXPECT_THAT(times.error().message, HasSubstr("from revision 3 to 6 are missing"));
  change(path,
         "UPDATE records SET record = x'00' WHERE revision = (SELECT max(revision) FROM records)");
  EXPECT_EQ(refusal(path).code, ErrorCode::kCorrupt);
}

std::uint64_t snapshots_in(const std::string& path) {
  const auto file = SqliteFile::open(path);
  EXPECT_TRUE(file.has_value());
  return file->number("SELECT count(*) FROM snapshots").value_or(0);
}

constexpr int kHistoryHours = 24;

// An hour of a server that takes a snapshot in each, and what is there of the history then.
void pass_hour(const std::string& path, int hour) {
  const auto journal = opened(path);
  journal->keep_history(kHistoryHours * kHourMs);
  fill(*journal, 3);
  ASSERT_TRUE(journal->save({journal->revision(), std::to_string(hour), hour * kHourMs}));
  ASSERT_TRUE(journal->compact());
  const auto oldest = journal->oldest();
  ASSERT_TRUE(oldest.has_value());
  const int begins = oldest->has_value() ? std::stoi((*oldest)->bytes) : 0;
  EXPECT_LE(begins, std::max(hour - kHistoryHours, 0));
  EXPECT_GE(begins, hour - kHistoryHours - 3);
  EXPECT_TRUE(replayed(*journal, oldest->has_value() ? (*oldest)->revision : 0).has_value());
  const auto newest = journal->newest();
  ASSERT_TRUE(newest.has_value() && newest->has_value());
  EXPECT_EQ((*newest)->bytes, std::to_string(hour));
}

TEST(SqliteJournal, AHistoryIsKeptBesideWhatAStartNeeds) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("journal");
  for (int hour = 0; hour <= 100; ++hour) {
    pass_hour(path, hour);
    EXPECT_LE(snapshots_in(path), 12U) << "eight on the way, and those to start from";
  }
  ASSERT_TRUE(opened(path)->compact()) << "none is wanted any more";
  EXPECT_EQ(snapshots_in(path), control::kSnapshotsKept);
}

TEST(SqliteJournal, IsReadWithoutBeingTouched) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("a journal?#100%");
  {
    const auto journal = opened(path);
    fill(*journal, 3);
    ASSERT_TRUE(journal->save({6, "what was"}));
    const auto used = SqliteJournal::open_to_read(path);
    ASSERT_FALSE(used.has_value());
    EXPECT_THAT(used.error().message, HasSubstr("a server uses it, or was killed"));
  }
  std::filesystem::permissions(path, std::filesystem::perms::owner_read);
  const auto before = std::filesystem::last_write_time(path);
  {
    const auto journal = SqliteJournal::open_to_read(path);
    ASSERT_TRUE(journal.has_value()) << journal.error().to_text();
    EXPECT_EQ(replayed(**journal)->size(), 3U);
    EXPECT_EQ((*journal)->newest().value()->bytes, "what was");
    EXPECT_FALSE((*journal)->compact().has_value());
  }
  EXPECT_EQ(std::filesystem::last_write_time(path), before);
  namespace fs = std::filesystem;
  EXPECT_EQ(std::distance(fs::directory_iterator(fs::path(path).parent_path()), {}), 1);
  const std::string empty = folder.file("empty");
  std::ofstream(empty).flush();
  EXPECT_EQ(SqliteJournal::open_to_read(empty).error().code, ErrorCode::kInvalid);
  EXPECT_EQ(std::filesystem::file_size(empty), 0U);
  EXPECT_FALSE(SqliteJournal::open_to_read(folder.file("none")).has_value());
}

TEST(SqliteJournal, ADamagedSnapshotIsRefused) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("journal");
  fill(*opened(path), 3);
  ASSERT_TRUE(opened(path)->save({6, "what was"}));
  change(path, "UPDATE parts SET bytes = CAST('what is!' AS BLOB)");
  const auto snapshot = opened(path)->newest();
  ASSERT_FALSE(snapshot.has_value());
  EXPECT_EQ(snapshot.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(snapshot.error().message, HasSubstr("the snapshot of revision 6"));
}

TEST(SqliteJournal, WhatIsNoJournalIsRefusedAndLeftAlone) {
  const testing::TemporaryFolder folder;
  const std::string text = folder.file("text");
  std::ofstream(text) << std::string(5'000, 'x');
  EXPECT_THAT(refusal(text).message, HasSubstr("is not a journal"));
  EXPECT_EQ(std::filesystem::file_size(text), 5'000U);
  const std::string other = folder.file("other");
  change(other, "CREATE TABLE mine (what)");
  EXPECT_THAT(refusal(other).message, HasSubstr("no journal of Berth"));
  const std::string newer = folder.file("newer");
  fill(*opened(newer), 1);
  change(newer, "PRAGMA user_version=3");
  EXPECT_THAT(refusal(newer).message, HasSubstr("has format 3; this version of Berth reads 2"));
  EXPECT_THAT(refusal(folder.file("no/such/folder")).message, HasSubstr("unable to open"));
}

TEST(SqliteJournal, OneProcessAtATime) {
  const testing::TemporaryFolder folder;
  const auto journal = opened(folder.file("journal"));
  const Error error = refusal(folder.file("journal"));
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_THAT(error.message, HasSubstr("another process uses it"));
}

}  // namespace
}  // namespace berth::journal
