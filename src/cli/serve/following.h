// Following: feeds the replica from the journal while another process writes it.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "control/ports.h"
#include "server/replica.h"

namespace berth::cli {

class Following {
 public:
  // Both must outlive it.
  Following(const control::JournalFeed& feed, server::Replica& replica);

  // How old at most what the replica has is; none: it has not caught up yet.
  std::optional<DurationMs> staleness() const;

 private:
  void follow(const std::stop_token& stop);
  Status take_snapshot();

  const control::JournalFeed& feed_;
  server::Replica& replica_;
  std::atomic<std::chrono::steady_clock::time_point::rep> as_of_ = 0;  // 0: not yet
  std::jthread thread_;                                                // last: it ends first
};

}  // namespace berth::cli
