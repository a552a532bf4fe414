// ControlPlane: servers as they are shipped, in processes of their own on the loopback interface:
// one over SQLite, or three over three members of etcd. All end with this object.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "bench/common/arguments.h"
#include "cli/remote/client.h"
#include "journal/etcd_testing.h"

namespace berth::bench {

enum class BackEnd { kSqlite, kEtcd3 };

// "sqlite", "etcd3": as results name the cases.
std::string_view word(BackEnd back_end);
inline const std::vector<std::string> kBackEnds = {"sqlite", "etcd3"};
// Those that --cases names, or both.
std::vector<BackEnd> chosen_back_ends(const Arguments& arguments);

struct PlaneOptions {
  BackEnd back_end = BackEnd::kSqlite;
  std::string simulation;  // whose queues, models and policy are declared; name or path
};

class ControlPlane {
 public:
  // Returns when one of them leads. kUnavailable: it does not come up, with the end of its log.
  static Result<std::unique_ptr<ControlPlane>> start(const PlaneOptions& options);

  std::size_t servers() const { return ports_.size(); }
  std::uint16_t port(std::size_t server) const { return ports_[server]; }
  cli::Client client(std::size_t server) const;
  // Waits until one leads.
  Result<std::size_t> leader() const;
  void kill(std::size_t server) { processes_[server]->kill(); }
  // Starts one that was killed; SQLite: with the journal that it left.
  void start_again(std::size_t server);
  // Process ids, of etcd's members too.
  std::vector<int> process_ids() const;

  std::string agents_address() const;  // of all servers, "host:port,..."
  const std::string& agents_token() const { return token_; }
  std::string folder() const { return folder_.file(""); }
  // The end of what a server wrote.
  std::string log(std::size_t server) const;

 private:
  explicit ControlPlane(const PlaneOptions& options);

  PlaneOptions options_;
  journal::testing::TemporaryFolder folder_;
  std::string token_;
  std::vector<std::uint16_t> ports_;
  std::vector<std::uint16_t> agent_ports_;
  std::unique_ptr<journal::testing::EtcdServer> etcd_;
  std::vector<std::unique_ptr<journal::testing::Process>> processes_;
};

// The last of what a log has.
std::string end_of(const std::string& path);

// The program `berth` of this build.
std::string berth_program();

}  // namespace berth::bench
