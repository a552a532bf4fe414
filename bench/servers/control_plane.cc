#include "bench/servers/control_plane.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

namespace berth::bench {
namespace {

constexpr auto kPatience = std::chrono::seconds(60);
constexpr auto kPause = std::chrono::milliseconds(10);

}  // namespace

std::string_view word(BackEnd back_end) {
  return back_end == BackEnd::kSqlite ? "sqlite" : "etcd3";
}

std::vector<BackEnd> chosen_back_ends(const Arguments& arguments) {
  std::vector<BackEnd> chosen;
  for (const BackEnd one : {BackEnd::kSqlite, BackEnd::kEtcd3}) {
    if (arguments.chosen("--cases", std::string(word(one)))) chosen.push_back(one);
  }
  return chosen;
}

std::string berth_program() {
  const auto self = std::filesystem::read_symlink("/proc/self/exe");
  return (self.parent_path().parent_path() / "berth").string();
}

ControlPlane::ControlPlane(const PlaneOptions& options)
    : options_(options), token_("the-secret-of-the-agents-of-a-bench") {
  std::ofstream(folder_.file("agents.token")) << token_ << "\n";
  std::filesystem::permissions(folder_.file("agents.token"), std::filesystem::perms::owner_read);
  ::setenv("BERTH_DATA", data_folder().c_str(), 1);
  const bool is_alone = options.back_end == BackEnd::kSqlite;
  if (!is_alone) {
    journal::testing::EtcdServer::Options members;
    members.members = 3;
    etcd_ = std::make_unique<journal::testing::EtcdServer>(members);
  }
  processes_.resize(is_alone ? 1 : 3);
  for (std::size_t s = 0; s < processes_.size(); ++s) {
    ports_.push_back(journal::testing::free_port());
    agent_ports_.push_back(journal::testing::free_port());
  }
  for (std::size_t s = 0; s < processes_.size(); ++s) start_again(s);
}

Result<std::unique_ptr<ControlPlane>> ControlPlane::start(const PlaneOptions& options) {
  if (options.back_end == BackEnd::kEtcd3 && !journal::testing::has_etcd()) {
    return fail(ErrorCode::kUnavailable, "there is no etcd on this machine (etcd-server)");
  }
  try {
    auto plane = std::unique_ptr<ControlPlane>(new ControlPlane(options));
    const auto leader = plane->leader();
    if (!leader) return tl::unexpected(leader.error());
    return plane;
  } catch (const std::runtime_error& error) {
    return fail(ErrorCode::kUnavailable, error.what());
  }
}

void ControlPlane::start_again(std::size_t server) {
  const auto at = [](std::uint16_t port) { return "127.0.0.1:" + std::to_string(port); };
  std::vector<std::string> arguments = {berth_program(),
                                        "server",
                                        "--dev",
                                        "--no-nodes",
                                        "--simulation",
                                        options_.simulation,
                                        "--listen",
                                        at(ports_[server]),
                                        "--agents",
                                        at(agent_ports_[server]),
                                        "--agents-token-file",
                                        folder_.file("agents.token")};
  if (etcd_) {
    std::string members;
    for (std::size_t m = 0; m < 3; ++m) members += (m == 0 ? "" : ",") + etcd_->endpoint(m);
    arguments.insert(arguments.end(), {"--etcd", members});
  } else {
    arguments.insert(arguments.end(), {"--journal", folder_.file("journal.sqlite")});
  }
  processes_[server] = std::make_unique<journal::testing::Process>(
      arguments, folder_.file("log-" + std::to_string(server)));
}

cli::Client ControlPlane::client(std::size_t server) const {
  return cli::Client({"http://127.0.0.1:" + std::to_string(ports_[server]), {}, {}});
}

Result<std::size_t> ControlPlane::leader() const {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < until) {
    for (std::size_t s = 0; s < servers(); ++s) {
      auto asked = client(s);
      const auto text = asked.text("/metrics");
      if (text && text->find("\nberth_leads 1") != std::string::npos) return s;
    }
    std::this_thread::sleep_for(kPause);
  }
  return fail(ErrorCode::kUnavailable, "no server leads; the first one says:\n" + log(0));
}

std::vector<int> ControlPlane::process_ids() const {
  std::vector<int> ids;
  for (const auto& one : processes_) ids.push_back(one->id());
  for (std::size_t m = 0; etcd_ && m < 3; ++m) ids.push_back(etcd_->process(m).id());
  return ids;
}

std::string ControlPlane::agents_address() const {
  std::string all;
  for (const std::uint16_t port : agent_ports_) {
    all += (all.empty() ? "127.0.0.1:" : ",127.0.0.1:") + std::to_string(port);
  }
  return all;
}

std::string ControlPlane::log(std::size_t server) const {
  return end_of(folder_.file("log-" + std::to_string(server)));
}

std::string end_of(const std::string& path) {
  constexpr std::size_t kMost = 2'000;
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return text.size() <= kMost ? text : text.substr(text.size() - kMost);
}

}  // namespace berth::bench
