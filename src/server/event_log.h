// What happened, as people read it: events of the journal with the names of what they are about,
// and the last of them for watches that resume.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "engine/state/cluster_state.h"
#include "model/event.h"
#include "model/rejection.h"

namespace berth::server {

struct EventView {
  std::int64_t revision = 0;  // of the state after it
  TimeMs at = 0;
  std::string type;  // "job_submitted"
  std::string job;
  std::string queue;  // of the job
  std::string node;
  std::string message;
  std::string actor;  // who asked for it; empty: nobody did
  // Of a job that begins to wait: the message has the first, which not everybody may read as it is.
  RejectionsPtr reasons = {};
  friend bool operator==(const EventView&, const EventView&) = default;
};

// What an event is about, by id; names are found before it is applied or after, whenever the state
// knows them.
class EventTeller {
 public:
  // Nothing: of no interest to people (fits, prices, time).
  static std::optional<EventTeller> begin(const Event& event, const engine::ClusterState& before);
  // With the state that the event has made.
  EventView finish(const Event& event, const engine::ClusterState& after);

 private:
  EventTeller() = default;
  void resolve(const engine::ClusterState& state);

  JobId job_;
  LeaseId lease_;
  NodeIndex node_;
  EventView view_;
};

// "waits: asks 4 free cards on one node, largest has 2"
std::string waits_message(const Rejection& reason);

// Who asked for the events of a batch; empty: nobody.
std::string actor_of(const EventBatch& batch);

// The last events, oldest first.
class EventLog {
 public:
  static constexpr std::size_t kKept = 100'000;

  explicit EventLog(std::uint64_t from = 0) : from_(from) {}
  void add(EventView event);
  // Everything after this revision is there.
  std::uint64_t from() const { return from_; }
  const std::deque<EventView>& events() const { return events_; }
  // The first event after the revision; end() when there is none.
  std::deque<EventView>::const_iterator after(std::uint64_t revision) const;

 private:
  std::uint64_t from_;
  std::deque<EventView> events_;
};

}  // namespace berth::server
