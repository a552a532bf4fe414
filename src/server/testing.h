// An API over a controller in memory, asked without a socket. Tests only.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <optional>

#include "codec/json_reader.h"
#include "control/control_loop.h"
#include "control/testing.h"
#include "journal/memory_journal.h"
#include "model/testing.h"
#include "server/api.h"
#include "server/event_hub.h"
#include "server/questions.h"
#include "server/token_book.h"

namespace berth::server::testing {

namespace t = berth::testing;

// Keeps what is sent.
class KeptStream final : public HttpStream {
 public:
  bool send(std::string text) override {
    const std::lock_guard lock(mutex_);
    if (is_closed_ || is_deaf) return false;
    text_ += text;
    if (is_slow) waiting_ += text.size();
    changed_.notify_all();
    return true;
  }
  std::size_t waiting() const override { return waiting_; }
  void close() override {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    changed_.notify_all();
  }
  // Waits until the text holds it.
  bool waits_for(const std::string& part) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10),
                             [&] { return text_.find(part) != std::string::npos; });
  }
  bool is_closed() {
    const std::lock_guard lock(mutex_);
    return is_closed_;
  }
  std::string text() {
    const std::lock_guard lock(mutex_);
    return text_;
  }
  // All that waits is sent.
  void drain() { waiting_ = 0; }
  std::atomic<bool> is_deaf = false;
  std::atomic<bool> is_slow = false;  // what it takes waits until it is drained

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
  bool is_closed_ = false;
  std::atomic<std::size_t> waiting_ = 0;
};

class KeptExchange final : public HttpExchange {
 public:
  explicit KeptExchange(HttpRequest request) : request_(std::move(request)) {}
  const HttpRequest& request() const override { return request_; }
  void answer(HttpResponse response) override {
    const std::lock_guard lock(mutex_);
    EXPECT_FALSE(response_) << "answered twice";
    response_ = std::move(response);
    changed_.notify_all();
  }
  std::shared_ptr<HttpStream> begin_stream(HttpResponse head) override {
    stream = std::make_shared<KeptStream>();
    stream->send(head.body);
    answer(std::move(head));
    return stream;
  }
  HttpResponse wait() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(20), [this] { return response_.has_value(); });
    EXPECT_TRUE(response_) << request_.method << " " << request_.path << " was not answered";
    return response_.value_or(HttpResponse{});
  }
  std::shared_ptr<KeptStream> stream;

 private:
  HttpRequest request_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<HttpResponse> response_;
};

struct Asked {
  int status = 0;
  codec::Document body;
  std::string text;
  // "error.message" or a field of the answer.
  std::string at(std::initializer_list<const char*> path) const {
    const codec::Document* node = &body;
    for (const char* name : path) {
      node = node->is(codec::Document::Kind::kMap) ? node->find(name) : nullptr;
      if (node == nullptr) return "";
    }
    if (node->is(codec::Document::Kind::kString)) return node->as_string();
    if (node->is(codec::Document::Kind::kInteger)) return std::to_string(node->as_integer());
    if (node->is(codec::Document::Kind::kBool)) return node->as_bool() ? "true" : "false";
    return "";
  }
  const std::vector<codec::Document>& items() const { return body.find("items")->items(); }
  std::vector<std::string> names(const char* field = "name") const {
    std::vector<std::string> all;
    for (const codec::Document& item : items()) all.push_back(item.find(field)->as_string());
    return all;
  }
};

