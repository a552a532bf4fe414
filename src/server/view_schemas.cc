// The one place that names the fields of answers.
#include "codec/job_codec.h"
#include "server/cards_number.h"
#include "server/timestamp.h"
#include "server/views.h"

namespace berth::codec {

using server::timestamp;

namespace {

constexpr std::int64_t kMost = kAmountLimit;
auto shown_text() { return text(65'536); }
auto count() { return integer(0, std::numeric_limits<std::int64_t>::max()); }
auto shown_cards() { return server::cards_number(); }

ObjectSchema<server::LeaseView> lease_schema() {
  using V = server::LeaseView;
  ObjectSchema<V> s("lease", "The right of one task to devices of one node.");
  s.field("id", &V::id, count()).required().text("Its number.");
  s.field("job", &V::job, shown_text()).required().text("Job of the task.");
  s.field("queue", &V::queue, shown_text()).required().text("Queue of the job.");
  s.field("role", &V::role, shown_text()).required().text("Role of the task.");
  s.field("task", &V::task, count()).required().text("Number of the task in its role, from 0.");
  s.field("node", &V::node, shown_text()).required().text("Where it is.");
  s.field("place", &V::place, shown_text()).required().text("Node and cards.");
  s.field("cards", &V::cards, shown_cards()).required().text("Cards that it holds.");
  s.field("state", &V::state, words()).required().text("How far it is.");
  s.field("ownership", &V::ownership, words()).required().text("Whose capacity it uses.");
  s.field("epoch", &V::epoch, count()).required().text("Raised by each new grant to the task.");
  s.field("term", &V::term, count()).required().text("Term of the leader that granted it.");
  s.field("granted_at", &V::granted_at, timestamp()).required().text("When it was granted.");
  s.field("started_at", &V::started_at, timestamp()).text("When its task started.");
  s.field("deadline", &V::deadline, timestamp()).text("Of a promise or of being taken back.");
  s.field("receipt", &V::receipt, count()).text("Receipt that made or takes it; 0: none.");
  return s;
}

ObjectSchema<server::JobView> job_view_schema() {
  using V = server::JobView;
  ObjectSchema<V> s("job_state", "A job and how it stands.");
  s.field("name", &V::name, shown_text()).required().text("Its name.");
  s.field("id", &V::id, count()).required().text("Its number, in the order of submission.");
  s.field("queue", &V::queue, shown_text()).required().text("Queue that it is charged to.");
  s.field("class", &V::job_class, words()).required().text("Latency class.");
  s.field("priority", &V::priority, integer(-kMost, kMost)).text("Rank in its queue and class.");
  s.field("status", &V::status, words()).required().text("How it stands.");
  s.field("held", &V::held, flag()).text("Its owner holds it back.");
  s.field("reason", &V::reason, shown_text()).text("Why it waits.");
  s.field("tasks", &V::tasks, count()).required().text("Tasks that it asks for.");
  s.field("running_tasks", &V::running_tasks, count()).required().text("Tasks that have a place.");
  s.field("cards", &V::cards, shown_cards()).required().text("Cards that it asks for.");
  s.field("place", &V::place, shown_text()).text("Nodes and cards.");
  s.field("submitted_at", &V::submitted_at, timestamp()).required().text("When it came.");
  s.field("started_at", &V::started_at, timestamp()).text("When it started last.");
  s.field("ended_at", &V::ended_at, timestamp()).text("When it ended.");
  s.field("attempts", &V::attempts, count()).text("Starts that failed.");
  s.field("leases", &V::leases, list_of(object())).text("Its leases; of a single job only.");
  s.field("spec", &V::spec, optional(object())).text("What it asks for; of a single job only.");
  return s;
}

ObjectSchema<server::CardUse> card_use_schema() {
  using V = server::CardUse;
  ObjectSchema<V> s("card_use", "What one task has of a card.");
  s.field("job", &V::job, shown_text()).required().text("Job of the task.");
  s.field("queue", &V::queue, shown_text()).required().text("Queue of the job.");
  s.field("compute", &V::compute, shown_cards()).required().text("Compute, as part of the card.");
  s.field("memory", &V::memory_mib, memory(0, kMost)).required().text("Device memory.");
  s.field("profile", &V::profile, shown_text()).text("MIG profile and first slot.");
  return s;
}

ObjectSchema<server::CardView> card_schema() {
  using V = server::CardView;
  ObjectSchema<V> s("card_state", "A card of a node.");
  s.field("index", &V::index, count()).required().text("Its number in the node.");
  s.field("health", &V::health, words()).required().text("Its health.");
  s.field("mode", &V::mode, words()).required().text("How it is used.");
  s.field("free", &V::free, shown_cards()).required().text("Compute that is free.");
  s.field("used_by", &V::used_by, list_of(object())).text("Who has it.");
  return s;
}

ObjectSchema<server::NodeView> node_schema() {
  using V = server::NodeView;
  ObjectSchema<V> s("node_state", "A node and what is free on it.");
  s.field("name", &V::name, shown_text()).required().text("Its name.");
  s.field("model", &V::model, shown_text()).text("GPU model.");
  s.field("partition", &V::partition, shown_text()).text("Partition that it is in.");
  s.field("condition", &V::condition, words()).required().text("Whether it takes work.");
  s.field("condition_since", &V::condition_since, timestamp()).required().text("Since when.");
  s.field("next_condition", &V::next_condition, optional(words()))
      .text("Of a lost one: what it will be once it is back.");
  s.field("cpu", &V::cpu_milli, cpu(0, kMost)).required().text("CPUs.");
  s.field("cpu_free", &V::cpu_free_milli, cpu(0, kMost)).required().text("CPUs that are free.");
  s.field("memory", &V::memory_mib, memory(0, kMost)).required().text("Host memory.");
  s.field("memory_free", &V::memory_free_mib, memory(0, kMost)).required().text("Of it free.");
  s.field("domains", &V::domains, map_of<std::string>(shown_text(), shown_text()))
      .text("Its domain at each level.");
  s.field("kept_for", &V::kept_for, shown_text()).text("Job for which its room is kept.");
  s.field("goes_away_at", &V::goes_away_at, timestamp()).text("When its provider takes it.");
  s.field("cards", &V::cards, list_of(object())).text("Its cards.");
  return s;
}

ObjectSchema<server::QuotaView> quota_schema() {
  using V = server::QuotaView;
  ObjectSchema<V> s("quota_state", "A quota and what is held under it.");
  s.field("model", &V::model, shown_text()).text("GPU model, or cpu; absent: any.");
  s.field("partition", &V::partition, shown_text()).text("Partition; absent: outside of them.");
  s.field("guarantee", &V::guarantee, shown_cards()).required().text("Guaranteed.");
  s.field("used", &V::used, shown_cards()).required().text("Held by it and all below.");
  s.field("borrowed", &V::borrowed, shown_cards()).required().text("Held above the guarantee.");
  s.field("limit", &V::limit, optional(shown_cards())).text("Most that it may hold.");
  s.field("lend", &V::lend, optional(shown_cards())).text("Most of its guarantee that it lends.");
  s.field("weight", &V::weight, count()).text("Share of what is idle.");
  return s;
}

ObjectSchema<server::QueueView> queue_view_schema() {
  using V = server::QueueView;
  ObjectSchema<V> s("queue_state", "A queue of the quota tree and how it stands.");
  s.field("name", &V::name, shown_text()).required().text("Its name.");
  s.field("parent", &V::parent, shown_text()).text("Queue above it; absent: none.");
  s.field("trust_domain", &V::trust_domain, shown_text()).text("Whom its jobs share cards with.");
  s.field("priority", &V::priority, integer(-kMost, kMost)).text("Rank among its siblings.");
  s.field("weight", &V::weight, count()).text("Share of what is idle.");
  s.field("waiting", &V::waiting, count()).required().text("Jobs that wait, with all below.");
  s.field("running", &V::running, count()).required().text("Jobs with a place, with all below.");
  s.field("used", &V::used, shown_cards()).required().text("Cards held, with all below.");
  s.field("demand", &V::demand, shown_cards()).required().text("Cards held and waited for.");
  s.field("share", &V::share, shown_cards()).required().text("Its fair share as things stand.");
  s.field("quotas", &V::quotas, list_of(object())).text("Its quotas.");
  return s;
}

ObjectSchema<server::UsageView> usage_schema() {
  using V = server::UsageView;
  ObjectSchema<V> s("usage", "What a queue and all below it have held of one GPU model.");
  s.field("queue", &V::queue, shown_text()).required().text("Queue.");
  s.field("model", &V::model, shown_text()).required().text("GPU model, or cpu.");
  s.field("partition", &V::partition, shown_text()).text("Partition.");
  s.field("gpu_ms", &V::gpu_ms, count()).required().text("Card time since ever.").member("gpu_ms");
  s.field("gpu_ms_in_month", &V::gpu_ms_in_month, count())
      .required()
      .text("Card time in this calendar month (UTC).");
  s.field("price_per_gpu_hour", &V::price_per_gpu_hour, any_money())
      .required()
      .text("Price of an hour of one card today.");
  s.field("cost", &V::cost, any_money()).required().text("Of all card time, at today's price.");
  s.field("cost_in_month", &V::cost_in_month, any_money()).required().text("Of this month's.");
  return s;
}

ObjectSchema<server::ClusterView> cluster_schema() {
  using V = server::ClusterView;
  ObjectSchema<V> s("cluster", "The cluster in a few numbers.");
  s.field("revision", &V::revision, count()).required().text("Events so far.");
  s.field("term", &V::term, count()).required().text("Term of the leader.");
  s.field("now", &V::now, timestamp()).required().text("The cluster's time.");
  s.field("policy", &V::policy, shown_text()).required().text("Name of the policy.");
  s.field("nodes", &V::nodes, count()).required().text("Nodes.");
  s.field("nodes_ready", &V::nodes_ready, count()).required().text("Nodes that take work.");
  s.field("cards", &V::cards, count()).required().text("Cards.");
  s.field("cards_used", &V::cards_used, shown_cards()).required().text("Compute that is given.");
  s.field("waiting", &V::waiting, count()).required().text("Jobs that wait.");
  s.field("running", &V::running, count()).required().text("Jobs with a place.");
  s.field("queues", &V::queues, count()).required().text("Queues.");
  return s;
}

ObjectSchema<server::EventView> event_schema() {
  using V = server::EventView;
  ObjectSchema<V> s("event", "Something that happened.");
  s.field("revision", &V::revision, count()).required().text("Of the state that it made.");
  s.field("at", &V::at, timestamp()).required().text("When.");
  s.field("type", &V::type, shown_text()).required().text("What kind of event.");
  s.field("job", &V::job, shown_text()).text("Job that it is about.");
  s.field("queue", &V::queue, shown_text()).text("Queue of the job.");
  s.field("node", &V::node, shown_text()).text("Node that it is about.");
  s.field("message", &V::message, shown_text()).required().text("What happened.");
  s.field("actor", &V::actor, shown_text()).text("Who asked for it; empty: nobody.");
  return s;
}

ObjectSchema<server::Changed> changed_schema() {
  using V = server::Changed;
  ObjectSchema<V> s("changed", "That a change is durable.");
  s.field("name", &V::name, shown_text()).required().text("Of what was changed.");
  s.field("id", &V::id, count()).text("Number of a job that was submitted.");
  s.field("revision", &V::revision, count()).required().text("Of the state that has it.");
  return s;
}

}  // namespace

#define BERTH_VIEW_SCHEMA(View, make)                                  \
  const ObjectSchema<server::View>& Describe<server::View>::schema() { \
    static const ObjectSchema<server::View> kSchema = make();          \
    return kSchema;                                                    \
  }
BERTH_VIEW_SCHEMA(LeaseView, lease_schema)
BERTH_VIEW_SCHEMA(JobView, job_view_schema)
BERTH_VIEW_SCHEMA(CardUse, card_use_schema)
BERTH_VIEW_SCHEMA(CardView, card_schema)
BERTH_VIEW_SCHEMA(NodeView, node_schema)
BERTH_VIEW_SCHEMA(QuotaView, quota_schema)
BERTH_VIEW_SCHEMA(QueueView, queue_view_schema)
BERTH_VIEW_SCHEMA(UsageView, usage_schema)
BERTH_VIEW_SCHEMA(ClusterView, cluster_schema)
BERTH_VIEW_SCHEMA(EventView, event_schema)
BERTH_VIEW_SCHEMA(Changed, changed_schema)
#undef BERTH_VIEW_SCHEMA

}  // namespace berth::codec
