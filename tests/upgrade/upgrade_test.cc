// What older programs left is read by this one: states of format 6, which had no tokens, and of
// format 7, and a journal of format 7 with its snapshot. A format that changes gets files here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "codec/file.h"
#include "control/controller.h"
#include "control/learner.h"
#include "control/testing.h"
#include "engine/state/cluster_state.h"
#include "engine/state/invariants.h"
#include "journal/journal_testing.h"
#include "journal/sqlite_journal.h"
#include "model/format.h"

namespace berth {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const fs::path kHere = fs::path(BERTH_SOURCE_DIR) / "tests/upgrade";

std::string bytes_of(const fs::path& path) {
  auto bytes = codec::read_file(path.string());
  EXPECT_TRUE(bytes) << path;
  return bytes ? std::move(*bytes) : "";
}

std::vector<std::string> job_names(const engine::ClusterState& state) {
  std::vector<std::string> names;
  for (const JobId id : state.jobs().sorted_ids()) names.push_back(state.find_job(id)->name);
  return names;
}

// The same states are among the inputs of the fuzzer, in the present format.
class UpgradeOf : public ::testing::TestWithParam<char> {};

TEST_P(UpgradeOf, StatesAreThoseOfToday) {
  std::size_t count = 0;
  const std::string folder = "format-" + std::to_string(GetParam());
  for (const auto& entry : fs::directory_iterator(kHere / folder)) {
    const std::string before = bytes_of(entry.path());
    ASSERT_EQ(before.front(), GetParam()) << entry.path();
    const auto state = engine::ClusterState::load(before);
    ASSERT_TRUE(state) << entry.path() << ": " << state.error().to_text();
    if (GetParam() == 6) {
      EXPECT_TRUE(state->ledger().tokens.empty());
      EXPECT_TRUE(state->policies().trials().empty());
    }
    EXPECT_THAT(engine::broken_invariants(*state), IsEmpty());
    const auto today = engine::ClusterState::load(
        bytes_of(fs::path(BERTH_SOURCE_DIR) / "tests/fuzz/corpus/state" / entry.path().filename()));
    ASSERT_TRUE(today) << entry.path();
    EXPECT_EQ(job_names(*state), job_names(*today)) << entry.path();
    EXPECT_EQ(state->leases().size(), today->leases().size()) << entry.path();
    EXPECT_EQ(state->revision(), today->revision()) << entry.path();
    const auto again = engine::ClusterState::load(state->save());
    ASSERT_TRUE(again) << entry.path();
    EXPECT_EQ(again->save(), state->save()) << "written in the present format";
    ++count;
  }
  EXPECT_EQ(count, 9U);
}

INSTANTIATE_TEST_SUITE_P(Formats, UpgradeOf, ::testing::Values(6, 7));

TEST(Upgrade, OtherFormatsAreNamedWithThoseThatAreRead) {
  std::string newer = bytes_of(kHere / "format-6/empty.bin");
  newer.front() = static_cast<char>(kFormat + 1);
  const auto refused = engine::ClusterState::load(newer);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalid);
  EXPECT_THAT(refused.error().message,
              HasSubstr("has format 9; this version of Berth reads 6 to 8"));
  newer.front() = static_cast<char>(kOldestFormat - 1);
  EXPECT_THAT(engine::ClusterState::load(newer).error().message, HasSubstr("has format 5"));
  EXPECT_EQ(engine::ClusterState::load("").error().code, ErrorCode::kCorrupt);
}

// A server's journal: `berth server --dev --jobs` for some minutes of its time, with snapshots.
TEST(Upgrade, AJournalOfFormat7IsGoneOnWith) {
  const journal::testing::TemporaryFolder folder;
  fs::copy_file(kHere / "journal-7.sqlite", folder.file("journal.sqlite"));
  auto journal = journal::SqliteJournal::open(folder.file("journal.sqlite"));
  ASSERT_TRUE(journal) << journal.error().to_text();
  const auto snapshot = (*journal)->newest();
  ASSERT_TRUE(snapshot && *snapshot) << "the fixture has one";
  ASSERT_LT((*snapshot)->revision, (*journal)->revision()) << "and events after it";

  control::testing::ManualClock clock;
  control::testing::RecordingExecutor executor;
  control::testing::CountingMetrics metrics;
  control::FitLearner learner;
  control::Controller controller({**journal, executor, clock, metrics, learner, journal->get()},
                                 control::ControllerOptions{});
  ASSERT_TRUE(controller.recover());
  const engine::ClusterState& state = controller.state();
  EXPECT_EQ(state.revision(), (*journal)->revision());
  EXPECT_THAT(engine::broken_invariants(state), IsEmpty());
  EXPECT_EQ(state.nodes().size(), 10U);
  EXPECT_GT(state.leases().size(), 0U);
  EXPECT_EQ(state.ledger().tokens.size(), 1U);

  clock.set(state.now() + kSecondMs);
  ASSERT_TRUE(controller.execute(
      {SetNodeCondition{state.nodes().front().spec->name, NodeCondition::kCordoned}, {}, "test"}));
  EXPECT_EQ((*journal)->revision(), state.revision()) << "what is new follows what was there";
  ASSERT_TRUE(controller.save_snapshot());
}

}  // namespace
}  // namespace berth
