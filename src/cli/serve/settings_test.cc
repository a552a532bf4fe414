// Settings from a file and from options, and what a server without TLS or tokens is told.
#include "cli/serve/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/serve/jwks_fetch.h"
#include "cli/serve/secure_options.h"
#include "cli/testing.h"
#include "codec/file.h"

namespace berth::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<ServerSettings> read(std::initializer_list<std::pair<const char*, std::string>> options) {
  Arguments arguments;
  for (const auto& [name, value] : options) arguments.add(name, value);
  return settings_of(arguments);
}

TEST(Settings, OptionsComeBeforeTheFileWhosePathsAreRelativeToIt) {
  const Files files("settings");
  const std::string file =
      files.write("server.yaml",
                  "listen: 0.0.0.0:1\nkey: k/server.key\njournal: /var/j\nsnapshot_every: 5000\n");
  const auto settings = read({{"--config", file},
                              {"--listen", "127.0.0.1:2"},
                              {"--certificate", "here.crt"},
                              {"--requests-per-second", "2.5"}});
  ASSERT_TRUE(settings) << settings.error().to_text();
  EXPECT_EQ(settings->listen, "127.0.0.1:2");
  EXPECT_EQ(settings->key, std::filesystem::path(file).parent_path() / "k/server.key");
  EXPECT_EQ(settings->journal, "/var/j");
  EXPECT_EQ(settings->certificate, "here.crt");
  EXPECT_EQ(settings->requests_per_second, 2.5);
  EXPECT_EQ(settings->snapshot_every, 5000);
  EXPECT_EQ(settings->agents, "127.0.0.1:7701") << "the default";
}

TEST(Settings, WhatIsWrongIsNamedWithItsPlace) {
  const Files files("settings-wrong");
  const auto typo = read({{"--config", files.write("a.yaml", "listn: x\n")}});
  ASSERT_FALSE(typo);
  EXPECT_THAT(typo.error().to_text(), HasSubstr("did you mean 'listen'?"));
  const auto number = read({{"--snapshot-every", "many"}});
  ASSERT_FALSE(number);
  EXPECT_EQ(number.error().field, "snapshot_every");
  EXPECT_FALSE(read({{"--config", "no-such-file.yaml"}}));
}

TEST(Settings, AFirstTokenHasARoleThatThereIsAndTheQueueThatItNeeds) {
  const std::string hash(64, 'a');
  const auto first = [&](const std::string& access) {
    return codec::from_text<FirstTokens>(
        "tokens: [{id: x, name: ann, hash: " + hash + ", " + access + "}]",
        codec::TextFormat::kYaml, "");
  };
  EXPECT_TRUE(first("role: admin"));
  EXPECT_TRUE(first("role: tenant, queue: team-a"));
  const std::pair<const char*, const char*> wrong[] = {
      {"role: tenant", "role tenant is of one queue"},
      {"role: viewer", "role viewer is of one queue"},
      {"role: admin, queue: team-a", "is of the whole tree"},
      {"role: root", "accepted: admin, operator, tenant, viewer"}};
  for (const auto& [access, why] : wrong) {
    const auto refused = first(access);
    ASSERT_FALSE(refused) << access;
    EXPECT_THAT(refused.error().to_error().to_text(), HasSubstr(why));
  }
}

TEST(Settings, TheCommentedFileIsReadBack) {
  const Files files("settings-back");
  ServerSettings settings;
  settings.listen = "0.0.0.0:9";
  settings.tokens = "/tokens.yaml";
  const std::string text = commented_settings(settings);
  EXPECT_THAT(text, HasSubstr("# Events between two snapshots. Default: 200000.\n"
                              "# snapshot_every: 200000\n"));
  const auto back = read({{"--config", files.write("server.yaml", text)}});
  ASSERT_TRUE(back) << back.error().to_text();
  EXPECT_EQ(*back, settings);
}

