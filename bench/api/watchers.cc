#include "bench/api/watchers.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

namespace berth::bench::api {
namespace {

constexpr std::string_view kToldBy = "event: job-submitted";

int connected(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd < 0) return -1;
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  ::close(fd);
  return -1;
}

// Sends the request and reads the head of the answer.
bool subscribe(int fd, std::size_t queue) {
  const std::string request = "GET /v1/events/stream?queue=q-" + std::to_string(queue) +
                              " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
  if (::send(fd, request.data(), request.size(), MSG_NOSIGNAL) < 0) return false;
  std::string head;
  std::array<char, 512> some;
  while (head.find("\r\n\r\n") == std::string::npos) {
    const ssize_t got = ::recv(fd, some.data(), some.size(), 0);
    if (got <= 0) return false;
    head.append(some.data(), static_cast<std::size_t>(got));
  }
  return head.starts_with("HTTP/1.1 200");
}

}  // namespace

Watchers::Watchers(std::uint16_t port, std::size_t count) : opened_(connect(port, count)) {
  if (opened_) thread_ = std::jthread([this](const std::stop_token& stop) { read(stop); });
}

Watchers::~Watchers() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  for (const Stream& stream : streams_) ::close(stream.fd);
  if (poll_ >= 0) ::close(poll_);
}

Status Watchers::connect(std::uint16_t port, std::size_t count) {
  poll_ = ::epoll_create1(EPOLL_CLOEXEC);
  for (std::size_t i = 0; i < count; ++i) {
    const int fd = connected(port);
    if (fd >= 0) streams_.push_back({fd, {}});
    if (fd < 0 || !subscribe(fd, i)) {
      return fail(ErrorCode::kUnavailable, "stream " + std::to_string(i) + " cannot be opened");
    }
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = i;
    ::epoll_ctl(poll_, EPOLL_CTL_ADD, fd, &event);
  }
  open_ = count;
  return {};
}

void Watchers::read(const std::stop_token& stop) {
  constexpr int kWaitMs = 50;
  std::array<epoll_event, 256> ready;
  while (!stop.stop_requested()) {
    const int count = ::epoll_wait(poll_, ready.data(), static_cast<int>(ready.size()), kWaitMs);
    for (int i = 0; i < count; ++i) {
      Stream& stream = streams_[ready[static_cast<std::size_t>(i)].data.u64];
      if (take(stream)) continue;
      ::epoll_ctl(poll_, EPOLL_CTL_DEL, stream.fd, nullptr);
      --open_;
    }
  }
}

// Whether the stream stands.
bool Watchers::take(Stream& stream) {
  std::array<char, 65'536> some;
  const ssize_t got = ::recv(stream.fd, some.data(), some.size(), MSG_DONTWAIT);
  if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
  if (got == 0) return false;
  stream.tail.append(some.data(), static_cast<std::size_t>(got));
  std::size_t from = 0;
  for (std::size_t end; (end = stream.tail.find('\n', from)) != std::string::npos; from = end + 1) {
    if (std::string_view(stream.tail).substr(from, end - from).starts_with(kToldBy)) ++told_;
  }
  stream.tail.erase(0, from);
  return true;
}

}  // namespace berth::bench::api
