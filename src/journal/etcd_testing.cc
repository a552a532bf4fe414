#include "journal/etcd_testing.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace berth::journal::testing {
namespace {

constexpr const char* kEtcd = "/usr/bin/etcd";
constexpr int kPollMs = 5;  // until a proxy sees what it was told

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// Bound to a free port of the loopback interface.
int bound_socket() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(0);
  if (fd < 0 || ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("no port of 127.0.0.1 is free");
  }
  return fd;
}

std::uint16_t port_of(int fd) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

// Different ones: each is taken until all are known.
std::vector<std::uint16_t> free_ports(std::size_t count) {
  std::vector<int> sockets;
  std::vector<std::uint16_t> ports;
  for (std::size_t i = 0; i < count; ++i) {
    sockets.push_back(bound_socket());
    ports.push_back(port_of(sockets.back()));
  }
  for (const int fd : sockets) ::close(fd);
  return ports;
}

std::string at_loopback(std::uint16_t port) { return "127.0.0.1:" + std::to_string(port); }

}  // namespace

bool has_etcd() { return ::access(kEtcd, X_OK) == 0; }

std::uint16_t free_port() { return free_ports(1).front(); }

Process::Process(const std::vector<std::string>& arguments, const std::string& log) {
  std::vector<char*> argv;
  for (const std::string& one : arguments) argv.push_back(const_cast<char*>(one.c_str()));
  argv.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("no process can be made");
  if (pid_ > 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(out, STDERR_FILENO);
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

Process::~Process() { kill(); }

void Process::signal(int number) const {
  if (pid_ > 0) ::kill(pid_, number);
}

void Process::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

EtcdServer::EtcdServer(const Options& options) : options_(options) {
  const std::vector<std::uint16_t> ports = free_ports(2 * options.members);
  for (std::size_t m = 0; m < options.members; ++m) {
    endpoints_.push_back(at_loopback(ports[2 * m]));
    peers_.push_back(at_loopback(ports[2 * m + 1]));
  }
  processes_.resize(options.members);
  for (std::size_t m = 0; m < options.members; ++m) start(m);
  if (!options.tls_files.ca.empty()) return;  // whoever has the keys asks
  EtcdSettings patient = settings();
  patient.patience_ms = 20'000;
  const auto client = EtcdClient::open(patient);
  const auto answer = (*client)->get("/");
  if (!answer) throw std::runtime_error("etcd does not come up: " + answer.error().to_text());
}

void EtcdServer::start(std::size_t member) {
  processes_[member] =
      std::make_unique<Process>(arguments(member), folder_.file("log" + std::to_string(member)));
}

std::vector<std::string> EtcdServer::arguments(std::size_t member) const {
  const bool is_plain = options_.tls_files.ca.empty();
  const std::string url = (is_plain ? "http://" : "https://") + endpoints_[member];
  std::string cluster;
  for (std::size_t m = 0; m < peers_.size(); ++m) {
    cluster += (m == 0 ? "m" : ",m") + std::to_string(m) + "=http://" + peers_[m];
  }
  const std::string name = "m" + std::to_string(member);
  std::vector<std::string> all{kEtcd, "--name", name, "--data-dir", folder_.file(name)};
  const auto add = [&](const std::string& flag, const std::string& value) {
    all.push_back("--" + flag);
    all.push_back(value);
  };
  add("listen-client-urls", url);
  add("advertise-client-urls", url);
  add("listen-peer-urls", "http://" + peers_[member]);
  add("initial-advertise-peer-urls", "http://" + peers_[member]);
  add("initial-cluster", cluster);
  add("heartbeat-interval", "50");
  add("election-timeout", "500");  // of it come the shortest lease, and how long an election takes
  if (options_.quota_bytes > 0) {
    add("quota-backend-bytes", std::to_string(options_.quota_bytes));
  }
  if (!is_plain) {
    add("trusted-ca-file", options_.tls_files.ca);
    add("cert-file", options_.tls_files.certificate);
    add("key-file", options_.tls_files.key);
    all.push_back("--client-cert-auth");
  }
  return all;
}

EtcdSettings EtcdServer::settings() const { return {endpoints_, std::nullopt, 1'000, 5'000}; }

const EtcdServer& shared_etcd() {
  static const EtcdServer server;
  return server;
}

std::string new_prefix() {
  static int number = 0;
  return "/berth-test/" + std::to_string(++number);
}

TcpProxy::TcpProxy(const std::string& target) : listener_(bound_socket()) {
  target_port_ = static_cast<std::uint16_t>(std::stoi(target.substr(target.find(':') + 1)));
  endpoint_ = at_loopback(port_of(listener_));
  ::listen(listener_, 16);
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

TcpProxy::~TcpProxy() {
  thread_.request_stop();
  thread_.join();
  for (const Pair& pair : pairs_) {
    ::close(pair.near);
    ::close(pair.far);
  }
  ::close(listener_);
}

void TcpProxy::run(const std::stop_token& stop) {
  int cuts = 0;
  while (!stop.stop_requested()) {
    const int wanted = cuts_;
    std::vector<pollfd> ready{{listener_, POLLIN, 0}};
    ::poll(ready.data(), 1, pairs_.empty() ? kPollMs : 0);
    if ((ready[0].revents & POLLIN) != 0) accept_one();
    ready.clear();
    for (const Pair& pair : pairs_) {
      ready.push_back({pair.near, POLLIN, 0});
      ready.push_back({pair.far, POLLIN, 0});
    }
    ::poll(ready.data(), ready.size(), mode_ == Mode::kPass ? kPollMs : 0);
    if (mode_ != Mode::kPass) ::poll(nullptr, 0, kPollMs);
    std::vector<Pair> left;
    for (const Pair& pair : pairs_) {
      const bool is_up = cuts == wanted && forward(pair.near, pair.far, Mode::kHoldRequests) &&
                         forward(pair.far, pair.near, Mode::kLoseAnswers);
      if (is_up) {
        left.push_back(pair);
        continue;
      }
      ::close(pair.near);
      ::close(pair.far);
    }
    pairs_ = std::move(left);
    cuts = wanted;
  }
}

void TcpProxy::accept_one() {
  const int near = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  const int far = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(target_port_);
  const int on = 1;
  if (::connect(far, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(near);
    ::close(far);
    return;
  }
  for (const int fd : {near, far}) ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  pairs_.push_back({near, far});
}

// What has come, in the mode that does not do so; whether the connection goes on.
bool TcpProxy::forward(int from, int to, Mode special) const {
  const Mode mode = mode_;
  if (mode == Mode::kHoldAll || (mode == special && mode == Mode::kHoldRequests)) return true;
  std::array<char, 65'536> bytes;
  const ssize_t got = ::recv(from, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (got == 0) return false;
  if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
  if (mode == special) return true;  // lost
  for (ssize_t sent = 0; sent < got;) {
    const ssize_t some =
        ::send(to, bytes.data() + sent, static_cast<std::size_t>(got - sent), MSG_NOSIGNAL);
    if (some <= 0) return false;
    sent += some;
  }
  return true;
}

}  // namespace berth::journal::testing
