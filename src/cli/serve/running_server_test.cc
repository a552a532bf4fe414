// A whole server in this process: what its end is like for those who are connected.
#include "cli/serve/running_server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "cli/remote/client.h"
#include "codec/gpu_model_codec.h"
#include "sim/load.h"

namespace berth::cli {
namespace {

std::unique_ptr<RunningServer> start() {
  sim::SimInput input;
  input.models = *codec::load_gpu_catalog("data/gpus");
  input.policy = *sim::load_policy("berth", {"data", {}});
  ServeOptions options;
  options.http.port = 0;
  options.agents_address = "127.0.0.1:0";
  options.dev = DevMode{1, false, false};
  auto server = RunningServer::start(std::move(options), std::move(input));
  EXPECT_TRUE(server) << server.error().to_text();
  return server ? std::move(*server) : nullptr;
}

TEST(RunningServer, EndsWhileStreamsAreOpenAndRequestsUnderWay) {
  auto server = start();
  ASSERT_NE(server, nullptr);
  const std::string url = "http://127.0.0.1:" + std::to_string(server->http_port());
  std::atomic<int> listening = 0;
  std::atomic<int> ended = 0;
  std::atomic<bool> is_over = false;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      Client client({url, {}, {}});
      bool is_told = false;
      client.stream("/v1/events/stream?from=0", {}, [&](const std::string&) {
        if (!is_told) ++listening;
        is_told = true;
        return true;
      });
      ++ended;
    });
  }
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      Client client({url, {}, {}});
      while (!is_over) client.get("/v1/cluster");
    });
  }
  for (int i = 0; i < 2000 && listening < 8; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(listening, 8);
  server.reset();
  is_over = true;
  threads.clear();
  EXPECT_EQ(ended, 8) << "each stream was closed";
}

}  // namespace
}  // namespace berth::cli
