// Events: what happened, as a list or as a stream of server-sent events.
#include <charconv>
#include <optional>

#include "server/event_hub.h"
#include "server/make_views.h"
#include "server/operations.h"
#include "server/page.h"
#include "server/redaction.h"

namespace berth::server {
namespace {

// A tenant sees its own subtree, whatever it asks for.
Result<EventFilter> filter_of(const Call& call, const engine::ClusterState& state) {
  EventFilter filter;
  filter.queue = call.query("queue").value_or(call.who().queue);
  filter.job = call.query("job").value_or("");
  filter.node = call.query("node").value_or("");
  filter.root = call.who().queue;
  if (auto s = check_queue(call, state); !s) return tl::unexpected(s.error());
  return filter;
}

void list_events(const CallPtr& call) {
  const auto limit = page_limit(*call);
  if (!limit) return call->refuse(limit.error());
  const auto document =
      call->service().replica.read([&](const Reading& reading) -> Result<codec::Document> {
        const auto filter = filter_of(*call, reading.state());
        if (!filter) return tl::unexpected(filter.error());
        const Visibility sight(call->who(), reading);
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
          page.items.append(codec::to_document(sight.shown(*event)));
        }
        return page_document(std::move(page));
      });
  if (!document) return call->refuse(document.error());
  call->answer(*document);
}

// The last event that the caller has seen: from the header that a browser sends when it connects
// again, else from the parameter, else the last one that there is.
Result<std::uint64_t> last_seen(const Call& call, std::uint64_t newest) {
  const auto header = call.request().header("last-event-id");
  const auto text = header ? std::optional(std::string(*header)) : call.query("from");
  if (!text) return newest;
  std::uint64_t revision = 0;
  const char* const end = text->data() + text->size();
  const auto [stop, problem] = std::from_chars(text->data(), end, revision);
  if (problem == std::errc() && stop == end) return revision;
  return invalid("is '" + *text + "'; the revision of an event is accepted, 0 or more",
                 header ? "Last-Event-ID" : "from");
}

struct Begin {
  EventFilter filter;
  std::uint64_t seen = 0;
};

Result<Begin> begin_of(Call& call) {
  // Whoever led when it was asked has all that any server ever told. A follower may be behind
  // another one, and goes on with what comes after.
  const bool is_complete = call.staleness_ms() == DurationMs{0};
  return call.service().replica.read([&](const Reading& reading) -> Result<Begin> {
    auto filter = filter_of(call, reading.state());
    if (!filter) return tl::unexpected(filter.error());
    const std::uint64_t newest = reading.state().revision();
    const auto seen = last_seen(call, newest);
    if (!seen) return tl::unexpected(seen.error());
    if (*seen <= newest || !is_complete) return Begin{std::move(*filter), *seen};
    return fail(ErrorCode::kNotFound,
                "the newest revision is " + std::to_string(newest) + ", and " +
                    std::to_string(*seen) +
                    " was asked for, which is of another journal; list what is there and go on "
                    "from its revision",
                "from");
  });
}

void watch_events(const CallPtr& call) {
  auto begin = begin_of(*call);
  if (!begin) return call->refuse(begin.error());
  const auto open = [&] {
    HttpResponse head;
    head.content_type = "text/event-stream";
    head.headers = {{"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}};
    head.body = ": from revision " + std::to_string(begin->seen) + "\n\n";
    return call->exchange().begin_stream(std::move(head));
  };
  const Status opened =
      call->service().events.subscribe(call->who(), begin->seen, std::move(begin->filter), open);
  if (opened) return;
  if (opened.error().code != ErrorCode::kLimitExceeded) return call->refuse(opened.error());
  call->exchange().answer(plain_error(429, "too-many", opened.error().message));
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
