// EventHub: the open watches of events. Each gets what it asked for, once and in order, from the
// revision that it names, for as long as whoever opened it may read it. One that is slow gets the
// rest from the log as it takes it; one that is gone is dropped and may resume.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "server/access.h"
#include "server/http.h"
#include "server/replica.h"

namespace berth::server {

struct EventFilter {
  std::string queue;  // with all below; empty: every queue, and what belongs to none
  std::string job;    // empty: any
  std::string node;
  std::string root;  // of what the listener may see; empty: everything
};

bool matches(const EventFilter& filter, const EventView& event, const engine::ClusterState& state);

class EventHub final : private EventWatch {
 public:
  // Streams of one caller and of all, of the 4,096 connections that a server has (HttpLimits): what
  // is left is for requests, health checks among them. One caller may watch each of a thousand
  // queues apart.
  static constexpr std::size_t kMostOfOne = 2'000;
  static constexpr std::size_t kMostOfAll = 3'500;
  // About what waits for one stream at most, so that all of them that nobody reads hold 230 MB.
  static constexpr std::size_t kPieceBytes = 64 * 1024;

  // `clock` judges whether what a caller presented has expired.
  EventHub(Replica& replica, const control::Clock& clock, DurationMs heartbeat_ms = 15 * kSecondMs);
  ~EventHub() override;

  // Opens a stream and hands it everything after the revision that its other end has seen, and then
  // what comes. Refuses a revision after which not everything is kept any more (kNotFound), and one
  // stream too many (kLimitExceeded); nothing is opened then.
  using Open = std::function<std::shared_ptr<HttpStream>()>;
  Status subscribe(const Principal& who, std::uint64_t seen, EventFilter filter, const Open& open);
  std::size_t open() const;

 private:
  struct Subscription {
    Principal who;
    EventFilter filter;
    // The other end has all up to here: a server that is behind it tells nothing twice.
    std::uint64_t seen = 0;
    std::shared_ptr<HttpStream> stream;
  };
  using Level = std::vector<Subscription>;

  // An event, and its text for those who may see the same: by root of what they see.
  struct Told {
    const EventView& event;
    const engine::ClusterState& state;
    std::map<std::string, std::string> texts = {};

    const std::string& text_for(const EventFilter& listener);
  };

  void applied(const std::vector<EventView>& events, const engine::ClusterState& state) override;
  void jumped() override;
  void run();

  // With mutex_ held:
  Status check_room(const std::string& caller) const;
  bool is_over(const Principal& who) const;
  void send(Level& level, Told& told);
  void go_on(const Reading& reading, Subscription one);
  bool is_one_drained() const;
  void beat();
  template <typename Condition>
  void end_if(const Condition& ends);
  template <typename Condition>
  std::size_t count_if(const Condition& counts) const;

  void catch_one_up();

  Replica& replica_;
  const control::Clock& clock_;
  DurationMs heartbeat_ms_;
  mutable std::mutex mutex_;  // taken with the replica locked, and never the other way round
  std::condition_variable wake_;
  std::map<std::string, Level, std::less<>> by_queue_;  // by the filter's queue
  Level behind_;  // those for which the log has more, in the order of their turns
  bool is_ending_ = false;
  std::thread heart_;
};

// As the listener may read it: "id: 17\nevent: job_started\ndata: {...}\n\n"
std::string event_text(const EventView& event, const EventFilter& listener,
                       const engine::ClusterState& state);

}  // namespace berth::server
