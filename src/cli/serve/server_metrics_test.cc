// What a server tells is what the reference lists, name by name.
#include "cli/serve/server_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/remote/client.h"
#include "cli/serve/running_server.h"
#include "sim/load.h"

namespace berth::cli {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::Not;

std::string kind_word(const server::MetricSpec& spec) {
  return std::string(" ") + server::word(spec.kind);
}

// "berth_leads gauge", of each `# TYPE` line.
std::vector<std::string> told(const std::string& text) {
  const std::string begin = "# TYPE ";
  std::vector<std::string> names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(begin)) names.push_back(line.substr(begin.size()));
  }
  return names;
}

std::vector<std::string> declared(const std::vector<MetricTeller>& tellers) {
  std::vector<std::string> names;
  for (const ToldMetric& metric : server_metric_specs()) {
    if (std::find(tellers.begin(), tellers.end(), metric.teller) == tellers.end()) continue;
    names.push_back(metric.spec.name + kind_word(metric.spec));
  }
  return names;
}

// Of a server in this process, in dev mode, with what a TLS server would know.
std::string asked_over_http(std::optional<TimeMs> certificate_expires_at) {
  auto input = sim::load_simulation("data/workloads/dev.yaml", {"data", {}}, {});
  EXPECT_TRUE(input);
  ServeOptions options;
  options.http.address = "127.0.0.1";
  options.http.port = 0;
  options.agents_address = "127.0.0.1:0";
  options.certificate_expires_at = certificate_expires_at;
  options.version = "1.2.3";
  options.dev = DevMode{};
  const auto server = RunningServer::start(std::move(options), std::move(input->input));
  EXPECT_TRUE(server) << server.error().to_text();
  Client client({"http://127.0.0.1:" + std::to_string((*server)->http_port()), {}, {}});
  const auto text = client.text("/metrics");
  EXPECT_TRUE(text) << text.error().to_text();
  return *text;
}

TEST(ServerMetrics, ALeaderTellsExactlyWhatIsDeclared) {
  const std::string with_tls = asked_over_http(TimeMs{1'900'000'000'000});
  EXPECT_THAT(told(with_tls), ElementsAreArray(declared({MetricTeller::kEach, MetricTeller::kLeader,
                                                         MetricTeller::kWithTls})));
  EXPECT_THAT(with_tls, HasSubstr("\nberth_certificate_expiry_seconds 1900000000\n"));
  EXPECT_THAT(with_tls, HasSubstr("\nberth_info{version=\"1.2.3\"} 1\n"));
  EXPECT_THAT(with_tls, HasSubstr("\nberth_leads 1\n"));
  EXPECT_THAT(with_tls, HasSubstr("\nberth_staleness_seconds 0\n"));
  EXPECT_THAT(with_tls, HasSubstr("\nberth_events_total{type=\"model-declared\"} "));
  EXPECT_THAT(told(asked_over_http(std::nullopt)),
              ElementsAreArray(declared({MetricTeller::kEach, MetricTeller::kLeader})));
}

TEST(ServerMetrics, AFollowerTellsNothingOfALeader) {
  const server::ControlMetrics counts;
  const sim::VirtualClock clock;
  server::Replica replica(clock);
  const server::EventHub events(replica, clock);
  const std::string text =
      server_metrics({counts, replica, events, nullptr, {}, "1.2.3", std::nullopt, std::nullopt});
  EXPECT_THAT(told(text), ElementsAreArray(declared({MetricTeller::kEach})));
  EXPECT_THAT(text, HasSubstr("\nberth_leads 0\n"));
  EXPECT_THAT(text, HasSubstr("\nberth_staleness_seconds +Inf\n"));
}

TEST(ServerMetrics, TheReferenceHasALineForEach) {
  const std::string page = metrics_reference();
  for (const ToldMetric& metric : server_metric_specs()) {
    EXPECT_THAT(page, HasSubstr("\n| `" + std::string(metric.spec.name) + "` |" +
                                kind_word(metric.spec) + " | " + metric.spec.unit + " | "));
    EXPECT_THAT(metric.spec.text, Not(HasSubstr("|")));
    const bool is_total = std::string(metric.spec.name).ends_with("_total");
    EXPECT_EQ(is_total, metric.spec.kind == server::MetricKind::kCounter) << metric.spec.name;
  }
}

}  // namespace
}  // namespace berth::cli
