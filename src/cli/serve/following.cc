#include "cli/serve/following.h"

#include "cli/serve/log.h"
#include "control/controller.h"
#include "engine/state/cluster_state.h"

namespace berth::cli {

using SteadyClock = std::chrono::steady_clock;

Following::Following(const control::JournalFeed& feed, server::Replica& replica)
    : feed_(feed),
      replica_(replica),
      thread_([this](const std::stop_token& stop) { follow(stop); }) {}

std::optional<DurationMs> Following::staleness() const {
  const auto as_of = as_of_.load();
  if (as_of == 0) return std::nullopt;
  const auto since = SteadyClock::now().time_since_epoch() - SteadyClock::duration(as_of);
  return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

// What is told so far has been compacted: the newest snapshot has it.
Status Following::take_snapshot() {
  const auto newest = feed_.newest();
  if (!newest) return tl::unexpected(newest.error());
  if (!*newest) return fail(ErrorCode::kCorrupt, "the journal is compacted and has no snapshot");
  auto state = control::Controller::state_of(**newest);
  if (!state) return tl::unexpected(state.error());
  replica_.begin(*state);
  return {};
}

void Following::follow(const std::stop_token& stop) {
  constexpr auto kPause = std::chrono::seconds(1);
  while (!stop.stop_requested()) {
    Status done = feed_.follow(
        replica_.newest(),
        [this](const EventBatch& batch) -> Status {
          replica_.committed(replica_.newest(), {batch});
          return {};
        },
        [this](const control::FeedMark& mark) { as_of_ = mark.as_of.time_since_epoch().count(); },
        stop);
    if (done || stop.stop_requested()) return;
    if (done.error().code == ErrorCode::kNotFound) done = take_snapshot();
    if (done) continue;
    log_line(LogLevel::kError, "following the journal: " + done.error().to_text());
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace berth::cli
