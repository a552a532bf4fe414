// Which server is asked, and which secrets it gets: those of a context are for its own server, and
// none crosses the network in clear text.
#include "cli/remote/contexts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "cli/environment.h"
#include "cli/testing.h"

namespace berth::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

using Given = std::vector<std::pair<std::string, std::string>>;

class ContextsOfAUser : public ::testing::Test {
 protected:
  ContextsOfAUser() : files_("contexts-test") {
    forget();
    setenv("BERTH_CONFIG", (files_.write("mark", "") + ".yaml").c_str(), 1);
  }
  ~ContextsOfAUser() override {
    forget();
    unsetenv("BERTH_CONFIG");
  }

  static void forget() {
    for (const char* name : {"BERTH_SERVER", "BERTH_TOKEN"}) unsetenv(name);
  }
  static void add(const std::string& url) {
    ASSERT_TRUE(save_contexts({"prod", {{"prod", url, "the-secret", "/prod/ca.crt"}}}));
  }
  static Result<Server> find(const Given& given) {
    Arguments arguments;
    for (const auto& [option, value] : given) arguments.add(option, value);
    return find_server(arguments);
  }
  // "URL TOKEN CA", or the error.
  static std::string found(const Given& given) {
    const auto server = find(given);
    return server ? server->url + " " + server->token + " " + server->ca : server.error().to_text();
  }

  Files files_;
};

TEST_F(ContextsOfAUser, ASecretIsForTheContextsOwnServer) {
  add("https://berth.example.org:7700/");
  const std::string own = "https://berth.example.org:7700 the-secret /prod/ca.crt";
  EXPECT_EQ(found({}), own);
  EXPECT_EQ(found({{"--server", "https://berth.example.org:7700"}}), own);
  EXPECT_EQ(found({{"--server", "https://other:7700"}}), "https://other:7700  ");
  EXPECT_EQ(found({{"--server", "otherhost:7700"}}), "http://otherhost:7700  ");
  EXPECT_EQ(found({{"--context", "prod"}, {"--server", "https://other"}}), "https://other  ");
  setenv("BERTH_SERVER", "https://other:7700", 1);
  EXPECT_EQ(found({}), "https://other:7700  ");
  EXPECT_EQ(found({{"--server", "https://berth.example.org:7700"}}), own) << "options come first";
}

TEST_F(ContextsOfAUser, ATokenThatIsGivenIsSentToAnyServer) {
  add("https://berth.example.org:7700");
  EXPECT_EQ(found({{"--token", "mine"}}), "https://berth.example.org:7700 mine /prod/ca.crt");
  EXPECT_EQ(found({{"--token", "mine"}, {"--server", "https://other"}}), "https://other mine ");
  setenv("BERTH_TOKEN", "of-the-shell", 1);
  EXPECT_EQ(found({{"--server", "https://other"}}), "https://other of-the-shell ");
  EXPECT_EQ(found({{"--server", "https://other"}, {"--token", "mine"}}), "https://other mine ");
}

TEST_F(ContextsOfAUser, NoTokenCrossesTheNetworkInClearText) {
  for (const char* url : {"otherhost:7700", "http://otherhost:7700", "HTTP://10.0.0.7:7700",
                          "http://localhost@otherhost:7700", "http://127.otherhost",
                          "http://localhost.otherhost", "http://[fe80::1]:7700", "http://"}) {
    const auto refused = find({{"--server", url}, {"--token", "mine"}});
    ASSERT_FALSE(refused) << url;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalid) << url;
    EXPECT_THAT(refused.error().message, StartsWith("a token is not sent to ")) << url;
    EXPECT_TRUE(find({{"--server", url}})) << url << " without a token";
  }
  for (const char* url : {"https://otherhost:7700", "HTTPS://otherhost", "127.0.0.1:7700",
                          "http://127.0.0.2", "http://localhost:7700", "http://[::1]:7700"}) {
    EXPECT_TRUE(find({{"--server", url}, {"--token", "mine"}})) << url;
  }
  add("http://otherhost:7700");
  EXPECT_THAT(found({}), StartsWith("a token is not sent to http://otherhost:7700, "));
}

