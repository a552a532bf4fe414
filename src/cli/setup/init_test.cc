// What `berth init` makes is enough for a server with TLS and tokens, over real sockets: who knows
// its CA gets in with a token, everybody else does not, and no secret is left lying about.
#include <curl/curl.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "cli/remote/client.h"
#include "cli/remote/contexts.h"
#include "cli/serve/clocks.h"
#include "cli/serve/running_server.h"
#include "cli/serve/secure_options.h"
#include "cli/testing.h"
#include "codec/file.h"
#include "codec/gpu_model_codec.h"
#include "model/testing.h"
#include "sim/agents/sim_agents.h"
#include "sim/load.h"

namespace berth::cli {
namespace {

namespace fs = std::filesystem;
namespace t = berth::testing;
using ::testing::HasSubstr;
using ::testing::Not;

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n');
  const std::size_t begin = text.rfind('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1, end - begin);
}

class Init : public ::testing::Test {
 protected:
  Init() : files_("init-" + std::string(info()->name())) {
    setenv("BERTH_CONFIG", path("contexts.yaml").c_str(), 1);
    for (const char* name : {"BERTH_SERVER", "BERTH_TOKEN"}) unsetenv(name);
  }
  ~Init() override { unsetenv("BERTH_CONFIG"); }

  static const ::testing::TestInfo* info() {
    return ::testing::UnitTest::GetInstance()->current_test_info();
  }
  std::string path(const std::string& name) const {
    return (fs::path(files_.write("mark", "")).parent_path() / name).string();
  }
  // The secret of the first admin.
  std::string init(const std::string& folder, const std::string& context) {
    const std::string where = path(folder);
    const Answer made = answer({"init", "--dir", where.c_str(), "--context", context.c_str()});
    EXPECT_EQ(made.code, kDone) << made.err;
    EXPECT_THAT(made.err, Not(HasSubstr(last_line(made.out)))) << "shown once";
    return last_line(made.out);
  }
  static sim::SimInput input() {
    sim::SimInput input;
    input.models = *codec::load_gpu_catalog("data/gpus");
    input.policy = *sim::load_policy("berth", {"data", {}});
    return input;
  }
  std::unique_ptr<RunningServer> start(const std::string& folder) {
    Arguments arguments;
    arguments.add("--config", path(folder) + "/server.yaml");
    arguments.add("--listen", "127.0.0.1:0");
    arguments.add("--agents", "127.0.0.1:0");
    const auto settings = settings_of(arguments);
    EXPECT_TRUE(settings) << settings.error().to_text();
    ServeOptions options;
    options.journal = settings->journal;
    options.agents_address = settings->agents;
    auto ready = secured(std::move(options), *settings);
    EXPECT_TRUE(ready) << ready.error().to_text();
    auto server = RunningServer::start(std::move(*ready), input());
    EXPECT_TRUE(server) << server.error().to_text();
    return server ? std::move(*server) : nullptr;
  }
  Server at(const RunningServer& server, const std::string& token,
            const std::string& folder) const {
    return {"https://127.0.0.1:" + std::to_string(server.http_port()), token,
            path(folder) + "/ca.crt"};
  }
  // Lets the context ask the server that runs: init has written the usual port.
  void point(const std::string& context, const RunningServer& server) const {
    auto contexts = load_contexts();
    ASSERT_TRUE(contexts);
    for (Context& one : contexts->contexts) {
      if (one.name == context) one.url = at(server, "", "").url;
    }
    ASSERT_TRUE(save_contexts(*contexts));
  }
  // "first-admin", or the error.
  static std::string who(const Server& server) {
    Client client(server);
    const auto version = client.get("/v1/version");
    return version ? version->find("you")->as_string() : version.error().message;
  }