// Two nodes of two cards; queues org > team-a, team-b. A token is "ROLE" or "ROLE:QUEUE", or one
// that was issued.
class Desk {
 public:
  explicit Desk(RateLimit* rates = nullptr)
      : replica(clock),
        controller({journal, executor, clock, metrics, learner, &journal, &replica}, {}),
        loop(controller, clock, nullptr, {.poll_ms = 5}),
        writer(*this),
        events(replica, clock, 50),
        service{replica,
                writer,
                events,
                questions,
                catalog,
                "1.2.3",
                [] { return "m 1\n"; },
                [this] { return trouble; }},
        api(service, {[this](const HttpRequest& request) { return authenticate(request); }, nullptr,
                      nullptr, rates}) {
    clock.set(1'000'000);
    declare({DeclareModel{t::plain_model("plain", 40'000)}, {}, {}});
    declare({DeclareQueue{t::queue("org")}, {}, {}});
    for (const char* name : {"team-a", "team-b"}) {
      QueueSpec queue = t::queue(name);
      queue.parent = "org";
      declare({DeclareQueue{queue}, {}, {}});
    }
    for (const char* name : {"n1", "n2"}) declare({JoinNode{t::node(name, "plain", 2)}, {}, {}});
    loop.start();
  }
  ~Desk() { loop.stop(); }

  std::shared_ptr<KeptExchange> send(HttpRequest request) {
    auto exchange = std::make_shared<KeptExchange>(std::move(request));
    api.handle(exchange);
    return exchange;
  }
  Asked ask(const std::string& method, const std::string& target, const std::string& body = "",
            const std::string& token = "admin",
            std::vector<std::pair<std::string, std::string>> headers = {}) {
    HttpRequest request;
    request.method = method;
    const std::size_t mark = target.find('?');
    request.path = target.substr(0, mark);
    if (mark != std::string::npos) request.query = parse_query(target.substr(mark + 1));
    request.body = body;
    request.headers = std::move(headers);
    if (!token.empty()) request.headers.emplace_back("authorization", "Bearer " + token);
    const HttpResponse response = send(std::move(request))->wait();
    Asked asked;
    asked.status = response.status;
    asked.text = response.body;
    if (auto document = codec::read_json(response.body)) asked.body = std::move(*document);
    return asked;
  }
  Asked get(const std::string& target, const std::string& token = "admin") {
    return ask("GET", target, "", token);
  }
  Asked submit(const std::string& name, const std::string& queue, int cards,
               const std::string& token = "admin") {
    return ask("POST", "/v1/jobs",
               R"({"name":")" + name + R"(","queue":")" + queue +
                   R"(","roles":[{"containers":[{"cpu":1,"devices":{"count":)" +
                   std::to_string(cards) + "}}]}]}",
               token);
  }
  // Waits until the job stands so.
  bool comes_to(const std::string& job, const std::string& status) {
    for (int i = 0; i < 2000; ++i) {
      if (get("/v1/jobs/" + job).at({"status"}) == status) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }

 private:
  Result<Principal> authenticate(const HttpRequest& request) const {
    const auto bearer = bearer_of(request);
    if (!bearer) return tl::unexpected(bearer.error());
    if (bearer->starts_with("berth_")) return book.find(*bearer);
    const std::string token(*bearer);
    const std::size_t colon = token.find(':');
    const auto role = from_word<Role>(token.substr(0, colon));
    if (!role) return invalid("the token is not known");
    return Principal{token, *role, colon == std::string::npos ? "" : token.substr(colon + 1)};
  }
  void declare(Command command) { ASSERT_TRUE(controller.execute(std::move(command))); }

  struct DeskWriter final : Writer {
    explicit DeskWriter(Desk& of) : desk(of) {}
    void post(Command command, Answer answer) override {
      desk.loop.post(std::move(command), std::move(answer));
    }
    Desk& desk;
  };

 public:
  std::vector<GpuModel> catalog = {t::plain_model("plain", 40'000)};
  journal::MemoryJournal journal;
  control::testing::ManualClock clock;
  control::testing::RecordingExecutor executor;
  control::NoMetrics metrics;
  control::testing::NoLearner learner;
  Replica replica;
  TokenBook book{replica.tokens(), clock};
  control::Controller controller;
  control::ControlLoop loop;
  DeskWriter writer;
  EventHub events;
  Questions questions;
  std::string trouble;
  Service service;
  Api api;
};

}  // namespace berth::server::testing