TEST_F(ContextsOfAUser, WhatToDoInsteadIsSaid) {
  const Answer refused = answer({"top", "--server", "otherhost:7700", "--token", "mine"});
  EXPECT_EQ(refused.code, kUsage);
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(refused.err,
            "berth: a token is not sent to http://otherhost:7700, where others could read it on "
            "its way; name the server by https:// (--server, BERTH_SERVER, or 'berth context "
            "add'), or ask without a token\n");
}

// What was written must be read again, or no command would work any more.
TEST_F(ContextsOfAUser, WhatCannotBeFoundAgainIsNotKept) {
  const auto refused = [](const Given& arguments, const char* name, const char* url) {
    std::vector<const char*> words = {"context", "add", name, url};
    for (const auto& [option, value] : arguments) {
      words.push_back(option.c_str());
      words.push_back(value.c_str());
    }
    const Answer said = answer(words);
    EXPECT_EQ(said.code, kUsage) << name << " " << url;
    return said.err;
  };
  EXPECT_THAT(refused({}, "x y", "https://berth"), StartsWith("berth: NAME: 'x y' is not a name"));
  for (const char* url : {"ftp://x", "http://", "http://127.0.0.1:abc", ""}) {
    EXPECT_THAT(refused({}, "x", url), StartsWith("berth: URL: is '")) << url;
  }
  EXPECT_THAT(refused({{"--ca", "nope.crt"}}, "x", "https://berth"), HasSubstr("which is no file"));
  EXPECT_TRUE(load_contexts()->contexts.empty());
  const std::string ca = std::filesystem::relative(files_.write("ca.crt", "a CA\n")).string();
  ASSERT_EQ(answer({"context", "add", "x", "https://berth", "--ca", ca.c_str()}).code, kDone);
  EXPECT_TRUE(std::filesystem::path(load_contexts()->contexts.front().ca).is_absolute());
}

TEST_F(ContextsOfAUser, AreListedAddedChosenAndRemovedByName) {
  const Answer none = answer({"context", "list"});
  EXPECT_EQ(none.code, kDone);
  EXPECT_EQ(none.out, "");
  EXPECT_EQ(none.err, "no contexts; " + std::string(kDevServer) + " is asked\n");
  EXPECT_EQ(answer({"context", "add", "prod", "https://berth:7700", "--token", "t"}).err,
            "context prod is the current one\n");
  EXPECT_EQ(answer({"context", "add", "dev", "127.0.0.1:7700"}).code, kDone);
  EXPECT_EQ(answer({"context", "list"}).out,
            "  prod  https://berth:7700\n"
            "* dev  127.0.0.1:7700\n");
  EXPECT_EQ(found({}), "http://127.0.0.1:7700  ");
  EXPECT_EQ(answer({"context", "use", "prod"}).err, "context prod is the current one\n");
  EXPECT_EQ(found({}), "https://berth:7700 t ");
  EXPECT_EQ(found({{"--context", "dev"}}), "http://127.0.0.1:7700  ");
  EXPECT_EQ(answer({"context", "remove", "prod"}).err, "context prod is gone\n");
  EXPECT_EQ(answer({"context", "list"}).out, "  dev  127.0.0.1:7700\n");
}

TEST_F(ContextsOfAUser, AnUnknownOneIsAnsweredWithTheNearest) {
  add("https://berth:7700");
  for (const char* verb : {"use", "remove"}) {
    const Answer unknown = answer({"context", verb, "prd"});
    EXPECT_EQ(unknown.code, kUsage) << verb;
    EXPECT_EQ(unknown.err, "berth: NAME: there is no context 'prd'; did you mean 'prod'?\n");
  }
  const Answer asked = answer({"get", "nodes", "--context", "prd"});
  EXPECT_EQ(asked.code, kUsage);
  EXPECT_EQ(asked.err, "berth: --context: there is no context 'prd'; did you mean 'prod'?\n");
}

}  // namespace
}  // namespace berth::cli
