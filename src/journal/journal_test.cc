#include <gtest/gtest.h>

#include "control/controller.h"
#include "control/testing.h"
#include "journal/memory_journal.h"
#include "journal/record.h"
#include "model/testing.h"

namespace berth::journal {
namespace {

namespace t = berth::testing;

// A short history through a controller: declarations, a gang that runs, a job that waits.
class History {
 public:
  History() : controller({journal, executor, clock, metrics, learner}, {}) {
    run({DeclareModel{t::grid_model("grid")}, {}, {}});
    run({DeclareQueue{t::queue("q")}, {}, {}});
    run({JoinNode{t::mig_node("n0", "grid", 2)}, {}, {}});
    run(t::submit("slice", t::job("q", t::mig("3g.40gb"))));
    run(t::submit("gang", t::job("q", t::whole(1), 2)));
    EXPECT_TRUE(controller.run_cycle());
    run({ReportPrepared{LeaseId(1), 1}, {}, {}});
    clock.set(1000);
    run({ReportEnded{LeaseId(1), 1, EndReason::kSucceeded}, {}, {}});
    EXPECT_TRUE(controller.run_cycle());
  }

  void run(const Command& command) {
    const auto reply = controller.execute(command);
    EXPECT_TRUE(reply.has_value()) << reply.error().to_text();
  }

  MemoryJournal journal;
  control::testing::ManualClock clock;
  control::testing::RecordingExecutor executor;
  control::testing::CountingMetrics metrics;
  control::testing::NoLearner learner;
  control::Controller controller;
};

std::uint64_t replayed_hash(const MemoryJournal& journal) {
  engine::ClusterState state;
  const Status status = journal.replay(0, [&](const EventBatch& events) -> Status {
    for (const Event& event : events) state.apply(event);
    return {};
  });
  EXPECT_TRUE(status.has_value());
  return state.hash();
}

TEST(MemoryJournal, ReplayGivesTheSameState) {
  History history;
  EXPECT_EQ(replayed_hash(history.journal), history.controller.state().hash());
  auto reopened = MemoryJournal::open(history.journal.bytes());
  ASSERT_TRUE(reopened);
  EXPECT_EQ(reopened->revision(), history.controller.state().revision());
  EXPECT_EQ(replayed_hash(*reopened), history.controller.state().hash());
}

TEST(MemoryJournal, ATornTailIsCutAtEveryByte) {
  History history;
  const std::string& bytes = history.journal.bytes();
  std::uint64_t last = 0;
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    auto journal = MemoryJournal::open(bytes.substr(0, cut));
    ASSERT_TRUE(journal) << "cut at " << cut << ": " << journal.error().to_text();
    EXPECT_GE(journal->revision(), last) << "whole records before the cut stay";
    last = journal->revision();
    EXPECT_EQ(journal->bytes().size() + journal->torn_bytes(), cut);
  }
  EXPECT_EQ(last, history.controller.state().revision());
}

TEST(MemoryJournal, DamageInTheMiddleIsRefusedWithItsPlace) {
  History history;
  std::string bytes = history.journal.bytes();
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x40);
  const auto journal = MemoryJournal::open(bytes);
  ASSERT_FALSE(journal);
  EXPECT_EQ(journal.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(journal.error().message.find("at byte"), std::string::npos);
}

TEST(MemoryJournal, AMissingRecordIsRefused) {
  History history;
  const std::string& bytes = history.journal.bytes();
  const auto first = read_record(bytes);
  ASSERT_TRUE(first);
  const auto journal = MemoryJournal::open(bytes.substr(first->bytes));
  ASSERT_FALSE(journal);
  EXPECT_EQ(journal.error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace berth::journal