  Files files_;
};

TEST_F(Init, WritesPrivateFilesAndNothingOverThoseThatAreThere) {
  const std::string secret = init("s", "here");
  for (const auto& entry : fs::directory_iterator(path("s"))) {
    EXPECT_EQ(entry.status().permissions(), fs::perms::owner_read | fs::perms::owner_write)
        << entry.path();
    EXPECT_THAT(*codec::read_file(entry.path().string()), Not(HasSubstr(secret))) << entry.path();
  }
  EXPECT_EQ(fs::status(path("contexts.yaml")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  const auto contexts = load_contexts();
  ASSERT_TRUE(contexts);
  EXPECT_EQ(contexts->current, "here");
  EXPECT_EQ(contexts->find("here")->token, secret);
  const std::string again = path("s");
  EXPECT_THAT(answer({"init", "--dir", again.c_str(), "--context", "b"}).err,
              HasSubstr("has files already"));
  const std::string other = path("s2");
  EXPECT_THAT(answer({"init", "--dir", other.c_str(), "--context", "here"}).err,
              HasSubstr("there is a context 'here' already"));
  EXPECT_FALSE(fs::exists(other));
}

TEST_F(Init, TheCertificateIsForAllNamesThatAreGiven) {
  const std::string folder = path("s");
  const Answer made = answer({"init", "--dir", folder.c_str(), "--name", "berth.example.org",
                              "--name", "10.0.0.7", "--context", "a"});
  ASSERT_EQ(made.code, kDone) << made.err;
  EXPECT_THAT(made.err, HasSubstr("certificate for berth.example.org, 10.0.0.7, localhost, "));
  EXPECT_THAT(answer({"init", "--dir", folder.c_str(), "--name", "a", "b"}).code, kUsage);
}

fs::perms mode_of(const std::string& path) { return fs::status(path).permissions(); }

TEST_F(Init, AGroupMayReadWhatItsServerNeedsAndNoMore) {
  const std::string folder = path("s");
  const struct group* own = getgrgid(getgid());
  ASSERT_NE(own, nullptr);
  ASSERT_EQ(answer({"init", "--dir", folder.c_str(), "--group", own->gr_name, "--journal",
                    "/var/lib/berth/journal.sqlite"})
                .code,
            kDone);
  constexpr fs::perms kOwners = fs::perms::owner_read | fs::perms::owner_write;
  constexpr fs::perms kGroups = kOwners | fs::perms::group_read;
  for (const char* name :
       {"server.crt", "server.key", "agents.token", "tokens.yaml", "server.yaml"}) {
    EXPECT_EQ(mode_of(folder + "/" + name), kGroups) << name;
  }
  EXPECT_EQ(mode_of(folder + "/ca.crt"), kGroups | fs::perms::others_read);
  EXPECT_EQ(mode_of(folder + "/ca.key"), kOwners);
  EXPECT_THAT(*codec::read_file(folder + "/server.yaml"),
              HasSubstr("\njournal: /var/lib/berth/journal.sqlite\n"));

  ASSERT_EQ(answer({"init", "--dir", folder.c_str(), "--renew"}).code, kDone);
  EXPECT_EQ(mode_of(folder + "/server.key"), kGroups) << "or the server could not start again";
  const std::string other = path("t");
  EXPECT_THAT(answer({"init", "--dir", other.c_str(), "--group", "no-such-group"}).err,
              HasSubstr("--group: is 'no-such-group'; a group of this machine is accepted"));
  EXPECT_FALSE(fs::exists(other));
}

TEST_F(Init, TheRightCaAndTokenOpenTheServerAndNothingElseDoes) {
  const std::string secret = init("s", "one");
  init("other", "two");
  const auto server = start("s");
  ASSERT_NE(server, nullptr);
  EXPECT_EQ(who(at(*server, secret, "s")), "first-admin");
  EXPECT_THAT(who(at(*server, secret, "other")), HasSubstr("its certificate is not of"));
  Server system = at(*server, secret, "s");
  system.ca.clear();
  EXPECT_THAT(who(system), HasSubstr("its certificate is not of"));
  EXPECT_THAT(who(at(*server, "", "s")), HasSubstr("a token is needed"));
  EXPECT_THAT(who(at(*server, secret + "x", "s")), HasSubstr("not known here"));
  Server plain = at(*server, secret, "s");
  plain.url.replace(0, 5, "http");
  EXPECT_THAT(who(plain), HasSubstr("is the server running?"));
}

TEST_F(Init, ARenewedCertificateIsOfTheSameCa) {
  const std::string secret = init("s", "one");
  const std::string before = *codec::read_file(path("s") + "/server.crt");
  const std::string folder = path("s");
  ASSERT_EQ(answer({"init", "--dir", folder.c_str(), "--renew"}).code, kDone);
  EXPECT_NE(*codec::read_file(path("s") + "/server.crt"), before);
  const auto server = start("s");
  ASSERT_NE(server, nullptr);
  EXPECT_EQ(who(at(*server, secret, "s")), "first-admin");
}

TEST_F(Init, TokensSurviveARestartAndARevokedFirstOneStaysRevoked) {
  const std::string first = init("s", "one");
  std::string second;
  {
    const auto server = start("s");
    ASSERT_NE(server, nullptr);
    point("one", *server);
    const Answer issued = answer({"token", "issue", "bob", "--role", "admin"});
    ASSERT_EQ(issued.code, kDone) << issued.err;
    second = last_line(issued.out);
    EXPECT_EQ(who(at(*server, second, "s")), "bob");
    const Answer listed = answer({"token", "list"});
    EXPECT_THAT(listed.out, HasSubstr("first-admin"));
    EXPECT_THAT(listed.out, HasSubstr("bob"));
    const std::string id = first.substr(6, first.rfind('_') - 6);
    const Answer revoked = answer({"token", "revoke", id.c_str(), "--token", second.c_str()});
    ASSERT_EQ(revoked.code, kDone) << revoked.err;
    EXPECT_THAT(who(at(*server, first, "s")), HasSubstr("not known here"));
  }
  const auto server = start("s");
  ASSERT_NE(server, nullptr);
  EXPECT_EQ(who(at(*server, second, "s")), "bob");
  EXPECT_THAT(who(at(*server, first, "s")), HasSubstr("not known here")) << "not taken in again";
}

TEST_F(Init, SecretsAreNeitherInTheJournalNorInTheLog) {
  ::testing::internal::CaptureStderr();
  const std::string secret = init("s", "one");
  const std::string agents = *codec::read_file(path("s") + "/agents.token");
  std::string issued;
  {
    const auto server = start("s");
    ASSERT_NE(server, nullptr);
    point("one", *server);
    issued = last_line(answer({"token", "issue", "op", "--role", "operator"}).out);
    EXPECT_EQ(who(at(*server, issued, "s")), "op");
    who(at(*server, issued + "x", "s"));
  }
  const std::string log = ::testing::internal::GetCapturedStderr();
  std::string kept;
  for (const auto& entry : fs::directory_iterator(path("s"))) {
    if (entry.path().filename().string().starts_with("journal")) {
      kept += *codec::read_file(entry.path().string());
    }
  }
  EXPECT_THAT(kept, HasSubstr("op")) << "the journal was read";
  for (const std::string& one : {secret, issued, agents.substr(0, agents.size() - 1)}) {
    const std::string random = one.substr(one.rfind('_') + 1);
    EXPECT_EQ(random.size(), 43U);
    EXPECT_EQ(kept.find(random), std::string::npos);
    EXPECT_EQ(log.find(random), std::string::npos);
  }
}

TEST_F(Init, AgentsJoinOverTls) {
  init("s", "one");
  const auto server = start("s");
  ASSERT_NE(server, nullptr);
  const WallClock wall;
  const sim::ScaledClock clock(wall, 1, wall.now());
  sim::SimAgentsInput agents;
  agents.nodes = {t::node("n1", "A100-SXM4-80GB", 2)};
  agents.models = input().models;
  agents.hub.server = "127.0.0.1:" + std::to_string(server->agents_port());
  agents.hub.tls = agent::ClientTls{*codec::read_file(path("s") + "/ca.crt"), {}, {}};
  const std::string secret = *codec::read_file(path("s") + "/agents.token");
  agents.token = secret.substr(0, secret.size() - 1);
  agents.instance = "1";
  const sim::SimAgents nodes(std::move(agents), clock);
  Client client(at(*server, "", "s"));
  const auto is_there = [&client] {
    const auto text = client.text("/metrics");
    return text && text->find("\nberth_agent_sessions 1\n") != std::string::npos;
  };
  for (int i = 0; i < 1000 && !is_there(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(is_there());
}

}  // namespace
}  // namespace berth::cli
