// Three servers over etcd as processes, simulated nodes in a fourth: the leader is killed, stopped
// and asked to go; what was answered stays, and who was running runs on.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/remote/client.h"
#include "cli/remote/table.h"
#include "codec/writer.h"
#include "journal/etcd_testing.h"

namespace berth {
namespace {

using cli::Client;
using codec::Document;
using journal::testing::EtcdServer;
using journal::testing::free_port;
using journal::testing::Process;
using SteadyClock = std::chrono::steady_clock;

std::string program() {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "berth")
      .string();
}

std::string log(const std::string& name) {
  return ::testing::TempDir() + "/berth-" + name + ".log";
}

// Path of the file with what agents present.
std::string secret() {
  const std::string path = ::testing::TempDir() + "/berth-agents.token";
  std::ofstream(path) << "secret-of-the-agents-of-this-test\n";
  return path;
}

class Cluster {
 public:
  static constexpr int kServers = 3;

  Cluster() {
    for (int s = 0; s < kServers; ++s) {
      http_.push_back(free_port());
      agents_.push_back(free_port());
    }
    servers_.resize(kServers);
    for (int s = 0; s < kServers; ++s) start(s);
    std::string all;
    for (const int port : agents_) {
      all += (all.empty() ? "127.0.0.1:" : ",127.0.0.1:") + std::to_string(port);
    }
    nodes_ =
        std::make_unique<Process>(std::vector<std::string>{program(), "simulate-nodes", "--agents",
                                                           all, "--agents-token-file", secret()},
                                  log("nodes"));
  }

  void start(int s) {
    const auto at = static_cast<std::size_t>(s);
    servers_[at] = std::make_unique<Process>(
        std::vector<std::string>{program(), "server", "--dev", "--no-nodes", "--etcd",
                                 etcd_.endpoint(0), "--agents-token-file", secret(), "--listen",
                                 "127.0.0.1:" + std::to_string(http_[at]), "--agents",
                                 "127.0.0.1:" + std::to_string(agents_[at])},
        log("server-" + std::to_string(s)));
  }
  void kill(int s) { servers_[static_cast<std::size_t>(s)]->kill(); }

  Client client(int s) const {
    return Client(
        {"http://127.0.0.1:" + std::to_string(http_[static_cast<std::size_t>(s)]), {}, {}});
  }
  bool leads(int s) const {
    auto asked = client(s);
    const auto text = asked.text("/metrics");
    return text && text->find("\nberth_leads 1") != std::string::npos;
  }
  // None within the patience: -1.
  int leader() const {
    for (int i = 0; i < 600; ++i) {
      for (int s = 0; s < kServers; ++s) {
        if (leads(s)) return s;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return -1;
  }
  std::string status(int s, const std::string& job) const {
    auto asked = client(s);
    const auto view = asked.get("/v1/jobs/" + job);
    return view ? cli::text_of(*view, "status") : view.error().message;
  }
  bool comes_to(int s, const std::string& job, const std::string& wanted) const {
    for (int i = 0; i < 600; ++i) {
      if (status(s, job) == wanted) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }
  // The first attempt that is answered; through a follower it may be one whose leader is gone.
  Status submit(int s, const std::string& name, int cards) const {
    const std::string body = R"({"name":")" + name +
                             R"(","queue":"guests","run_time":"10h","roles":[{"containers":)"
                             R"([{"devices":{"count":)" +
                             std::to_string(cards) + "}}]}]}";
    auto asked = client(s);
    const auto answer = asked.send({"POST", "/v1/jobs", body, "application/json", name});
    return answer ? Status{} : tl::unexpected(answer.error());
  }

 private:
  EtcdServer etcd_;
  std::vector<int> http_;
  std::vector<int> agents_;
  std::vector<std::unique_ptr<Process>> servers_;
  std::unique_ptr<Process> nodes_;
};

TEST(Servers, AnotherOneTakesOverWithinFiveSecondsOfAKill) {
  if (!journal::testing::has_etcd()) GTEST_SKIP() << journal::testing::kNoEtcd;
  setenv("BERTH_DATA", BERTH_SOURCE_DIR "/data", 1);
  Cluster cluster;
  int leader = cluster.leader();
  ASSERT_GE(leader, 0);
  const int follower = (leader + 1) % Cluster::kServers;
  ASSERT_TRUE(cluster.submit(follower, "runs", 1)) << "a follower passes it on";
  ASSERT_TRUE(cluster.comes_to(follower, "runs", "running")) << cluster.status(follower, "runs");
  auto at_follower = cluster.client(follower);
  const auto before = at_follower.get("/v1/jobs/runs");
  ASSERT_TRUE(before);

  const auto killed = SteadyClock::now();
  cluster.kill(leader);
  // The client asks again until it is answered: this is the first commit of the new leader.
  ASSERT_TRUE(cluster.submit(follower, "after", 1));
  const auto gap =
      std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - killed);
  std::printf("from kill -9 to the first commit of the new leader: %lld ms\n",
              static_cast<long long>(gap.count()));
  EXPECT_LT(gap.count(), 10'000)
      << "5 s is asked of a machine that is not loaded; see bench/failover";
  const int next = cluster.leader();
  EXPECT_NE(next, leader);
  ASSERT_TRUE(cluster.comes_to(follower, "after", "running"));

  const auto after = at_follower.get("/v1/jobs/runs");
  ASSERT_TRUE(after);
  EXPECT_EQ(cli::text_of(*after, "status"), "running");
  EXPECT_EQ(cli::text_of(*after, "started_at"), cli::text_of(*before, "started_at"));
  EXPECT_EQ(codec::write_json_line(*after->find("leases")),
            codec::write_json_line(*before->find("leases")))
      << "its lease is untouched";

  cluster.start(leader);
  ASSERT_TRUE(cluster.comes_to(leader, "after", "running")) << "it follows now";
  EXPECT_FALSE(cluster.leads(leader));
}

}  // namespace
}  // namespace berth
