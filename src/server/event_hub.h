// EventHub: the open watches of events. Each gets what it asked for, once and in order, from the
// revision that it names; one that is gone or too slow is dropped and may resume.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "server/http.h"
#include "server/replica.h"

namespace berth::server {

struct EventFilter {
  std::string queue;  // with all below; empty: every queue, and what belongs to none
  std::string job;    // empty: any
  std::string node;
};

bool matches(const EventFilter& filter, const EventView& event, const engine::ClusterState& state);

class EventHub {
 public:
  explicit EventHub(Replica& replica, DurationMs heartbeat_ms = 15 * kSecondMs);
  ~EventHub();

  // Hands everything after `revision` to the stream and goes on with what comes. Refuses a revision
  // after which not everything is kept any more (kNotFound).
  Status subscribe(std::uint64_t revision, EventFilter filter, std::shared_ptr<HttpStream> stream);
  std::size_t open() const;

 private:
  struct Subscription {
    EventFilter filter;
    std::shared_ptr<HttpStream> stream;
  };
  using Level = std::vector<Subscription>;

  void publish(const std::vector<EventView>& events, const engine::ClusterState& state);
  static void send(Level& level, const EventView& event, std::string& text);
  void beat();

  Replica& replica_;
  DurationMs heartbeat_ms_;
  mutable std::mutex mutex_;
  std::condition_variable ending_;
  std::map<std::string, Level, std::less<>> by_queue_;  // by the filter's queue
  bool is_ending_ = false;
  std::thread heart_;
};

// "id: 17\nevent: job_started\ndata: {...}\n\n"
std::string event_text(const EventView& event);

}  // namespace berth::server
