#include "cli/remote/resources.h"

#include <algorithm>

namespace berth::cli {
namespace {

using codec::Document;

std::string hours_text(const Document& item, std::string_view name) {
  return amount_text(number_of(item, name) / 3'600'000.0);
}

Cell tasks_cell() {
  return [](const Document& item, std::int64_t) {
    return text_of(item, "running_tasks") + "/" + text_of(item, "tasks");
  };
}

// Where it runs, or why it does not.
Cell where_cell() {
  return [](const Document& item, std::int64_t) {
    const std::string place = text_of(item, "place");
    return place.empty() ? text_of(item, "reason") : place;
  };
}

Resource job_resource() {
  const Cell lasts = [](const Document& item, std::int64_t now) {
    const bool runs = !text_of(item, "started_at").empty();
    return age(runs ? "started_at" : "submitted_at")(item, now);
  };
  return {"jobs",
          "job",
          "/v1/jobs",
          true,
          {{{"NAME", field("name")},
            {"QUEUE", field("queue")},
            {"CLASS", field("class")},
            {"STATUS", field("status")},
            {"TASKS", tasks_cell()},
            {"CARDS", amount("cards")},
            {"AGE", age("submitted_at")},
            {"FOR", lasts, true},
            {"PRIORITY", field("priority"), true},
            {"ATTEMPTS", field("attempts"), true},
            {"PLACE OR REASON", where_cell()}},
           "name",
           "no jobs"},
          {"queue", "status", "class", "prefix"}};
}

std::string cards_of_node(const Document& item) {
  const Document* cards = item.find("cards");
  if (cards == nullptr) return "0";
  const auto used =
      std::count_if(cards->items().begin(), cards->items().end(),
                    [](const Document& card) { return text_of(card, "mode") != "empty"; });
  return std::to_string(used) + "/" + std::to_string(cards->items().size());
}

// "lost, then draining"
Cell condition_cell() {
  return [](const Document& item, std::int64_t) {
    const std::string next = text_of(item, "next_condition");
    const bool is_special = !next.empty() && next != "ready";
    return text_of(item, "condition") + (is_special ? ", then " + next : "");
  };
}

Resource node_resource() {
  return {"nodes",
          "node",
          "/v1/nodes",
          true,
          {{{"NAME", field("name")},
            {"CONDITION", condition_cell()},
            {"MODEL", field("model")},
            {"CARDS USED", [](const Document& item, std::int64_t) { return cards_of_node(item); }},
            {"CPU FREE", amount("cpu_free")},
            {"MEMORY FREE", field("memory_free")},
            {"SINCE", age("condition_since")},
            {"PARTITION", field("partition"), true},
            {"KEPT FOR", field("kept_for"), true}},
           "name",
           "no nodes"},
          {"condition", "model"}};
}

Resource lease_resource() {
  return {
      "leases",
      "lease",
      "/v1/leases",
      false,
      {{{"ID", field("id")},
        {"JOB", field("job")},
        {"TASK", [](const Document& item,
                    std::int64_t) { return text_of(item, "role") + "/" + text_of(item, "task"); }},
        {"PLACE", field("place")},
        {"STATE", field("state")},
        {"OWNERSHIP", field("ownership")},
        {"AGE", age("granted_at")},
        {"QUEUE", field("queue"), true},
        {"EPOCH", field("epoch"), true},
        {"TERM", field("term"), true},
        {"RECEIPT", field("receipt"), true}},
       "id",
       "no leases"},
      {"node", "job"}};
}

Resource queue_resource() {
  return {"queues",
          "queue",
          "/v1/queues",
          true,
          {{{"NAME", field("name")},
            {"PARENT", field("parent")},
            {"USED", amount("used")},
            {"SHARE", amount("share")},
            {"DEMAND", amount("demand")},
            {"RUNNING", field("running")},
            {"WAITING", field("waiting")},
            {"WEIGHT", field("weight"), true},
            {"PRIORITY", field("priority"), true},
            {"TRUST DOMAIN", field("trust_domain"), true}},
           "name",
           "no queues"},
          {}};
}

Resource plan_resource() {
  return {"plans",
          "plan",
          "/v1/plans",
          false,
          {{{"RECEIPT", field("receipt")},
            {"JOB", field("job")},
            {"RIGHT", field("right")},
            {"OUTCOME", field("outcome")},
            {"PLACE", field("place")},
            {"TAKEN FROM",
             [](const Document& item, std::int64_t) {
               const Document* victims = item.find("victims");
               return std::to_string(victims == nullptr ? 0 : victims->items().size()) + " tasks";
             }}},
           "receipt",
           "nothing has been taken back"},
          {"job"}};
}

Resource usage_resource() {
  return {
      "usage",
      "usage",
      "/v1/usage",
      false,
      {{{"QUEUE", field("queue")},
        {"MODEL", field("model")},
        {"PARTITION", field("partition"), true},
        {"GPU-HOURS THIS MONTH",
         [](const Document& item, std::int64_t) { return hours_text(item, "gpu_ms_in_month"); }},
        {"COST THIS MONTH", amount("cost_in_month")},
        {"GPU-HOURS",
         [](const Document& item, std::int64_t) { return hours_text(item, "gpu_ms"); }},
        {"COST", amount("cost")},
        {"PRICE", amount("price_per_gpu_hour"), true}},
       "queue",
       "nothing has been used yet"},
      {"queue"}};
}

Resource plain(std::string plural, std::string singular, std::vector<Column> columns) {
  Resource resource;
  resource.path = "/v1/" + plural;
  resource.plural = std::move(plural);
  resource.singular = std::move(singular);
  resource.listing.columns = std::move(columns);
  resource.listing.empty_text = "no " + resource.plural;
  return resource;
}

std::vector<Resource> all_resources() {
  std::vector<Resource> all = {job_resource(),   node_resource(), lease_resource(),
                               queue_resource(), plan_resource(), usage_resource()};
  all.push_back(
      plain("partitions", "partition", {{"NAME", field("name")}, {"KIND", field("kind")}}));
  all.push_back(plain(
      "pools", "pool",
      {{"MODEL", field("model")}, {"PARTITION", field("partition")}, {"CARDS", field("cards")}}));
  all.back().listing.name_field = "model";
  all.push_back(plain(
      "budgets", "budget",
      {{"QUEUE", field("queue")},
       {"SPENT", [](const Document& item,
                    std::int64_t) { return amount_text(number_of(item, "spent_micro") / 1e6); }},
       {"PER MONTH",
        [](const Document& item, std::int64_t) {
          return amount_text(number_of(item, "per_month_micro") / 1e6);
        }},
       {"ACTION", field("action")}}));
  all.back().listing.name_field = "queue";
  all.push_back(plain("events", "event",
                      {{"AGE", age("at")},
                       {"TYPE", field("type")},
                       {"JOB", field("job")},
                       {"NODE", field("node")},
                       {"WHAT HAPPENED", field("message")}}));
  all.back().listing.name_field = "revision";
  all.back().filters = {"queue", "job", "node"};
  return all;
}

}  // namespace

const std::vector<Resource>& resources() {
  static const std::vector<Resource> kAll = all_resources();
  return kAll;
}

const Resource* find_resource(const std::string& name) {
  for (const Resource& resource : resources()) {
    if (resource.plural == name || resource.singular == name) return &resource;
  }
  return nullptr;
}

}  // namespace berth::cli
