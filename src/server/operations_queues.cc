// Queues, budgets and usage.
#include <algorithm>

#include "base/nearest.h"
#include "codec/fleet_codec.h"
#include "engine/quota/admission.h"
#include "server/make_views.h"
#include "server/operations.h"
#include "server/page.h"

namespace berth::server {
namespace {

using codec::Document;

// What a tenant may see of the tree: its own part, and what is above it, as plain names.
std::vector<QueueView> shown_queues(const Call& call, const Reading& reading) {
  std::vector<QueueView> views = queue_views(reading);
  std::erase_if(views, [&](const QueueView& view) {
    return !covers(call.who(), reading.state(), view.name);
  });
  return views;
}

void list_queues(const CallPtr& call) {
  call->answer(page_document(call->service().replica.read([&](const Reading& reading) {
    Page page;
    page.revision = reading.state().revision();
    for (const QueueView& view : shown_queues(*call, reading)) {
      page.items.append(codec::to_document(view));
    }
    return page;
  })));
}

void get_queue(const CallPtr& call) {
  const std::string& name = call->path("name");
  const auto document =
      call->service().replica.read([&](const Reading& reading) -> Result<Document> {
        std::vector<std::string> names;
        for (const QueueView& view : shown_queues(*call, reading)) {
          if (view.name == name) return codec::to_document(view);
          names.push_back(view.name);
        }
        return fail(ErrorCode::kNotFound,
                    "there is no queue '" + name + "'" +
                        suggestion(name, std::span<const std::string>(names)),
                    "name");
      });
  if (!document) return call->refuse(document.error());
  call->answer(*document);
}

void put_queue(const CallPtr& call) {
  auto queue = call->body<QueueSpec>();
  if (!queue) return call->refuse(queue.error());
  if (queue->name != call->path("name")) {
    return call->refuse(
        {ErrorCode::kInvalid,
         "is '" + queue->name + "', and the path names '" + call->path("name") + "'", "name", 0});
  }
  call->post(DeclareQueue{std::move(*queue)}, [call](const control::Reply& reply) {
    call->answer(changed_document(call->path("name"), reply));
  });
}

void list_usage(const CallPtr& call) {
  const std::string under = call->query("queue").value_or("");
  const auto listed = call->service().replica.read([&](const Reading& reading) -> Result<Page> {
    if (auto s = check_queue(*call, reading.state()); !s) return tl::unexpected(s.error());
    Page page;
    page.revision = reading.state().revision();
    for (const UsageView& view : usage_views(reading)) {
      if (!covers(call->who(), reading.state(), view.queue)) continue;
      if (!is_under(reading.state(), reading.state().find_queue(view.queue), under)) continue;
      page.items.append(codec::to_document(view));
    }
    return page;
  });
  if (!listed) return call->refuse(listed.error());
  call->answer(page_document(*listed));
}

void list_budgets(const CallPtr& call) {
  call->answer(page_document(call->service().replica.read([&](const Reading& reading) {
    const engine::ClusterState& state = reading.state();
    Page page;
    page.revision = state.revision();
    for (const std::string& name : state.queue_names()) {
      if (!covers(call->who(), state, name)) continue;
      const QueueIndex index = state.find_queue(name);
      const BudgetSpec& budget = state.quota().queue(index).spec->budget;
      if (budget.per_month == 0) continue;
      Document one = Document::map();
      one.add("queue", Document::string(name));
      one.add("per_month_micro", Document::integer(budget.per_month));
      one.add("spent_micro",
              Document::integer(spent_in_month(state.quota(), state, index, reading.now)));
      one.add("action", Document::string(std::string(word(budget.action))));
      page.items.append(std::move(one));
    }
    return page;
  })));
}

}  // namespace

std::vector<Operation> queue_operations() {
  using Kind = ParameterInfo::Kind;
  using Answers = Operation::Answers;
  return {{"listQueues",
           "GET",
           "/v1/queues",
           "The quota tree, each queue after its parent: guarantee, used, borrowed, share.",
           Need::kSeeTenants,
           list_queues,
           {},
           nullptr,
           schema_of<QueueView>(),
           Answers::kList},
          {"getQueue",
           "GET",
           "/v1/queues/{name}",
           "A queue.",
           Need::kSeeTenants,
           get_queue,
           {},
           nullptr,
           schema_of<QueueView>()},
          {"putQueue",
           "PUT",
           "/v1/queues/{name}",
           "Declares a queue, or changes its quotas.",
           Need::kAdminister,
           put_queue,
           {},
           schema_of<QueueSpec>(),
           schema_of<Changed>(),
           Answers::kObject,
           200,
           true},
          {"listBudgets",
           "GET",
           "/v1/budgets",
           "Budgets of this month and what is spent of them.",
           Need::kSeeTenants,
           list_budgets,
           {},
           nullptr,
           nullptr,
           Answers::kList},
          {"listUsage",
           "GET",
           "/v1/usage",
           "GPU-hours and money per queue and GPU model, from the leases.",
           Need::kSeeTenants,
           list_usage,
           {{"queue", "Only this queue and those below it.", Kind::kText}},
           nullptr,
           schema_of<UsageView>(),
           Answers::kList}};
}

}  // namespace berth::server
