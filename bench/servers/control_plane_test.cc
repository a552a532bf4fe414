#include "bench/servers/control_plane.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "bench/servers/process_use.h"
#include "cli/remote/table.h"

namespace berth::bench {
namespace {

TEST(ControlPlane, AServerThatIsKilledComesBackWithItsJournal) {
  const auto plane = ControlPlane::start({BackEnd::kSqlite, "dev"});
  ASSERT_TRUE(plane) << plane.error().to_text();
  auto client = (*plane)->client(0);
  const auto before = client.get("/v1/cluster");
  ASSERT_TRUE(before);
  (*plane)->kill(0);
  (*plane)->start_again(0);
  ASSERT_TRUE((*plane)->leader());
  const auto after = client.get("/v1/cluster");
  ASSERT_TRUE(after);
  EXPECT_GE(cli::number_of(*after, "revision"), cli::number_of(*before, "revision"));
}

TEST(ProcessUse, OfThisProcessAndOfNone) {
  volatile std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < 200'000'000; ++i) sum = sum + i;
  EXPECT_GT(cpu_seconds({::getpid()}), 0.02);
  EXPECT_GT(peak_bytes(::getpid()), 1'000'000);
  EXPECT_EQ(peak_bytes(-1), 0);
  EXPECT_EQ(cpu_seconds({-1}), 0);
}

}  // namespace
}  // namespace berth::bench
