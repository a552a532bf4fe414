// The client by itself: what it accepts, TLS, and what its errors say.
#include "journal/etcd_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "journal/etcd_testing.h"

namespace berth::journal {
namespace {

using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

std::string contents(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(EtcdClient, RefusesWhatCannotWork) {
  const auto refusal = [](const EtcdSettings& settings) {
    const auto client = EtcdClient::open(settings);
    EXPECT_FALSE(client.has_value());
    return client ? Error{} : client.error();
  };
  EXPECT_EQ(refusal({}).field, "endpoints");
  EXPECT_THAT(refusal({{"http://127.0.0.1:2379"}, {}}).message, HasSubstr("host:port is accepted"));
  EXPECT_EQ(refusal({{"127.0.0.1"}, {}}).field, "endpoints");
  EXPECT_EQ(refusal({{"127.0.0.1:2379"}, EtcdTls{"ca", "certificate", ""}}).field, "tls");
}

TEST(EtcdClient, SaysWhomItAskedAndEndsInTime) {
  const std::string one = "127.0.0.1:" + std::to_string(testing::free_port());
  const std::string other = "127.0.0.1:" + std::to_string(testing::free_port());
  const auto client = EtcdClient::open({{one, other}, std::nullopt, 200, 500});
  const auto begin = Clock::now();
  const auto answer = (*client)->get("/a");
  ASSERT_FALSE(answer.has_value());
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(2));
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(answer.error().message,
              HasSubstr("none of its members answers (" + one + " " + other + ")"));
}

TEST(EtcdClient, AWatchBringsWhatHappensFromARevisionOn) {
  if (!testing::has_etcd()) GTEST_SKIP() << testing::kNoEtcd;
  const auto client = std::move(*EtcdClient::open(testing::shared_etcd().settings()));
  const std::string prefix = testing::new_prefix();
  ASSERT_TRUE(client->put({prefix + "/a", "1"}));
  const EtcdRevision from = client->get(prefix + "/a")->value().modified;
  const auto watch = client->watch(prefix + "/", prefix + "0", from);
  const auto first = watch->next(5'000);
  ASSERT_TRUE(first.has_value()) << first.error().to_text();
  ASSERT_EQ(first->size(), 1U);
  EXPECT_EQ(first->front().entry.value, "1");
  EXPECT_TRUE(watch->next(10)->empty());
  ASSERT_TRUE(client->erase(prefix + "/a", {}));
  EXPECT_EQ(watch->next(5'000)->front().kind, EtcdChange::Kind::kErased);
  ASSERT_TRUE(client->compact(from + 1));
  EXPECT_EQ(client->watch(prefix + "/", prefix + "0", from)->next(5'000).error().code,
            ErrorCode::kNotFound);
  EXPECT_EQ(client->range({prefix + "/a", {}, 0, from}).error().code, ErrorCode::kNotFound);
  watch->cancel();
  EXPECT_EQ(watch->next(5'000).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(watch->next(5'000).error().code, ErrorCode::kUnavailable) << "it stays so";
}

// One certificate is the authority's, the server's and the client's.
TEST(EtcdClient, SpeaksTls) {
  if (!testing::has_etcd()) GTEST_SKIP() << testing::kNoEtcd;
  const testing::TemporaryFolder folder;
  const EtcdTls files{folder.file("pem"), folder.file("pem"), folder.file("key")};
  const std::string make =
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "
      "/CN=berth-test -addext subjectAltName=IP:127.0.0.1 -keyout " +
      files.key + " -out " + files.certificate + " 2>/dev/null";
  if (std::system(make.c_str()) != 0) GTEST_SKIP() << "SKIPPED: there is no openssl (openssl)";
  testing::EtcdServer::Options options;
  options.tls_files = files;
  const testing::EtcdServer server(options);
  EtcdSettings settings = server.settings();
  settings.tls = EtcdTls{contents(files.ca), contents(files.certificate), contents(files.key)};
  const auto client = std::move(*EtcdClient::open(settings));
  const Status put = client->put({"/a", "b"});
  ASSERT_TRUE(put.has_value()) << put.error().to_text();
  EXPECT_EQ(client->get("/a")->value().value, "b");
  settings.patience_ms = 300;
  settings.tls->certificate = settings.tls->key = "";
  EXPECT_FALSE((*EtcdClient::open(settings))->get("/a").has_value());
  settings.tls.reset();
  EXPECT_FALSE((*EtcdClient::open(settings))->get("/a").has_value());
}

}  // namespace
}  // namespace berth::journal
