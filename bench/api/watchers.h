// Watchers: open event streams, each of one queue, read by one thread; it counts what they tell.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"

namespace berth::bench::api {

class Watchers {
 public:
  // Opens one for each of the queues q-0 ... q-(count - 1); returns when all are answered.
  Watchers(std::uint16_t port, std::size_t count);
  ~Watchers();
  Watchers(const Watchers&) = delete;
  Watchers& operator=(const Watchers&) = delete;

  // kUnavailable: one of them could not be opened.
  const Status& opened() const { return opened_; }
  // Streams that still stand.
  std::size_t open() const { return open_; }
  // Submissions that they have told, all together.
  std::uint64_t told() const { return told_; }

 private:
  struct Stream {
    int fd = -1;
    std::string tail;  // an unfinished line
  };
  Status connect(std::uint16_t port, std::size_t count);
  void read(const std::stop_token& stop);
  bool take(Stream& stream);

  std::vector<Stream> streams_;
  int poll_ = -1;
  std::atomic<std::size_t> open_ = 0;
  std::atomic<std::uint64_t> told_ = 0;
  Status opened_;        // after what opening them sets
  std::jthread thread_;  // last: it ends first
};

}  // namespace berth::bench::api
