// `berth events -f` against servers that refuse or break off, by a stub that answers what a test
// says: where it goes on from, and when it ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

#include "cli/testing.h"
#include "server/http_server.h"

namespace berth::cli {
namespace {

using server::HttpExchange;
using server::HttpResponse;

// Nothing to list, at revision 17; `stream` answers each stream, the first of which is number 1.
class StubServer {
 public:
  using Stream = std::function<void(HttpExchange& exchange, int number)>;

  explicit StubServer(Stream stream)
      : files_("events-test"),
        stream_(std::move(stream)),
        http_(*server::serve_http({}, [this](const std::shared_ptr<HttpExchange>& exchange) {
          if (exchange->request().path == "/v1/events/stream") {
            stream_(*exchange, ++streams_);
          } else {
            exchange->answer({200, "application/json", R"({"items":[],"revision":17})", {}});
          }
        })) {
    setenv("BERTH_CONFIG", (files_.write("mark", "") + ".yaml").c_str(), 1);
    setenv("BERTH_SERVER", ("http://127.0.0.1:" + std::to_string(http_->port())).c_str(), 1);
  }
  ~StubServer() {
    http_->stop();
    for (const char* name : {"BERTH_CONFIG", "BERTH_SERVER"}) unsetenv(name);
  }
  StubServer(const StubServer&) = delete;
  StubServer& operator=(const StubServer&) = delete;

  int streams() const { return streams_; }

 private:
  Files files_;
  Stream stream_;
  std::atomic<int> streams_ = 0;
  std::unique_ptr<server::HttpServer> http_;
};

// As a server refuses: one line of JSON with its end.
void refuse(HttpExchange& exchange, int status, const std::string& code,
            const std::string& message) {
  exchange.answer({status,
                   "application/json",
                   R"({"error":{"code":")" + code + R"(","message":")" + message + "\"}}\n",
                   {}});
}

std::string from(const HttpExchange& exchange) {
  return "from " + std::string(exchange.request().header("last-event-id").value_or("nowhere"));
}

TEST(Events, FollowFromTheRevisionOfAListWithNothingInIt) {
  const StubServer stub(
      [](HttpExchange& exchange, int) { refuse(exchange, 404, "not-found", from(exchange)); });
  const Answer followed = answer({"events", "-f", "--job", "none"});
  EXPECT_EQ(followed.code, kUsage);
  EXPECT_EQ(followed.out, "");
  EXPECT_EQ(followed.err, "berth: from 17\n");
}

TEST(Events, EndWithTheServersRefusalToldOnce) {
  for (const auto& [status, code] : {std::pair(401, "unauthorized"), std::pair(403, "forbidden")}) {
    const StubServer stub([&, status = status, code = code](HttpExchange& exchange, int) {
      refuse(exchange, status, code, "the token is not known here");
    });
    const Answer refused = answer({"events", "--follow"});
    EXPECT_EQ(refused.code, kUsage) << status;
    EXPECT_EQ(refused.err, "berth: the token is not known here\n");
    EXPECT_EQ(stub.streams(), 1);
  }
}

TEST(Events, GoOnAfterABrokenStreamFromTheLastThatWasShown) {
  const StubServer stub([](HttpExchange& exchange, int number) {
    if (number > 1) return refuse(exchange, 403, "forbidden", from(exchange));
    HttpResponse head;
    head.content_type = "text/event-stream";
    const auto stream = exchange.begin_stream(std::move(head));
    stream->send(
        "id: 21\nevent: job-started\n"
        R"(data: {"revision":21,"at":"2026-01-02T03:04:05.678Z","job":"a","message":"started"})"
        "\n\n");
    stream->close();
  });
  const Answer followed = answer({"events", "-f"});
  EXPECT_EQ(followed.code, kUsage);
  EXPECT_EQ(followed.out, "03:04:05  a: started\n");
  EXPECT_EQ(followed.err, "the connection ended; connecting again\nberth: from 21\n");
  EXPECT_EQ(stub.streams(), 2);
}

}  // namespace
}  // namespace berth::cli
