// The only file of the agent that includes gRPC.
#include "agent/session.h"

#include <berth/agent/v1/agent.grpc.pb.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "base/bytes.h"
#include "wire/proto.h"

namespace berth::agent {
namespace {

namespace v1 = ::berth::agent::v1;
using SteadyClock = std::chrono::steady_clock;
using Stub = v1::Agents::Stub;

// Runs tasks when they are due, on one thread. A task is short, and knows by itself whether it has
// become pointless.
class Timer {
 public:
  Timer() : thread_([this] { run(); }) {}
  ~Timer() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  void after(DurationMs ms, std::function<void()> task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.emplace(SteadyClock::now() + std::chrono::milliseconds(ms), std::move(task));
    }
    changed_.notify_one();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (!is_over_) {
      if (tasks_.empty()) {
        changed_.wait(lock);
      } else if (const auto due = tasks_.begin()->first; SteadyClock::now() < due) {
        changed_.wait_until(lock, due);
      } else {
        const std::function<void()> task = std::move(tasks_.begin()->second);
        tasks_.erase(tasks_.begin());
        lock.unlock();
        task();
        lock.lock();
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::multimap<SteadyClock::time_point, std::function<void()>> tasks_;
  bool is_over_ = false;
  std::thread thread_;  // the last member: it uses the others
};

class StreamSession;

// One connection of a session, from its join to its end.
class Call final : public grpc::ClientBidiReactor<v1::FromAgent, v1::FromServer> {
 public:
  explicit Call(std::shared_ptr<StreamSession> session) : session_(std::move(session)) {}

  void start(Stub& stub, const Join& join, std::shared_ptr<Call> self) {
    self_ = std::move(self);
    stub.async()->Session(&context_, this);
    AddHold();  // others than the reader write
    StartRead(&in_);
    send(join);
    StartCall();
  }

  void send(const FromAgent& message) {
    const std::lock_guard lock(mutex_);
    if (is_over_) return;
    waiting_.push_back(wire::to_proto(message));
    write_next();
  }

  void cancel() { context_.TryCancel(); }

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(mutex_);
    is_writing_ = false;
    if (!ok || is_over_) return;  // the reader sees the end too
    write_next();
  }
  void OnDone(const grpc::Status& status) override;

 private:
  void write_next() {
    if (is_writing_ || waiting_.empty()) return;
    out_ = std::move(waiting_.front());
    waiting_.pop_front();
    is_writing_ = true;
    StartWrite(&out_);
  }
  void stop_writing() {
    const std::lock_guard lock(mutex_);
    if (is_over_) return;
    is_over_ = true;
    waiting_.clear();
    RemoveHold();
  }

  std::shared_ptr<StreamSession> session_;
  std::shared_ptr<Call> self_;  // until gRPC is done with it
  grpc::ClientContext context_;
  v1::FromServer in_;
  v1::FromAgent out_;
  std::mutex mutex_;
  std::deque<v1::FromAgent> waiting_;  // bounded by the node's reports and one heartbeat at a time
  bool is_writing_ = false;
  bool is_over_ = false;
};

class StreamSession final : public Session, public std::enable_shared_from_this<StreamSession> {
 public:
  StreamSession(std::string name, NodeEnd& end, const HubOptions& options, Timer& timer, Stub& stub)
      : name_(std::move(name)), end_(end), options_(options), timer_(timer), stub_(stub) {}

  void begin(const std::vector<Report>& unacknowledged) override {
    const std::lock_guard lock(mutex_);
    has_begun_ = true;
    send_all(unacknowledged);
  }
  void send(const std::vector<Report>& reports) override {
    const std::lock_guard lock(mutex_);
    if (has_begun_) send_all(reports);
  }
  void drop() override {
    const std::lock_guard lock(mutex_);
    if (call_ != nullptr) call_->cancel();
  }
  void close() override {
    std::unique_lock lock(mutex_);
    is_closed_ = true;
    if (call_ != nullptr) call_->cancel();
    idle_.wait(lock, [this] { return call_ == nullptr && !is_connecting_; });
  }
  void open() override {
    {
      const std::lock_guard lock(mutex_);
      is_closed_ = false;
      attempts_ = 0;
    }
    connect_after(0);
  }

  // Whether the connection goes on.
  Status take(const FromServer& message);
  void ended(const grpc::Status& status);

 private:
  void connect_after(DurationMs ms) {
    timer_.after(ms, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->connect();
    });
  }
  void connect();
  void welcomed(const Welcome& welcome);
  void answered(std::uint64_t number);
  void beat(std::uint64_t connection);
  void send_all(const std::vector<Report>& reports) {
    if (call_ == nullptr) return;
    for (const Report& report : reports) call_->send(report);
  }
  DurationMs backoff();

  const std::string name_;
  NodeEnd& end_;
  const HubOptions& options_;
  Timer& timer_;
  Stub& stub_;