TEST(Settings, WithoutDevAServerHasTlsAndTokens) {
  const Answer plain = answer({"server", "--listen", "127.0.0.1:0"});
  EXPECT_EQ(plain.code, kUsage);
  EXPECT_THAT(plain.err, HasSubstr("certificate"));
  EXPECT_THAT(plain.err, HasSubstr("berth init"));
  ServerSettings settings;
  settings.certificate = "a";
  settings.key = "b";
  EXPECT_EQ(secured({}, settings).error().field, "agents_token_file");
  const Files files("short");
  settings.agents_token_file = files.write("t", "hunter2\n");
  const auto brief = secured({}, settings);
  ASSERT_FALSE(brief);
  EXPECT_THAT(brief.error().message, HasSubstr("at least 20"));
  EXPECT_THAT(brief.error().message, Not(HasSubstr("hunter2")));
}

// The public case 068: a new secret is accepted while agents still present the old one.
TEST(Case068, SeveralSecretsOfAgentsAreAcceptedWhileTheyChange) {
  const Files files("secrets");
  ServerSettings settings;
  settings.listen = "127.0.0.1:0";
  settings.agents = "127.0.0.1:0";
  settings.agents_token_file =
      files.write("several", "the-new-secret-of-agents\n\n  the-old-secret-of-agents \r\n");
  ServeOptions options;
  ASSERT_TRUE(open_to_all(options, settings));
  EXPECT_EQ(options.agents_token, "the-new-secret-of-agents");
  EXPECT_THAT(options.other_agents_tokens, ElementsAre("the-old-secret-of-agents"));
  EXPECT_EQ(*agents_secret(settings.agents_token_file), "the-new-secret-of-agents")
      << "the first is what is presented";
  const auto refusal = [&](const std::string& text) {
    const auto read = agents_secrets(files.write("wrong", text));
    EXPECT_FALSE(read);
    return read ? std::string() : read.error().message;
  };
  EXPECT_THAT(refusal("the-new-secret-of-agents\nhunter2\n"), HasSubstr("at least 20"));
  EXPECT_THAT(refusal("\n \n"), HasSubstr("a secret of 0 letters"));
  std::string many;
  for (int i = 0; i < 9; ++i) many += "a-secret-of-agents-number-" + std::to_string(i) + "\n";
  EXPECT_THAT(refusal(many), HasSubstr("has 9 secrets; at most 8 are accepted"));
}

TEST(Settings, DevModeListensToThisMachineOnlyAndHasNoSecrets) {
  const auto check_dev = [](const ServerSettings& settings) {
    ServeOptions options;
    return open_to_all(options, settings);
  };
  ServerSettings settings;
  for (const char* local : {"127.0.0.1:0", ":7700", "7700", "localhost:1"}) {
    settings.listen = local;
    EXPECT_TRUE(check_dev(settings)) << local;
  }
  for (const char* open : {"0.0.0.0:0", "10.0.0.1:1", "[::]:1", "example.org:1"}) {
    settings.listen = open;
    EXPECT_EQ(check_dev(settings).error().field, "listen") << open;
  }
  settings.listen = "127.0.0.1:0";
  for (const char* open : {"0.0.0.0:1", ":7701"}) {
    settings.agents = open;
    EXPECT_EQ(check_dev(settings).error().field, "agents") << open;
  }
  settings.agents = "127.0.0.1:0";
  settings.oidc = "x";
  EXPECT_EQ(check_dev(settings).error().field, "oidc");
  EXPECT_EQ(answer({"server", "--dev", "--listen", "0.0.0.0:0"}).code, kUsage);
}

TEST(Settings, KeysOfAnIdentityProviderComeOverHttpsOrFromAFile) {
  const auto accepts = [](const char* where) {
    server::OidcSettings settings;
    settings.jwks = where;
    return check_jwks(settings).has_value();
  };
  EXPECT_TRUE(accepts("https://id.example.org/keys"));
  EXPECT_TRUE(accepts("http://127.0.0.1:8080/keys"));
  EXPECT_TRUE(accepts("keys.json"));
  EXPECT_FALSE(accepts("http://id.example.org/keys"));
  EXPECT_FALSE(accepts("http://127.0.0.1.example.org/keys"));
  EXPECT_FALSE(accepts("file:///etc/keys"));
}

}  // namespace
}  // namespace berth::cli
