// Forwarder: passes requests on to the server that leads, and its answers back. libcurl is known to
// forwarder.cc only. Thread-safe.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "server/http.h"

namespace berth::server {

// A request that was passed on has this header: it is not passed on again.
inline constexpr const char* kForwardedHeader = "berth-forwarded";

class Forwarder {
 public:
  struct Options {
    std::string ca;  // path of the CA's certificate of the other servers; empty: the system's
    std::size_t threads = 8;
    std::size_t most_waiting = 10'000;
  };
  explicit Forwarder(Options options);
  ~Forwarder();  // what waits is answered with 503

  // `url` of the other server, without a path.
  void forward(std::shared_ptr<HttpExchange> exchange, std::string url);

 private:
  struct Job {
    std::shared_ptr<HttpExchange> exchange;
    std::string url;
  };
  void work();

  Options options_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> waiting_;
  bool is_ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace berth::server