  std::mutex mutex_;
  std::condition_variable idle_;
  std::shared_ptr<Call> call_;
  std::uint64_t connection_ = 0;  // counts calls
  bool is_connecting_ = false;
  bool is_closed_ = false;
  bool has_begun_ = false;
  unsigned attempts_ = 0;         // without a welcome
  std::optional<Error> refused_;  // by the node: why it ends the call
  Welcome welcome_;
  std::uint64_t last_beat_ = 0;
  std::map<std::uint64_t, TimeMs> unanswered_;  // heartbeat -> when it was sent; 0 is the join
  SteadyClock::time_point answered_at_;
};

void Call::OnReadDone(bool ok) {
  if (!ok) return stop_writing();
  const auto message = wire::from_proto(in_);
  const Status status = message ? session_->take(*message) : tl::unexpected(message.error());
  if (!status) cancel();
  StartRead(&in_);
}

void Call::OnDone(const grpc::Status& status) {
  const std::shared_ptr<Call> self = std::move(self_);
  session_->ended(status);
}

void StreamSession::connect() {
  const TimeMs now = end_.now();
  std::shared_ptr<Call> call;
  {
    const std::lock_guard lock(mutex_);
    if (is_closed_ || is_connecting_ || call_ != nullptr) return;
    is_connecting_ = true;
    has_begun_ = false;
    refused_.reset();
    ++connection_;
    unanswered_.clear();
    unanswered_[0] = now;
  }
  const Join join = end_.join();
  call = std::make_shared<Call>(shared_from_this());
  {
    const std::lock_guard lock(mutex_);
    is_connecting_ = false;
    if (is_closed_) return idle_.notify_all();
    call_ = call;
  }
  call->start(stub_, join, call);
}

Status StreamSession::take(const FromServer& message) {
  if (const auto* welcome = std::get_if<Welcome>(&message)) {
    if (auto s = end_.welcomed(*welcome, *this); !s) {
      const std::lock_guard lock(mutex_);
      refused_ = s.error();
      return s;
    }
    welcomed(*welcome);
  } else if (const auto* order = std::get_if<Order>(&message)) {
    end_.ordered(*order);
  } else if (const auto* acknowledged = std::get_if<Acknowledged>(&message)) {
    end_.acknowledged(acknowledged->number);
  } else {
    answered(std::get<Heartbeat>(message).number);
  }
  return {};
}

void StreamSession::welcomed(const Welcome& welcome) {
  std::uint64_t connection = 0;
  {
    const std::lock_guard lock(mutex_);
    welcome_ = welcome;
    attempts_ = 0;
    connection = connection_;
  }
  answered(0);
  timer_.after(welcome.heartbeat_ms, [weak = weak_from_this(), connection] {
    if (const auto self = weak.lock()) self->beat(connection);
  });
}

void StreamSession::answered(std::uint64_t number) {
  TimeMs sent_at = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto sent = unanswered_.find(number);
    if (sent == unanswered_.end()) return;
    sent_at = sent->second;
    unanswered_.erase(unanswered_.begin(), std::next(sent));
    answered_at_ = SteadyClock::now();
  }
  end_.contact(sent_at);
}

// A server that no longer answers is left: the stream may look open for long.
void StreamSession::beat(std::uint64_t connection) {
  const TimeMs now = end_.now();
  DurationMs again_ms = 0;
  {
    const std::lock_guard lock(mutex_);
    if (connection != connection_ || call_ == nullptr) return;
    const auto silent = SteadyClock::now() - answered_at_;
    if (silent > std::chrono::milliseconds(welcome_.lost_after_ms)) return call_->cancel();
    unanswered_[++last_beat_] = now;
    call_->send(Heartbeat{last_beat_});
    again_ms = welcome_.heartbeat_ms;
  }
  timer_.after(again_ms, [weak = weak_from_this(), connection] {
    if (const auto self = weak.lock()) self->beat(connection);
  });
}

// Who was refused is not asked for soon; others come back one after the other.
DurationMs StreamSession::backoff() {
  const DurationMs most =
      std::min(options_.backoff_most_ms, options_.backoff_first_ms << std::min(attempts_, 20U));
  const std::uint64_t draw = stable_hash(name_, ++attempts_) % 1000;
  return most / 2 + most * static_cast<DurationMs>(draw) / 2000;
}

void StreamSession::ended(const grpc::Status& status) {
  Error why{ErrorCode::kUnavailable, status.error_message(), {}, 0};
  {
    const std::lock_guard lock(mutex_);
    has_begun_ = false;
    const bool is_refused = status.error_code() == grpc::StatusCode::INVALID_ARGUMENT ||
                            status.error_code() == grpc::StatusCode::FAILED_PRECONDITION;
    if (is_refused) why.code = ErrorCode::kConflict;
    if (refused_) why = *refused_;
    if (is_refused || refused_) attempts_ = 20;
  }
  end_.broken(why);
  DurationMs wait = 0;
  {
    const std::lock_guard lock(mutex_);
    call_ = nullptr;
    if (is_closed_) return idle_.notify_all();
    wait = backoff();
  }
  connect_after(wait);
}

std::shared_ptr<grpc::ChannelCredentials> credentials(const std::optional<ClientTls>& tls) {
  if (!tls) return grpc::InsecureChannelCredentials();
  return grpc::SslCredentials({tls->server_ca, tls->key, tls->certificate});
}

std::shared_ptr<grpc::Channel> channel_to(const HubOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(wire::kMessageBytesLimit);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS,
                   static_cast<int>(options.backoff_first_ms));
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, static_cast<int>(options.backoff_first_ms));
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, static_cast<int>(options.backoff_most_ms));
  return grpc::CreateCustomChannel(options.server, credentials(options.tls), arguments);
}

}  // namespace

struct SessionHub::Parts {
  explicit Parts(HubOptions given)
      : options(std::move(given)), stub(v1::Agents::NewStub(channel_to(options))) {}
  const HubOptions options;
  std::unique_ptr<Stub> stub;
  Timer timer;
};

SessionHub::SessionHub(HubOptions options) : parts_(std::make_unique<Parts>(std::move(options))) {}
SessionHub::~SessionHub() = default;

std::shared_ptr<Session> SessionHub::open(const std::string& name, NodeEnd& end) {
  auto session =
      std::make_shared<StreamSession>(name, end, parts_->options, parts_->timer, *parts_->stub);
  session->open();
  return session;
}

}  // namespace berth::agent
