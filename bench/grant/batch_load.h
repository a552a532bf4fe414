// BatchLoad: batch jobs of one whole node each, so many that they always wait: fills the fleet and
// the line behind it, then submits as many as end, on a thread of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>

#include "base/error.h"
#include "bench/grant/fleet.h"
#include "bench/servers/control_plane.h"

namespace berth::bench::grant {

class BatchLoad {
 public:
  BatchLoad(const ControlPlane& plane, std::size_t server, const Size& size)
      : plane_(plane), server_(server), size_(size) {}
  ~BatchLoad();

  // Submits until the fleet is full and the line is as long as it should be, and waits for it.
  Status fill();
  // Keeps the line that long until this object ends.
  void keep();

  std::uint64_t submitted() const { return next_; }
  // What went wrong while the line was kept.
  std::optional<Error> failure() const;

 private:
  Status submit(std::size_t count);
  Status submit_some(std::atomic<std::int64_t>& left);
  Status top_up(cli::Client& client);

  const ControlPlane& plane_;
  std::size_t server_;
  Size size_;
  std::atomic<std::uint64_t> next_ = 0;
  mutable std::mutex mutex_;
  std::optional<Error> failure_;  // guarded
  std::jthread thread_;           // last: it ends first
};

// How many jobs run and wait.
struct Jobs {
  std::size_t running = 0;
  std::size_t waiting = 0;
};
Result<Jobs> jobs_at(cli::Client& client);

}  // namespace berth::bench::grant
