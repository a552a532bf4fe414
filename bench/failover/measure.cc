#include "bench/failover/measure.h"

#include <chrono>

#include "bench/servers/control_plane.h"

namespace berth::bench::failover {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kBefore = 50;  // jobs
constexpr auto kPatience = std::chrono::seconds(60);

std::string job_text(const std::string& name) {
  return R"({"name":")" + name +
         R"(","queue":"guests","run_time":"10h","roles":[{"containers":[{"devices":{"count":1}}]}]})";
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// The client asks again by itself, every quarter of a second for 10 s, under the same request id.
bool submits(const ControlPlane& plane, std::size_t server, const std::string& name) {
  auto client = plane.client(server);
  return client.send({"POST", "/v1/jobs", job_text(name), "application/json", name}).has_value();
}

// Asks one follower after the other until one answers.
Result<double> wait_answer(const ControlPlane& plane, std::size_t killed, Clock::time_point begin) {
  while (Clock::now() - begin < kPatience) {
    for (std::size_t s = 0; s < plane.servers(); ++s) {
      if (s != killed && submits(plane, s, "after")) return seconds_since(begin);
    }
  }
  return fail(ErrorCode::kUnavailable,
              "nobody leads after the kill; a follower says:\n" + plane.log(killed == 0 ? 1 : 0));
}

Status check_kept(const ControlPlane& plane, std::size_t server) {
  auto client = plane.client(server);
  for (int i = 0; i < kBefore; ++i) {
    const auto job = client.get("/v1/jobs/before-" + std::to_string(i));
    if (!job) return fail(ErrorCode::kCorrupt, "a job is lost: " + job.error().to_text());
  }
  return {};
}

}  // namespace

Result<Outcome> measure() {
  auto plane = ControlPlane::start({BackEnd::kEtcd3, "dev"});
  if (!plane) return tl::unexpected(plane.error());
  const auto leader = (*plane)->leader();
  if (!leader) return tl::unexpected(leader.error());
  const std::size_t follower = *leader == 0 ? 1 : 0;
  Outcome outcome;
  const auto begin = Clock::now();
  for (int i = 0; i < kBefore; ++i) {
    if (!submits(**plane, follower, "before-" + std::to_string(i))) {
      return fail(ErrorCode::kUnavailable,
                  "a job is refused before the kill:\n" + (*plane)->log(*leader));
    }
  }
  outcome.least_between_s = seconds_since(begin) / kBefore;
  const auto killed = Clock::now();
  (*plane)->kill(*leader);
  const auto gap = wait_answer(**plane, *leader, killed);
  if (!gap) return tl::unexpected(gap.error());
  outcome.gap_s = *gap;
  const auto next = (*plane)->leader();
  if (!next) return tl::unexpected(next.error());
  if (auto s = check_kept(**plane, *next); !s) return tl::unexpected(s.error());
  return outcome;
}

}  // namespace berth::bench::failover
