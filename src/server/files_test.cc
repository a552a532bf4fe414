#include "server/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "server/testing.h"

namespace berth::server {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::KeptExchange;
using ::testing::Not;

// A page in a folder of its own, with a secret beside it.
class WebFilesTest : public ::testing::Test {
 protected:
  WebFilesTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::path(::testing::TempDir()) / (std::string("berth-web-") + test->name());
    fs::remove_all(root_);
    put("dist/index.html", "<!doctype html>");
    put("dist/favicon.svg", "<svg/>");
    put("dist/assets/index-3f2a.js", "run()");
    put("dist/assets/index-77aa.css", "body{}");
    put("secret.txt", "of others");
  }
  ~WebFilesTest() override { fs::remove_all(root_); }

  void put(const std::string& name, const std::string& text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  WebFiles page() const {
    auto read = WebFiles::read((root_ / "dist").string());
    EXPECT_TRUE(read) << (read ? "" : read.error().to_text());
    return read ? std::move(*read) : WebFiles();
  }

  fs::path root_;
};

struct Answer {
  bool is_answered = false;
  HttpResponse response;
  std::string header(const std::string& name) const {
    for (const auto& [key, value] : response.headers) {
      if (key == name) return value;
    }
    return "";
  }
};

Answer get(const WebFiles& files, const std::string& path, const std::string& tag = "",
           const std::string& method = "GET") {
  HttpRequest request;
  request.method = method;
  request.path = path;
  if (!tag.empty()) request.headers = {{"if-none-match", tag}};
  const auto exchange = std::make_shared<KeptExchange>(std::move(request));
  Answer answer;
  answer.is_answered = files.answer(exchange);
  if (answer.is_answered) answer.response = exchange->wait();
  return answer;
}

TEST_F(WebFilesTest, TheRootIsTheIndexAndIsAskedForAgain) {
  const WebFiles files = page();
  for (const char* path : {"/", "/index.html"}) {
    const Answer answer = get(files, path);
    EXPECT_EQ(answer.response.status, 200);
    EXPECT_EQ(answer.response.body, "<!doctype html>");
    EXPECT_EQ(answer.response.content_type, "text/html; charset=utf-8");
    EXPECT_EQ(answer.header("Cache-Control"), "no-cache");
  }
}

TEST_F(WebFilesTest, FilesHaveTheirTypesAndHashedNamesAreKeptForGood) {
  const WebFiles files = page();
  EXPECT_EQ(files.size(), 4U);
  const Answer script = get(files, "/assets/index-3f2a.js");
  EXPECT_EQ(script.response.body, "run()");
  EXPECT_EQ(script.response.content_type, "text/javascript; charset=utf-8");
  EXPECT_THAT(script.header("Cache-Control"), HasSubstr("immutable"));
  EXPECT_EQ(get(files, "/assets/index-77aa.css").response.content_type, "text/css; charset=utf-8");
  const Answer icon = get(files, "/favicon.svg");
  EXPECT_EQ(icon.response.content_type, "image/svg+xml");
  EXPECT_EQ(icon.header("Cache-Control"), "no-cache");
}

TEST_F(WebFilesTest, WhatTheBrowserHasIsNotSentAgain) {
  const WebFiles files = page();
  const std::string tag = get(files, "/").header("ETag");
  ASSERT_THAT(tag, HasSubstr("\""));
  for (const std::string& asked : {tag, "W/" + tag, "\"old\", " + tag, std::string("*")}) {
    const Answer again = get(files, "/", asked);
    EXPECT_EQ(again.response.status, 304) << asked;
    EXPECT_EQ(again.response.body, "");
    EXPECT_EQ(again.header("ETag"), tag);
  }
  EXPECT_EQ(get(files, "/", "\"old\"").response.status, 200);
  put("dist/index.html", "<!doctype html><p>");
  EXPECT_NE(get(page(), "/").header("ETag"), tag);
}

TEST_F(WebFilesTest, OnlyThisServerIsTrusted) {
  const WebFiles files = page();
  for (const char* path : {"/", "/assets/index-3f2a.js"}) {
    const Answer answer = get(files, path);
    const std::string policy = answer.header("Content-Security-Policy");
    EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
    EXPECT_THAT(policy, HasSubstr("script-src 'self';"));
    EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
    EXPECT_EQ(answer.header("X-Content-Type-Options"), "nosniff");
  }
}

TEST_F(WebFilesTest, NoPathLeadsOutOfTheFolder) {
  fs::create_symlink(root_ / "secret.txt", root_ / "dist/link.txt");
  fs::create_directory_symlink(root_, root_ / "dist/up");
  const WebFiles files = page();
  EXPECT_EQ(files.size(), 4U);
  for (const char* path :
       {"/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/assets/../../secret.txt",
        "/assets/%2e%2e/%2e%2e/secret.txt", "/./../secret.txt", "//secret.txt", "/link.txt",
        "/up/secret.txt", "/..\\secret.txt", "/%252e%252e/secret.txt", "/secret.txt%00.html",
        "secret.txt", "", "/assets", "/assets/", "/etc/passwd"}) {
    EXPECT_FALSE(get(files, path).is_answered) << path;
  }
}

TEST_F(WebFilesTest, OnlyReadingIsAnswered) {
  const WebFiles files = page();
  EXPECT_FALSE(get(files, "/", "", "POST").is_answered);
  EXPECT_FALSE(get(files, "/favicon.svg", "", "DELETE").is_answered);
}

TEST_F(WebFilesTest, AFolderThatIsNoPageIsRefused) {
  const auto none = WebFiles::read((root_ / "nowhere").string());
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("nowhere"));
  const auto bare = WebFiles::read((root_ / "dist/assets").string());
  ASSERT_FALSE(bare);
  EXPECT_THAT(bare.error().message, HasSubstr("no index.html"));
  for (int i = 0; i <= 1000; ++i) put("many/" + std::to_string(i), "x");
  const auto many = WebFiles::read((root_ / "many").string());
  ASSERT_FALSE(many);
  EXPECT_THAT(many.error().message, HasSubstr("more than 1000 files"));
}

TEST(WebFiles, WithoutAPageTheRootSaysHowToBuildIt) {
  const WebFiles none;
  const Answer answer = get(none, "/");
  EXPECT_EQ(answer.response.status, 404);
  EXPECT_THAT(answer.response.body, HasSubstr("make web"));
  EXPECT_THAT(answer.response.content_type, HasSubstr("text/plain"));
  EXPECT_FALSE(get(none, "/assets/index-3f2a.js").is_answered);
}

TEST(WebFiles, TheApiAsksThemForWhatNoOperationAnswers) {
  testing::Desk desk;
  const WebFiles none;
  Api api(desk.service,
          {[](const HttpRequest&) -> Result<Principal> { return invalid("no"); }, nullptr,
           [&none](const std::shared_ptr<HttpExchange>& exchange) { return none.answer(exchange); },
           nullptr});
  const auto status = [&api](const std::string& path) {
    HttpRequest request;
    request.method = "GET";
    request.path = path;
    const auto exchange = std::make_shared<KeptExchange>(std::move(request));
    api.handle(exchange);
    return exchange->wait();
  };
  EXPECT_THAT(status("/").body, HasSubstr("make web"));  // without a token
  EXPECT_EQ(status("/v1/jobs").status, 401);
  EXPECT_THAT(status("/v1/jbs").body, HasSubstr("not-found"));
}

}  // namespace
}  // namespace berth::server
