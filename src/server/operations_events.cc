// Events: what happened, as a list or as a stream of server-sent events.
#include <algorithm>

#include "server/event_hub.h"
#include "server/make_views.h"
#include "server/operations.h"
#include "server/page.h"

namespace berth::server {
namespace {

// A tenant sees its own subtree, whatever it asks for.
Result<EventFilter> filter_of(const Call& call, const engine::ClusterState& state) {
  EventFilter filter;
  filter.queue = call.query("queue").value_or(call.who().queue);
  filter.job = call.query("job").value_or("");
  filter.node = call.query("node").value_or("");
  if (!filter.queue.empty() && state.find_queue(filter.queue).is_none()) {
    return fail(ErrorCode::kNotFound, "there is no queue '" + filter.queue + "'", "queue");
  }
  if (!covers(call.who(), state, filter.queue)) {
    return fail(ErrorCode::kNotFound, "there is no queue '" + filter.queue + "'", "queue");
  }
  return filter;
}

void list_events(const CallPtr& call) {
  const auto limit = page_limit(*call);
  if (!limit) return call->refuse(limit.error());
  const auto document =
      call->service().replica.read([&](const Reading& reading) -> Result<codec::Document> {
        const auto filter = filter_of(*call, reading.state());
        if (!filter) return tl::unexpected(filter.error());
        Page page;
        page.revision = reading.state().revision();
        const auto from = static_cast<std::uint64_t>(
            call->number("after", static_cast<std::int64_t>(reading.events.from())));
        for (auto event = reading.events.after(from); event != reading.events.events().end();
             ++event) {
          if (!matches(*filter, *event, reading.state())) continue;
          if (page.items.items().size() == *limit) {
            page.next = std::to_string(page.items.items().back().find("revision")->as_integer());
            break;
          }
          page.items.append(codec::to_document(*event));
        }
        return page_document(std::move(page));
      });
  if (!document) return call->refuse(document.error());
  call->answer(*document);
}

// From the header that a browser sends when it connects again, else from the parameter, else from
// now on.
std::uint64_t resume_from(const Call& call, std::uint64_t now) {
  if (const auto last = call.request().header("last-event-id")) {
    const std::string text(*last);
    return std::strtoull(text.c_str(), nullptr, 10);
  }
  return static_cast<std::uint64_t>(call.number("from", static_cast<std::int64_t>(now)));
}

void watch_events(const CallPtr& call) {
  const auto start = call->service().replica.read(
      [&](const Reading& reading) -> Result<std::pair<EventFilter, std::uint64_t>> {
        auto filter = filter_of(*call, reading.state());
        if (!filter) return tl::unexpected(filter.error());
        const std::uint64_t from = resume_from(*call, reading.state().revision());
        if (from >= reading.events.from()) return std::pair(std::move(*filter), from);
        return fail(ErrorCode::kNotFound,
                    "events are kept from revision " + std::to_string(reading.events.from()) +
                        " on, and " + std::to_string(from) +
                        " was asked for; list what is there and go on from its revision",
                    "from");
      });
  if (!start) return call->refuse(start.error());
  HttpResponse head;
  head.content_type = "text/event-stream";
  head.headers = {{"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}};
  head.body = ": from revision " + std::to_string(start->second) + "\n\n";
  const auto stream = call->exchange().begin_stream(std::move(head));
  if (auto s = call->service().events.subscribe(start->second, start->first, stream); !s) {
    stream->send("event: error\ndata: " + s.error().message + "\n\n");
    stream->close();
  }
}

}  // namespace

std::vector<Operation> event_operations() {
  using Kind = ParameterInfo::Kind;
  using Answers = Operation::Answers;
  const std::vector<ParameterInfo> filters = {
      {"queue", "Only events of jobs of this queue and those below it.", Kind::kText},
      {"job", "Only events of this job.", Kind::kText},
      {"node", "Only events of this node.", Kind::kText}};
  std::vector<ParameterInfo> watch = filters;
  watch.push_back({"from", "Revision after which it begins; else from now on.", Kind::kNumber});
  return {
      {"listEvents", "GET", "/v1/events", "The last events, the oldest first.", Need::kSeeTenants,
       list_events, page_parameters(filters), nullptr, schema_of<EventView>(), Answers::kList},
      {"watchEvents", "GET", "/v1/events/stream",
       "Server-sent events: one for each event, with its revision as id. Connect again with "
       "Last-Event-ID, or `from`, and nothing is missed or sent twice.",
       Need::kSeeTenants, watch_events, watch, nullptr, schema_of<EventView>(), Answers::kStream}};
}

}  // namespace berth::server
