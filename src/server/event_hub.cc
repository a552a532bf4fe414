#include "server/event_hub.h"

#include <algorithm>
#include <chrono>

#include "codec/writer.h"
#include "server/make_views.h"

namespace berth::server {

namespace {

// Whatever its queue.
bool is_about(const EventFilter& filter, const EventView& event) {
  return (filter.job.empty() || filter.job == event.job) &&
         (filter.node.empty() || filter.node == event.node);
}

}  // namespace

bool matches(const EventFilter& filter, const EventView& event, const engine::ClusterState& state) {
  if (!is_about(filter, event)) return false;
  if (filter.queue.empty()) return true;
  return !event.queue.empty() && is_under(state, state.find_queue(event.queue), filter.queue);
}

std::string event_text(const EventView& event) {
  return "id: " + std::to_string(event.revision) + "\nevent: " + event.type +
         "\ndata: " + codec::write_json_line(codec::to_document(event)) + "\n\n";
}

EventHub::EventHub(Replica& replica, DurationMs heartbeat_ms)
    : replica_(replica), heartbeat_ms_(heartbeat_ms), heart_([this] { beat(); }) {
  replica_.watch([this](const std::vector<EventView>& events, const engine::ClusterState& state) {
    publish(events, state);
  });
}

EventHub::~EventHub() {
  replica_.watch({});
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  ending_.notify_all();
  heart_.join();
  for (auto& [queue, level] : by_queue_) {
    for (Subscription& one : level) one.stream->close();
  }
}

Status EventHub::subscribe(std::uint64_t revision, EventFilter filter,
                           std::shared_ptr<HttpStream> stream) {
  // Events are published while the replica is locked, so that none comes between the two parts.
  return replica_.read([&](const Reading& reading) -> Status {
    if (revision < reading.events.from()) {
      return fail(ErrorCode::kNotFound,
                  "events up to revision " + std::to_string(reading.events.from()) +
                      " are not kept any more, and " + std::to_string(revision) +
                      " was asked for; list what is there and go on from its revision",
                  "from");
    }
    std::string text;
    for (auto event = reading.events.after(revision); event != reading.events.events().end();
         ++event) {
      if (matches(filter, *event, reading.state())) text += event_text(*event);
    }
    if (!text.empty()) stream->send(std::move(text));
    const std::lock_guard lock(mutex_);
    by_queue_[filter.queue].push_back({filter, std::move(stream)});
    return {};
  });
}

std::size_t EventHub::open() const {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const auto& [queue, level] : by_queue_) count += level.size();
  return count;
}

void EventHub::send(Level& level, const EventView& event, std::string& text) {
  std::erase_if(level, [&](Subscription& one) {
    if (!is_about(one.filter, event)) return false;  // its queue is that of the level
    if (text.empty()) text = event_text(event);
    if (one.stream->send(text)) return false;
    one.stream->close();
    return true;
  });
}

void EventHub::publish(const std::vector<EventView>& events, const engine::ClusterState& state) {
  const std::lock_guard lock(mutex_);
  if (by_queue_.empty()) return;
  for (const EventView& event : events) {
    std::string text;
    const auto to = [&](std::string_view queue) {
      const auto level = by_queue_.find(queue);
      if (level != by_queue_.end()) send(level->second, event, text);
    };
    to("");
    if (event.queue.empty()) continue;
    QueueIndex queue = state.find_queue(event.queue);
    for (; !queue.is_none(); queue = state.quota().queue(queue).parent) {
      to(state.quota().queue(queue).spec->name);
    }
  }
}

// Tells who has gone, and keeps proxies from closing what is idle.
void EventHub::beat() {
  std::unique_lock lock(mutex_);
  while (!ending_.wait_for(lock, std::chrono::milliseconds(heartbeat_ms_),
                           [this] { return is_ending_; })) {
    for (auto level = by_queue_.begin(); level != by_queue_.end();) {
      std::erase_if(level->second, [](Subscription& one) {
        if (one.stream->send(": still here\n\n")) return false;
        one.stream->close();
        return true;
      });
      level = level->second.empty() ? by_queue_.erase(level) : std::next(level);
    }
  }
}

}  // namespace berth::server
