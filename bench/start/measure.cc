#include "bench/start/measure.h"

#include <chrono>
#include <cstdlib>
#include <thread>

#include "bench/common/arguments.h"
#include "bench/servers/control_plane.h"
#include "bench/servers/process_use.h"
#include "cli/remote/table.h"

namespace berth::bench::start {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(60);
constexpr auto kPause = std::chrono::milliseconds(5);
constexpr auto kSettles = std::chrono::seconds(10);  // its first cycles

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

Status check(const codec::Document& cluster, const MadeJournal& expected) {
  const double revision = cli::number_of(cluster, "revision");
  if (revision >= static_cast<double>(expected.revision)) return {};
  return fail(ErrorCode::kCorrupt, "the server is at revision " + std::to_string(revision) +
                                       " and its journal at " + std::to_string(expected.revision));
}

}  // namespace

Result<Outcome> measure(const std::string& journal, const MadeJournal& expected) {
  ::setenv("BERTH_DATA", data_folder().c_str(), 1);
  const std::uint16_t port = journal::testing::free_port();
  const auto at = [](std::uint16_t p) { return "127.0.0.1:" + std::to_string(p); };
  auto client = cli::Client({"http://" + at(port), {}, {}});
  const auto begin = Clock::now();
  const journal::testing::Process server(
      {berth_program(), "server", "--dev", "--no-nodes", "--journal", journal, "--listen", at(port),
       "--agents", at(journal::testing::free_port())},
      journal + ".log");
  Outcome outcome;
  while (!client.text("/readyz")) {
    if (Clock::now() - begin > kPatience) {
      return fail(ErrorCode::kUnavailable,
                  "the server does not come up; it says:\n" + end_of(journal + ".log"));
    }
    std::this_thread::sleep_for(kPause);
  }
  outcome.ready_s = seconds_since(begin);
  const auto cluster = client.get("/v1/cluster");
  if (!cluster) return tl::unexpected(cluster.error());
  outcome.answer_s = seconds_since(begin);
  if (auto s = check(*cluster, expected); !s) return tl::unexpected(s.error());
  std::this_thread::sleep_for(kSettles);
  outcome.peak_bytes = peak_bytes(server.id());
  return outcome;
}

}  // namespace berth::bench::start
