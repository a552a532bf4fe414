// `berth submit` of several jobs under one request id, against a whole server in this process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/remote/client.h"
#include "cli/serve/running_server.h"
#include "cli/testing.h"
#include "codec/gpu_model_codec.h"
#include "sim/load.h"

namespace berth::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

std::vector<std::string> jobs_of(Client& client) {
  std::vector<std::string> names;
  const auto jobs = client.list("/v1/jobs");
  EXPECT_TRUE(jobs);
  for (const codec::Document& job : jobs->items()) names.push_back(job.find("name")->as_string());
  return names;
}

TEST(Submit, EachJobOfAFileIsSubmittedOnceUnderOneRequestId) {
  const auto server = start();
  ASSERT_NE(server, nullptr);
  const std::string url = "http://127.0.0.1:" + std::to_string(server->http_port());
  Client client({url, {}, {}});
  ASSERT_TRUE(client.send({"PUT", "/v1/queues/q", R"({"name":"q"})", "application/json", {}}));
  const Files files("submit-twice");
  const std::string job = ", queue: q, roles: [{containers: [{devices: {count: 1000}}]}]}\n";
  const std::string both = files.write("both.yaml", "- {name: one" + job + "- {name: two" + job);
  for (int i = 0; i < 2; ++i) {
    const Answer submitted =
        answer({"submit", "--server", url.c_str(), "--request-id", "x", both.c_str()});
    EXPECT_EQ(submitted.code, kDone) << submitted.err;
    EXPECT_EQ(submitted.out, "job one submitted\njob two submitted\n");
    EXPECT_THAT(jobs_of(client), ElementsAre("one", "two"));
  }
  const std::string three = files.write("three.yaml", "{name: three" + job);
  const std::string four = files.write("four.yaml", "{name: four" + job);
  EXPECT_EQ(answer({"submit", "--server", url.c_str(), "--request-id", "y", three.c_str()}).code,
            kDone);
  const Answer refused =
      answer({"submit", "--server", url.c_str(), "--request-id", "y", four.c_str()});
  EXPECT_NE(refused.code, kDone);
  EXPECT_THAT(refused.err, HasSubstr("was used for job 'three'"));
  EXPECT_THAT(jobs_of(client), ElementsAre("one", "two", "three"));
}

}  // namespace
}  // namespace berth::cli
