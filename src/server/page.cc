#include "server/page.h"

#include "base/nearest.h"
#include "server/operations.h"

namespace berth::server {

Result<std::size_t> page_limit(const Call& call) {
  const std::int64_t limit = call.number("limit", kPageLimit);
  if (limit >= 1 && limit <= kMostPageLimit) return static_cast<std::size_t>(limit);
  return invalid(
      "is " + std::to_string(limit) + "; 1 to " + std::to_string(kMostPageLimit) + " is accepted",
      "limit");
}

codec::Document page_document(Page page) {
  codec::Document map = codec::Document::map();
  map.add("items", std::move(page.items));
  if (!page.next.empty()) map.add("next", codec::Document::string(std::move(page.next)));
  map.add("revision", codec::Document::integer(static_cast<std::int64_t>(page.revision)));
  return map;
}

codec::Document changed_document(const std::string& name, const control::Reply& reply) {
  codec::Document map = codec::Document::map();
  map.add("name", codec::Document::string(name));
  map.add("revision", codec::Document::integer(static_cast<std::int64_t>(reply.revision)));
  return map;
}

std::vector<ParameterInfo> page_parameters(std::vector<ParameterInfo> more) {
  using Kind = ParameterInfo::Kind;
  more.push_back({"limit", "Most items of the answer, 1 to 10000.", Kind::kNumber});
  more.push_back({"after", "Cursor: the `next` of the page before.", Kind::kText});
  return more;
}

const std::vector<Operation>& operations() {
  static const std::vector<Operation> kAll = [] {
    std::vector<Operation> all;
    for (auto group : {job_operations, question_operations, fleet_operations, queue_operations,
                       event_operations, token_operations, process_operations}) {
      for (Operation& operation : group()) all.push_back(std::move(operation));
    }
    return all;
  }();
  return kAll;
}

Status check_queue(const Call& call, const engine::ClusterState& state) {
  const auto queue = call.query("queue");
  if (!queue || queue->empty()) return {};
  const bool is_there = !state.find_queue(*queue).is_none();
  if (is_there && covers(call.who(), state, *queue)) return {};
  std::vector<std::string> names;
  for (const std::string& name : state.queue_names()) {
    if (covers(call.who(), state, name)) names.push_back(name);
  }
  return fail(ErrorCode::kNotFound,
              "there is no queue '" + *queue + "'" +
                  suggestion(*queue, std::span<const std::string>(names)),
              "queue");
}

}  // namespace berth::server
