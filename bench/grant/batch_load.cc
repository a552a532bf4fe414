#include "bench/grant/batch_load.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "cli/remote/table.h"

namespace berth::bench::grant {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSubmitters = 8;
constexpr auto kPatience = std::chrono::minutes(5);
constexpr auto kPause = std::chrono::milliseconds(250);
// Of the jobs' run times, drawn evenly, so that a steady stream of them ends.
constexpr std::uint64_t kLeastSeconds = 5;
constexpr std::uint64_t kSpreadSeconds = 300;
constexpr std::uint64_t kStride = 127;  // a prime: times of one job and the next lie apart

std::string job_text(std::uint64_t number) {
  const std::uint64_t seconds = kLeastSeconds + number * kStride % kSpreadSeconds;
  return R"({"name":"batch-)" + std::to_string(number) + R"(","queue":"batch","run_time":")" +
         std::to_string(seconds) + R"(s","roles":[{"containers":[{"devices":{"count":)" +
         std::to_string(kCardsPerNode) + "}}]}]}";
}

}  // namespace

Result<Jobs> jobs_at(cli::Client& client) {
  const auto cluster = client.get("/v1/cluster");
  if (!cluster) return tl::unexpected(cluster.error());
  return Jobs{static_cast<std::size_t>(cli::number_of(*cluster, "running")),
              static_cast<std::size_t>(cli::number_of(*cluster, "waiting"))};
}

BatchLoad::~BatchLoad() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

Status BatchLoad::fill() {
  if (auto s = submit(size_.batch_nodes() + size_.queued); !s) return s;
  auto client = plane_.client(server_);
  const std::size_t wanted = size_.batch_nodes() * 95 / 100;
  const auto until = Clock::now() + kPatience;
  while (Clock::now() < until) {
    const auto jobs = jobs_at(client);
    if (!jobs) return tl::unexpected(jobs.error());
    if (jobs->running >= wanted) return {};
    std::this_thread::sleep_for(kPause);
  }
  return fail(ErrorCode::kUnavailable, "the fleet is not full after five minutes");
}

void BatchLoad::keep() {
  thread_ = std::jthread([this](const std::stop_token& stop) {
    auto client = plane_.client(server_);
    while (!stop.stop_requested()) {
      const Status done = top_up(client);
      if (!done) {
        const std::lock_guard lock(mutex_);
        failure_ = done.error();
        return;
      }
      std::this_thread::sleep_for(kPause);
    }
  });
}

std::optional<Error> BatchLoad::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

Status BatchLoad::top_up(cli::Client& client) {
  const auto jobs = jobs_at(client);
  if (!jobs) return tl::unexpected(jobs.error());
  for (std::size_t i = jobs->waiting; i < size_.queued; ++i) {
    const std::uint64_t number = next_++;
    const auto done = client.send({"POST", "/v1/jobs", job_text(number), "application/json", {}});
    if (!done) return tl::unexpected(done.error());
  }
  return {};
}

Status BatchLoad::submit(std::size_t count) {
  std::atomic<std::int64_t> left = static_cast<std::int64_t>(count);
  std::vector<Status> done(kSubmitters);
  {
    std::vector<std::jthread> threads;
    for (Status& one : done) {
      threads.emplace_back([this, &left, &one] { one = submit_some(left); });
    }
  }
  const auto failed = std::find_if(done.begin(), done.end(), [](const Status& s) { return !s; });
  return failed == done.end() ? Status{} : *failed;
}

Status BatchLoad::submit_some(std::atomic<std::int64_t>& left) {
  auto client = plane_.client(server_);
  while (--left >= 0) {
    const std::uint64_t number = next_++;
    const auto done = client.send({"POST", "/v1/jobs", job_text(number), "application/json", {}});
    if (!done) return tl::unexpected(done.error());
  }
  return {};
}

}  // namespace berth::bench::grant
