#include "sim/event_queue.h"

#include <gtest/gtest.h>

#include "sim/job_source.h"

namespace berth::sim {
namespace {

TEST(EventQueue, GivesTheEarliestFirstAndKeepsTheOrderOfAnInstant) {
  EventQueue<int> queue;
  EXPECT_EQ(queue.next_at(), kNever);
  queue.push(20, 1);
  queue.push(10, 2);
  queue.push(20, 3);
  queue.push(10, 4);
  std::vector<int> order;
  while (!queue.empty()) order.push_back(queue.pop());
  EXPECT_EQ(order, (std::vector<int>{2, 4, 1, 3}));
}

TEST(MergedJobs, ComeByTimeAndFromTheEarlierSourceOnATie) {
  std::vector<std::unique_ptr<JobSource>> sources;
  sources.push_back(std::make_unique<ListedJobs>(
      std::vector<SimJob>{{30, "a3", nullptr, 0}, {10, "a1", nullptr, 0}}));
  sources.push_back(std::make_unique<ListedJobs>(
      std::vector<SimJob>{{10, "b1", nullptr, 0}, {20, "b2", nullptr, 0}}));
  MergedJobs merged(std::move(sources));
  std::string names;
  while (auto job = merged.next()) names += job->name + " ";
  EXPECT_EQ(names, "a1 b1 b2 a3 ");
}

}  // namespace
}  // namespace berth::sim
