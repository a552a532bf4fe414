// The process itself: health, readiness, metrics, version, and the document of the API.
#include "server/openapi.h"
#include "server/operations.h"
#include "server/page.h"

namespace berth::server {
namespace {

void get_health(const CallPtr& call) { call->answer_text("ok\n", "text/plain"); }

void get_readiness(const CallPtr& call) {
  const std::string problem = call->service().not_ready();
  if (problem.empty()) return call->answer_text("ready\n", "text/plain");
  HttpResponse response;
  response.status = 503;
  response.content_type = "text/plain";
  response.body = problem + "\n";
  call->exchange().answer(std::move(response));
}

void get_metrics(const CallPtr& call) {
  call->answer_text(call->service().metrics(), "text/plain; version=0.0.4");
}

void get_version(const CallPtr& call) {
  codec::Document map = codec::Document::map();
  map.add("version", codec::Document::string(call->service().version));
  map.add("you", codec::Document::string(call->who().name));
  map.add("role", codec::Document::string(std::string(word(call->who().role))));
  call->answer(map);
}

void get_openapi(const CallPtr& call) {
  call->answer(openapi_document(operations(), call->service().version));
}

}  // namespace

std::vector<Operation> process_operations() {
  using Answers = Operation::Answers;
  return {{"getHealth",
           "GET",
           "/healthz",
           "Whether the process runs.",
           Need::kNothing,
           get_health,
           {},
           nullptr,
           nullptr,
           Answers::kText},
          {"getReadiness",
           "GET",
           "/readyz",
           "Whether it serves; else 503 and why not.",
           Need::kNothing,
           get_readiness,
           {},
           nullptr,
           nullptr,
           Answers::kText},
          {"getMetrics",
           "GET",
           "/metrics",
           "Metrics in the text format of Prometheus.",
           Need::kNothing,
           get_metrics,
           {},
           nullptr,
           nullptr,
           Answers::kText},
          {"getVersion", "GET", "/v1/version", "Version of the server, and who the caller is.",
           Need::kSeeFleet, get_version},
          {"getOpenApi", "GET", "/v1/openapi.json", "This document.", Need::kNothing, get_openapi}};
}

}  // namespace berth::server
