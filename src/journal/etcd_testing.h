// Real etcd for tests and benches: processes on the loopback interface that end with the program,
// and a wire that can be cut.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "journal/etcd_client.h"
#include "journal/journal_testing.h"

namespace berth::journal::testing {

// Whether there is an etcd on this machine; where there is none tests say that they are skipped.
bool has_etcd();
inline constexpr const char* kNoEtcd = "SKIPPED: there is no etcd on this machine (etcd-server)";

std::uint16_t free_port();

// One process, killed at the end of this object, and at that of the test program.
class Process {
 public:
  Process(const std::vector<std::string>& arguments, const std::string& log);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void signal(int number) const;
  void kill();
  pid_t id() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

// The members of one etcd, with their data in a folder of their own.
class EtcdServer {
 public:
  struct Options {
    std::size_t members = 1;
    std::uint64_t quota_bytes = 0;  // 0: etcd's own
    EtcdTls tls_files;              // names of files; none: plain text
  };
  EtcdServer() : EtcdServer(Options()) {}
  explicit EtcdServer(const Options& options);

  // Of all members; a call is given up after less time than is good in earnest.
  EtcdSettings settings() const;
  const std::string& endpoint(std::size_t member) const { return endpoints_[member]; }
  Process& process(std::size_t member) { return *processes_[member]; }
  // As a member that was killed comes back.
  void start(std::size_t member);

 private:
  std::vector<std::string> arguments(std::size_t member) const;

  Options options_;
  TemporaryFolder folder_;
  std::vector<std::string> endpoints_;
  std::vector<std::string> peers_;
  std::vector<std::unique_ptr<Process>> processes_;
};

// One server for the tests of a program that need no more than a prefix of their own.
const EtcdServer& shared_etcd();
std::string new_prefix();

// Forwards a port to another one, as told.
class TcpProxy {
 public:
  enum class Mode : std::uint8_t {
    kPass,
    kLoseAnswers,   // what comes back is read and thrown away
    kHoldRequests,  // what goes there is kept, and follows with kPass
    kHoldAll,
  };
  explicit TcpProxy(const std::string& target);
  ~TcpProxy();
  TcpProxy(const TcpProxy&) = delete;
  TcpProxy& operator=(const TcpProxy&) = delete;

  const std::string& endpoint() const { return endpoint_; }
  void set(Mode mode) { mode_ = mode; }
  // Ends the connections that there are.
  void cut() { ++cuts_; }

 private:
  struct Pair {
    int near = -1;
    int far = -1;
  };
  void run(const std::stop_token& stop);
  void accept_one();
  bool forward(int from, int to, Mode special) const;

  int listener_ = -1;
  std::uint16_t target_port_ = 0;
  std::string endpoint_;
  std::atomic<Mode> mode_ = Mode::kPass;
  std::atomic<int> cuts_ = 0;
  std::vector<Pair> pairs_;  // of the thread
  std::jthread thread_;
};

}  // namespace berth::journal::testing
