#include "server/event_hub.h"

#include <algorithm>
#include <chrono>

#include "codec/writer.h"
#include "server/http_server.h"
#include "server/make_views.h"
#include "server/redaction.h"

namespace berth::server {

namespace {

static_assert(EventHub::kMostOfOne < EventHub::kMostOfAll &&
              EventHub::kMostOfAll + 500 < HttpLimits{}.connections);
static_assert(3 * EventHub::kPieceBytes < HttpLimits{}.stream_bytes);

// Looked at while the replica is locked for one piece of one stream: about a millisecond.
constexpr std::size_t kPieceEvents = 4'096;
// So soon is seen that a stream has sent its piece: then it gets 6 MB a second.
constexpr auto kLookEvery = std::chrono::milliseconds(10);

// Whatever its queue.
bool is_about(const EventFilter& filter, const EventView& event) {
  return (filter.job.empty() || filter.job == event.job) &&
         (filter.node.empty() || filter.node == event.node);
}

std::uint64_t revision_of(const EventView& event) {
  return static_cast<std::uint64_t>(event.revision);
}

bool is_drained(const HttpStream& stream) { return stream.waiting() == 0; }

Status check_kept(const EventLog& log, std::uint64_t seen) {
  if (seen >= log.from()) return {};
  return fail(ErrorCode::kNotFound,
              "events up to revision " + std::to_string(log.from()) +
                  " are not kept any more, and " + std::to_string(seen) +
                  " was asked for; list what is there and go on from its revision",
              "from");
}

}  // namespace

bool matches(const EventFilter& filter, const EventView& event, const engine::ClusterState& state) {
  if (!is_about(filter, event)) return false;
  if (filter.queue.empty()) return true;
  return !event.queue.empty() && is_under(state, state.find_queue(event.queue), filter.queue);
}

std::string event_text(const EventView& event, const EventFilter& listener,
                       const engine::ClusterState& state) {
  const EventView shown = Visibility(listener.root, state).shown(event);
  return "id: " + std::to_string(event.revision) + "\nevent: " + event.type +
         "\ndata: " + codec::write_json_line(codec::to_document(shown)) + "\n\n";
}

EventHub::EventHub(Replica& replica, const control::Clock& clock, DurationMs heartbeat_ms)
    : replica_(replica), clock_(clock), heartbeat_ms_(heartbeat_ms), heart_([this] { run(); }) {
  replica_.watch(this);
}

EventHub::~EventHub() {
  replica_.watch(nullptr);
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_all();
  heart_.join();
  end_if([](const Subscription&) { return true; });
}

template <typename Condition>
void EventHub::end_if(const Condition& ends) {
  const auto end = [&](const Subscription& one) {
    if (!ends(one)) return false;
    one.stream->close();
    return true;
  };
  std::erase_if(behind_, end);
  for (auto level = by_queue_.begin(); level != by_queue_.end();) {
    std::erase_if(level->second, end);
    level = level->second.empty() ? by_queue_.erase(level) : std::next(level);
  }
}

template <typename Condition>
std::size_t EventHub::count_if(const Condition& counts) const {
  auto count = std::count_if(behind_.begin(), behind_.end(), counts);
  for (const auto& [queue, level] : by_queue_) {
    count += std::count_if(level.begin(), level.end(), counts);
  }
  return static_cast<std::size_t>(count);
}

std::size_t EventHub::open() const {
  const std::lock_guard lock(mutex_);
  return count_if([](const Subscription&) { return true; });
}

Status EventHub::subscribe(const Principal& who, std::uint64_t seen, EventFilter filter,
                           const Open& open) {
  // Events are told while the replica is locked, so that none comes between.
  return replica_.read([&](const Reading& reading) -> Status {
    const std::lock_guard lock(mutex_);
    if (auto s = check_room(who.name); !s) return s;
    if (auto s = check_kept(reading.events, seen); !s) return s;
    // revoked since the caller was let in: no event will say so again
    if (is_over(who)) {
      return fail(ErrorCode::kUnavailable, "the token has just ended; ask again with another one");
    }
    go_on(reading, {who, std::move(filter), seen, open()});
    return {};
  });
}

Status EventHub::check_room(const std::string& caller) const {
  const std::size_t own = count_if([&](const Subscription& one) { return one.who.name == caller; });
  if (own >= kMostOfOne) {
    return fail(ErrorCode::kLimitExceeded, "'" + caller + "' has " + std::to_string(own) +
                                               " streams of events open; a caller may have " +
                                               std::to_string(kMostOfOne) + "; close one first");
  }
  const std::size_t all = count_if([](const Subscription&) { return true; });
  if (all < kMostOfAll) return {};
  return fail(ErrorCode::kLimitExceeded, "this server has " + std::to_string(all) +
                                             " streams of events open and may have " +
                                             std::to_string(kMostOfAll) + "; ask again later");
}

bool EventHub::is_over(const Principal& who) const {
  if (who.expires_at != kNever && who.expires_at <= clock_.now()) return true;
  return !who.token.empty() && replica_.tokens().find(who.token) == nullptr;
}

// Sends the next piece of what the log has for it. After the last one it hears what happens.
void EventHub::go_on(const Reading& reading, Subscription one) {
  if (auto s = check_kept(reading.events, one.seen); !s) {
    one.stream->send("event: error\ndata: " + s.error().message + "\n\n");
    return one.stream->close();
  }
  std::string text;
  const auto end = reading.events.events().end();
  auto event = reading.events.after(one.seen);
  for (std::size_t i = 0; i < kPieceEvents && text.size() < kPieceBytes && event != end; ++i) {
    if (matches(one.filter, *event, reading.state())) {
      text += event_text(*event, one.filter, reading.state());
    }
    one.seen = revision_of(*event++);
  }
  if (!text.empty() && !one.stream->send(std::move(text))) return one.stream->close();
  if (event == end) {
    by_queue_[one.filter.queue].push_back(std::move(one));
  } else {
    behind_.push_back(std::move(one));
    wake_.notify_one();
  }
}

const std::string& EventHub::Told::text_for(const EventFilter& listener) {
  // all may read what names nobody
  std::string& text = texts[event.reasons == nullptr ? std::string() : listener.root];
  if (text.empty()) text = event_text(event, listener, state);
  return text;
}

void EventHub::send(Level& level, Told& told) {
  const std::uint64_t revision = revision_of(told.event);
  std::erase_if(level, [&](const Subscription& one) {
    // its queue is that of the level
    if (revision <= one.seen || !is_about(one.filter, told.event)) return false;
    if (one.stream->waiting() > kPieceBytes) {
      behind_.push_back(one);
      behind_.back().seen = revision - 1;
      wake_.notify_one();
      return true;
    }
    if (one.stream->send(told.text_for(one.filter))) return false;
    one.stream->close();
    return true;
  });
}

void EventHub::applied(const std::vector<EventView>& events, const engine::ClusterState& state) {
  const std::lock_guard lock(mutex_);
  const std::string_view revoked = event_name(TokenRevoked{});
  const auto revokes = [&](const EventView& event) { return event.type == revoked; };
  if (std::any_of(events.begin(), events.end(), revokes)) {
    end_if([this](const Subscription& one) { return is_over(one.who); });
  }
  if (by_queue_.empty()) return;
  for (const EventView& event : events) {
    Told told{event, state};
    const auto to = [&](std::string_view queue) {
      const auto level = by_queue_.find(queue);
      if (level != by_queue_.end()) send(level->second, told);
    };
    to("");
    if (event.queue.empty()) continue;
    QueueIndex queue = state.find_queue(event.queue);
    for (; !queue.is_none(); queue = state.quota().queue(queue).parent) {
      to(state.quota().queue(queue).spec->name);
    }
  }
}

// Whoever connects again is told what is not kept here, or gets it.
void EventHub::jumped() {
  const std::lock_guard lock(mutex_);
  end_if([](const Subscription&) { return true; });
}

void EventHub::run() {
  using Clock = std::chrono::steady_clock;
  const auto pause = std::chrono::milliseconds(heartbeat_ms_);
  auto next_beat = Clock::now() + pause;
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    if (is_one_drained()) {
      lock.unlock();
      catch_one_up();
      lock.lock();
    } else {
      wake_.wait_until(
          lock, behind_.empty() ? next_beat : std::min(next_beat, Clock::now() + kLookEvery));
    }
    if (Clock::now() < next_beat) continue;
    beat();
    next_beat = Clock::now() + pause;
  }
}

bool EventHub::is_one_drained() const {
  return std::any_of(behind_.begin(), behind_.end(),
                     [](const Subscription& one) { return is_drained(*one.stream); });
}

// One, so that the replica is never locked for long.
void EventHub::catch_one_up() {
  replica_.read([this](const Reading& reading) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(behind_.begin(), behind_.end(), [](const Subscription& one) {
      return is_drained(*one.stream);
    });
    if (found == behind_.end()) return;
    Subscription one = std::move(*found);
    behind_.erase(found);
    go_on(reading, std::move(one));
  });
}

// Tells who has gone or may read no more, and keeps proxies from closing what is idle.
void EventHub::beat() {
  end_if([this](const Subscription& one) {
    return is_over(one.who) || !one.stream->send(": still here\n\n");
  });
}

}  // namespace berth::server
