#include "journal/aside_snapshots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

namespace berth::journal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Saves when it is let.
class SlowSnapshots final : public control::Snapshots {
 public:
  Status save(const control::Snapshot& snapshot) override {
    saves.push_back(snapshot.revision);
    begun.set_value();
    let.get_future().wait();
    return {};
  }
  Result<std::optional<control::Snapshot>> newest() const override {
    return control::Snapshot{7, "seven"};
  }
  Status compact() override {
    ++compactions;
    return fail(ErrorCode::kUnavailable, "a member does not answer");
  }
  std::vector<std::uint64_t> saves;
  int compactions = 0;
  std::promise<void> begun;
  std::promise<void> let;
};

TEST(AsideSnapshots, NobodyWaitsAndWhatFailsIsTold) {
  SlowSnapshots slow;
  std::vector<std::string> troubles;
  {
    AsideSnapshots aside(slow, [&](const Error& error) { troubles.push_back(error.message); });
    ASSERT_TRUE(aside.save({5, "five"}));
    slow.begun.get_future().wait();
    const Status second = aside.save({6, "six"});
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(second.error().message, HasSubstr("revision 5 is still being saved"));
    EXPECT_TRUE(aside.compact()) << "it comes by itself";
    EXPECT_EQ(aside.newest().value()->revision, 7U);
    slow.let.set_value();
  }
  EXPECT_THAT(slow.saves, ElementsAre(5));
  EXPECT_EQ(slow.compactions, 1);
  EXPECT_THAT(troubles, ElementsAre("a member does not answer"));
}

TEST(AsideSnapshots, EndsWithoutAny) {
  SlowSnapshots slow;
  {
    const AsideSnapshots aside(slow, [](const Error& /*error*/) {});
  }
  EXPECT_TRUE(slow.saves.empty());
}

}  // namespace
}  // namespace berth::journal
