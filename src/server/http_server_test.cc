// Clients that are slow, broken or too large, over real sockets: each holds its own connection and
// nothing else.
#include "server/http_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace berth::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPatienceMs = 10'000;

class Socket {
 public:
  explicit Socket(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  ~Socket() { close(); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  bool send(const std::string& text) const {
    return ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
  }
  // Reads until it has the text, or the other end closes, or so long.
  bool reads(const std::string& text, int within_ms = kPatienceMs) {
    const auto until = Clock::now() + std::chrono::milliseconds(within_ms);
    while (got_.find(text) == std::string::npos && !is_closed_ && Clock::now() < until) take();
    return got_.find(text) != std::string::npos;
  }
  bool is_closed_within(int within_ms) {
    const auto until = Clock::now() + std::chrono::milliseconds(within_ms);
    while (!is_closed_ && Clock::now() < until) take();
    return is_closed_;
  }
  const std::string& got() const { return got_; }

 private:
  void take() {
    pollfd ready{fd_, POLLIN, 0};
    if (::poll(&ready, 1, 20) <= 0) return;
    std::array<char, 16'384> some;
    const ssize_t count = ::recv(fd_, some.data(), some.size(), 0);
    if (count <= 0) {
      is_closed_ = true;
    } else {
      got_.append(some.data(), static_cast<std::size_t>(count));
    }
  }

  int fd_;
  std::string got_;
  bool is_closed_ = false;
};

std::string get(const std::string& path) {
  return "GET " + path + " HTTP/1.1\r\nHost: here\r\n\r\n";
}
std::string post(std::size_t announced, const std::string& body) {
  return "POST /echo HTTP/1.1\r\nHost: here\r\nContent-Length: " + std::to_string(announced) +
         "\r\n\r\n" + body;
}

class Http : public ::testing::Test {
 protected:
  void start(HttpLimits limits = {}) {
    HttpOptions options;
    options.limits = limits;
    auto listening = serve_http(
        options, [this](std::shared_ptr<HttpExchange> exchange) { handle(std::move(exchange)); });
    ASSERT_TRUE(listening) << listening.error().to_text();
    server_ = std::move(*listening);
  }
  ~Http() override {
    if (server_) server_->stop();
    later_.clear();
    kept_.clear();
    streams_.clear();
    server_.reset();
  }
  void handle(std::shared_ptr<HttpExchange> exchange) {
    const std::string& path = exchange->request().path;
    if (path == "/drop") return;
    if (path == "/keep") {
      const std::lock_guard lock(mutex_);
      kept_.push_back(std::move(exchange));
      return;
    }
    if (path == "/stream") {
      const std::lock_guard lock(mutex_);
      HttpResponse head;
      head.content_type = "text/event-stream";
      streams_.push_back(exchange->begin_stream(std::move(head)));
      return;
    }
    HttpResponse response;
    response.body = "[" + path + exchange->request().body + "]";
    exchange->answer(std::move(response));
  }
  // Whether somebody else is served.
  bool serves() {
    Socket other(port());
    return other.send(get("/hello")) && other.reads("[/hello]");
  }
  std::shared_ptr<HttpStream> stream() {
    for (int i = 0; i < kPatienceMs; ++i) {
      {
        const std::lock_guard lock(mutex_);
        if (!streams_.empty()) return streams_.back();
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return nullptr;
  }
  std::uint16_t port() const { return server_->port(); }

  std::unique_ptr<HttpServer> server_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<HttpExchange>> kept_;
  std::vector<std::shared_ptr<HttpStream>> streams_;
  std::vector<std::jthread> later_;
};

TEST_F(Http, AConnectionServesOneRequestAfterTheOther) {
  start();
  Socket client(port());
  ASSERT_TRUE(client.send(get("/one")));
  EXPECT_TRUE(client.reads("[/one]"));
  ASSERT_TRUE(client.send(post(3, "abc")));
  EXPECT_TRUE(client.reads("[/echoabc]"));
}

TEST_F(Http, WhatIsNoHttpIsCutOff) {
  start();
  for (const char* bad : {"\x16\x03\x01\x02\x00 hello\r\n\r\n", "GET\r\n\r\n",
                          "POST /x HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
                          "POST /x HTTP/1.1\r\nContent-Length: many\r\n\r\n"}) {
    Socket client(port());
    client.send(bad);
    EXPECT_TRUE(client.is_closed_within(kPatienceMs)) << bad;
    EXPECT_EQ(client.got().find("[/"), std::string::npos) << "it was not handled";
  }
  EXPECT_TRUE(serves());
}

TEST_F(Http, WhatIsBeyondALimitIsNotHandled) {
  HttpLimits limits;
  limits.body_bytes = 1'000;
  limits.url_bytes = 200;
  limits.header_bytes = 300;
  limits.headers = 10;
  start(limits);
  std::string many = "GET /x HTTP/1.1\r\nHost: here\r\n";
  for (int i = 0; i < 50; ++i) many += "X-" + std::to_string(i) + ": 1\r\n";
  const std::string large[] = {
      post(1'001, std::string(1'001, 'x')), post(1'000'000'000'000, "x"),
      get("/" + std::string(300, 'a')),
      "GET /x HTTP/1.1\r\nHost: here\r\nX-Long: " + std::string(400, 'a') + "\r\n\r\n",
      many + "\r\n"};
  for (const std::string& request : large) {
    Socket client(port());
    client.send(request);
    EXPECT_TRUE(client.is_closed_within(kPatienceMs)) << request.substr(0, 60);
    EXPECT_EQ(client.got().find("[/"), std::string::npos) << request.substr(0, 60);
  }
  Socket small(port());
  small.send(post(1'000, std::string(1'000, 'x')));
  EXPECT_TRUE(small.reads("xx]")) << "at the limit";
}

TEST_F(Http, WhoSendsSlowlyIsCutOffAndHoldsNobodyUp) {
  HttpLimits limits;
  limits.read_ms = 300;
  start(limits);
  Socket silent(port());
  Socket half(port());
  half.send("POST /echo HTTP/1.1\r\nHost: here\r\nContent-Le");
  Socket short_body(port());
  short_body.send(post(100, "only this"));
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(serves());
  EXPECT_TRUE(silent.is_closed_within(kPatienceMs));
  EXPECT_TRUE(half.is_closed_within(kPatienceMs));
  EXPECT_TRUE(short_body.is_closed_within(kPatienceMs));
}

TEST_F(Http, BeyondTheMostConnectionsOneWaitsForAnotherToEnd) {
  HttpLimits limits;
  limits.connections = 3;
  start(limits);
  std::vector<std::unique_ptr<Socket>> first;
  for (int i = 0; i < 3; ++i) {
    first.push_back(std::make_unique<Socket>(port()));
    ASSERT_TRUE(first.back()->send(get("/hold")));
    ASSERT_TRUE(first.back()->reads("[/hold]"));
  }
  Socket next(port());
  next.send(get("/next"));
  EXPECT_FALSE(next.reads("[/next]", 200)) << "three are open";
  first.pop_back();
  EXPECT_TRUE(next.reads("[/next]"));
}

TEST_F(Http, AnAnswerToSomebodyWhoHasGoneIsDropped) {
  start();
  for (int i = 0; i < 50; ++i) {
    Socket gone(port());
    gone.send(get("/keep"));
  }
  for (int i = 0; i < kPatienceMs; ++i) {
    const std::lock_guard lock(mutex_);
    if (kept_.size() == 50) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const std::lock_guard lock(mutex_);
  ASSERT_EQ(kept_.size(), 50U);
  for (const auto& exchange : kept_) exchange->answer({200, "text/plain", "late", {}});
  EXPECT_TRUE(serves());
}

TEST_F(Http, ARequestThatNobodyAnswersIsAnswered) {
  start();
  Socket client(port());
  client.send(get("/drop"));
  EXPECT_TRUE(client.reads("HTTP/1.1 500"));
}

TEST_F(Http, AListenerThatReadsNothingIsTurnedAwayAndOthersAreTold) {
  HttpLimits limits;
  limits.stream_bytes = 64 * 1024;
  start(limits);
  Socket deaf(port());
  deaf.send(get("/stream"));
  const auto slow = stream();
  ASSERT_NE(slow, nullptr);
  Socket listening(port());
  listening.send(get("/stream"));
  ASSERT_TRUE(listening.reads("HTTP/1.1 200"));
  std::shared_ptr<HttpStream> quick;
  {
    const std::lock_guard lock(mutex_);
    ASSERT_EQ(streams_.size(), 2U);
    quick = streams_.back();
  }
  bool is_taken = true;
  std::size_t sent = 0;
  for (int i = 0; i < 10'000 && is_taken; ++i, sent += 4'096) {
    is_taken = slow->send(std::string(4'096, 'x'));
  }
  EXPECT_FALSE(is_taken) << "what waits for it is bounded, not " << sent << " bytes";
  EXPECT_TRUE(quick->send("news\n"));
  EXPECT_TRUE(listening.reads("news"));
}

TEST_F(Http, AStreamTakesNoPieceBeyondTheLimitAndSaysWhenItHasSentAll) {
  HttpLimits limits;
  limits.stream_bytes = 64 * 1024;
  start(limits);
  Socket listening(port());
  listening.send(get("/stream"));
  const auto open = stream();
  ASSERT_NE(open, nullptr);
  EXPECT_FALSE(open->send(std::string(limits.stream_bytes + 1, 'x')));
  EXPECT_EQ(open->waiting(), 0U);
  EXPECT_TRUE(open->send(std::string(limits.stream_bytes - 3, 'x') + "end"));
  EXPECT_TRUE(listening.reads("xxxend"));
  for (int i = 0; i < kPatienceMs && open->waiting() > 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(open->waiting(), 0U);
}

TEST_F(Http, AStreamWhoseListenerHasGoneTakesNothingMore) {
  start();
  {
    Socket client(port());
    client.send(get("/stream"));
    ASSERT_TRUE(client.reads("HTTP/1.1 200"));
  }
  const auto open = stream();
  ASSERT_NE(open, nullptr);
  bool is_taken = true;
  for (int i = 0; i < kPatienceMs && is_taken; ++i) {
    is_taken = open->send("x");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_FALSE(is_taken);
}

}  // namespace
}  // namespace berth::server
