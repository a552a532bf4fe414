#include "server/make_views.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "server/redaction.h"
#include "sim/queue_shares.h"
#include "sim/scenario/show_stop.h"
#include "sim/scenario/wording.h"

namespace berth::server {
namespace {

using engine::ClusterState;
using engine::FlavourUsage;
using engine::JobRecord;

std::int64_t signed_of(std::uint64_t value) { return static_cast<std::int64_t>(value); }

JobStatus status_of(JobPhase phase) { return static_cast<JobStatus>(phase); }
static_assert(static_cast<int>(JobPhase::kSuspended) == static_cast<int>(JobStatus::kSuspended));

JobStatus status_of(EndReason reason) {
  if (reason == EndReason::kSucceeded) return JobStatus::kSucceeded;
  return reason == EndReason::kCancelled ? JobStatus::kCancelled : JobStatus::kFailed;
}

std::int64_t tasks_of(const JobSpec& spec) {
  std::int64_t tasks = 0;
  for (const berth::Role& role : spec.roles) tasks += role.count;
  return tasks;
}

// Without the state's models a share is counted as it says itself.
CardUnits cards_of(const JobSpec& spec) {
  CardUnits cards = 0;
  for (const berth::Role& role : spec.roles) {
    for (const Container& container : role.containers) {
      const DeviceRequest& devices = container.devices;
      const CardUnits each = devices.kind == ShareKind::kWhole ? kCard : devices.compute;
      cards = saturating_add(cards, each * devices.count * role.count);
    }
  }
  return cards;
}

std::string reason_of(const Reading& reading, const JobRecord& job, const Visibility& sight) {
  if (job.user_held) return "held by its owner";
  if (job.phase == JobPhase::kSuspended) {
    return sim::stop_text(reading.state(), job, sight.in_text());
  }
  if (job.phase != JobPhase::kPending) return {};
  if (job.backoff_until > reading.now) {
    return "waits " + sim::rounded_text(job.backoff_until - reading.now) + " after a failed start";
  }
  if (job.reasons == nullptr || job.reasons->empty()) return {};
  return sight.shown(job.reasons->front()).to_text();
}

JobView common_view(const JobSpec& spec, Detail detail) {
  JobView view;
  view.queue = spec.queue;
  view.job_class = spec.job_class;
  view.priority = spec.priority;
  view.tasks = tasks_of(spec);
  view.cards = cards_of(spec);
  if (detail == Detail::kFull) view.spec = spec;
  return view;
}

std::string profile_text(const ClusterState& state, NodeIndex node, const CardGrant& grant) {
  if (grant.placement == CardGrant::kNoPlacement) return {};
  const auto named = state.instances_of(node, {grant.placement});
  return named.front().profile + "@" + std::to_string(named.front().start);
}

void add_uses(const ClusterState& state, const engine::NodeRecord& node, NodeView& view) {
  for (const LeaseId id : node.leases) {
    const Lease& lease = *state.find_lease(id);
    if (!lease.holds_cards()) continue;
    const JobRecord& job = *state.find_job(lease.job);
    for (const CardGrant& grant : lease.placement.grants) {
      CardUse use;
      use.job = job.name;
      use.queue = state.spec_of(job).spec->queue;
      use.compute = grant.compute;
      use.memory_mib = grant.memory / kEighthsPerMib;
      use.profile = profile_text(state, lease.placement.node, grant);
      view.cards[grant.card].used_by.push_back(std::move(use));
    }
  }
}

std::vector<QuotaView> quota_views(const ClusterState& state, QueueIndex index) {
  const engine::QueueRecord& queue = state.quota().queue(index);
  std::vector<QuotaView> views;
  for (std::size_t i = 0; i < queue.spec->quotas.size(); ++i) {
    const FlavourQuota& quota = queue.spec->quotas[i];
    QuotaView view;
    view.model = quota.model;
    view.partition = quota.partition;
    view.guarantee = quota.guarantee;
    view.used = sim::used_under(state, index, queue.entries[i]);
    view.borrowed = std::max<CardUnits>(0, view.used - quota.guarantee);
    view.limit = quota.limit;
    view.lend = quota.lend;
    view.weight = quota.weight;
    views.push_back(std::move(view));
  }
  return views;
}

// Jobs that wait and that have a place, by queue, with all below.
struct JobCounts {
  explicit JobCounts(const ClusterState& state)
      : waiting(state.queues().size(), 0),
        running(state.queues().size(), 0),
        asked(state.queues().size(), 0) {
    for (const JobId id : state.jobs().sorted_ids()) {
      const JobRecord& job = *state.find_job(id);
      const bool waits = job.phase == JobPhase::kPending;
      const CardUnits cards = waits ? units_of(sim::cards_asked(state, job)) : 0;
      QueueIndex queue = state.spec_of(job).home.queue;
      for (; !queue.is_none(); queue = state.quota().queue(queue).parent) {
        ++(waits ? waiting : running)[queue.value()];
        asked[queue.value()] = saturating_add(asked[queue.value()], cards);
      }
    }
  }
  static CardUnits units_of(double cards) {
    return static_cast<CardUnits>(std::llround(cards * static_cast<double>(kCard)));
  }
  std::vector<std::int64_t> waiting;
  std::vector<std::int64_t> running;
  std::vector<CardUnits> asked;  // by those that wait
};

// The roots by name, each followed by what is below it.
void list_below(const ClusterState& state, std::vector<QueueIndex> level,
                std::vector<QueueIndex>& all) {
  std::sort(level.begin(), level.end(), [&](QueueIndex a, QueueIndex b) {
    return state.quota().queue(a).spec->name < state.quota().queue(b).spec->name;
  });
  for (const QueueIndex queue : level) {
    all.push_back(queue);
    list_below(state, state.quota().queue(queue).children, all);
  }
}

std::vector<QueueIndex> queues_in_order(const ClusterState& state) {
  const auto roots = state.quota().roots();
  std::vector<QueueIndex> all;
  list_below(state, {roots.begin(), roots.end()}, all);
  return all;
}

// Of all GPU models together: a guarantee of any model is one for all of them.
CardUnits cards_used(const ClusterState& state, QueueIndex queue) {
  CardUnits used = 0;
  for (const FlavourUsage& usage : state.quota().queue(queue).usage) {
    if (state.quota().flavour(usage.flavour).is_cpu()) continue;
    used = saturating_add(used, larger_share(usage.total, state.quota().capacity(usage.flavour)));
  }
  return used;
}

}  // namespace

bool is_under(const ClusterState& state, QueueIndex queue, std::string_view under) {
  if (under.empty()) return true;
  for (; !queue.is_none(); queue = state.quota().queue(queue).parent) {
    if (state.quota().queue(queue).spec->name == under) return true;
  }
  return false;
}

JobView view_of(const Reading& reading, const JobRecord& job, const Visibility& sight,
                Detail detail) {
  const ClusterState& state = reading.state();
  JobView view = common_view(*state.spec_of(job).spec, detail);
  view.name = job.name;
  view.id = signed_of(job.id.value());
  view.status = status_of(job.phase);
  view.held = job.user_held;
  view.reason = reason_of(reading, job, sight);
  view.running_tasks = std::ssize(job.leases);
  view.submitted_at = job.submitted_at;
  view.started_at = job.phase == JobPhase::kPending ? kNever : job.started_at;
  view.attempts = job.attempts;
  std::vector<TaskPlacement> places;
  for (const LeaseId id : job.leases) {
    const Lease& lease = *state.find_lease(id);
    places.push_back(lease.placement);
    if (detail == Detail::kFull) view.leases.push_back(view_of(state, lease));
  }
  view.place = sim::place_text(state, places);
  return view;
}

JobView view_of(const EndedJob& job, Detail detail) {
  JobView view = common_view(*job.spec, detail);
  view.name = job.name;
  view.id = signed_of(job.id.value());
  view.status = status_of(job.reason);
  if (job.reason != EndReason::kSucceeded) view.reason = word(job.reason);
  view.submitted_at = job.submitted_at;
  view.started_at = job.started_at;
  view.ended_at = job.ended_at;
  return view;
}

LeaseView view_of(const ClusterState& state, const Lease& lease) {
  const JobRecord& job = *state.find_job(lease.job);
  LeaseView view;
  view.id = signed_of(lease.id.value());
  view.job = job.name;
  view.queue = state.spec_of(job).spec->queue;
  view.role = state.spec_of(job).spec->roles[lease.placement.role].name;
  view.task = lease.placement.task;
  view.node = state.node(lease.placement.node).spec->name;
  view.place = sim::place_text(state, {lease.placement});
  for (const CardGrant& grant : lease.placement.grants) view.cards += grant.compute;
  view.state = lease.state;
  view.ownership = lease.ownership;
  view.epoch = signed_of(lease.epoch);
  view.term = signed_of(lease.term);
  view.granted_at = lease.granted_at;
  view.started_at = lease.started_at;
  view.deadline = lease.deadline;
  view.receipt = lease.receipt.is_none() ? 0 : signed_of(lease.receipt.value());
  return view;
}

NodeView view_of(const ClusterState& state, const engine::NodeRecord& node) {
  const engine::NodeKind& kind = state.node_kind(node.kind);
  NodeView view;
  view.name = node.spec->name;
  if (!kind.model.is_none()) view.model = state.model(kind.model).gpu->name;
  if (!kind.partition.is_none()) view.partition = state.partition(kind.partition).name;
  view.condition = node.condition;
  view.condition_since = node.condition_since;
  if (node.condition == NodeCondition::kLost) view.next_condition = node.otherwise;
  view.cpu_milli = node.spec->cpu_milli;
  view.cpu_free_milli = node.cpu_free;
  view.memory_mib = node.spec->memory_mib;
  view.memory_free_mib = node.memory_free;
  view.domains = node.spec->domains;
  if (const JobRecord* job = state.find_job(node.held_for)) view.kept_for = job->name;
  const auto& notices = state.ledger().interruptions;
  const auto notice = notices.find(state.find_node(node.spec->name));
  if (notice != notices.end()) view.goes_away_at = notice->second;
  for (std::size_t c = 0; c < node.cards.size(); ++c) {
    CardView card;
    card.index = static_cast<std::int64_t>(c);
    card.health = node.cards[c].health;
    card.mode = node.cards[c].mode;
    card.free = node.cards[c].compute_free;
    view.cards.push_back(std::move(card));
  }
  add_uses(state, node, view);
  return view;
}

std::vector<QueueView> queue_views(const Reading& reading) {
  const ClusterState& state = reading.state();
  std::map<std::string, double> fair;
  for (const sim::NamedShare& share : sim::queue_shares_now(state)) {
    fair[share.name] = share.fair_cards;
  }
  const JobCounts counts(state);
  std::vector<QueueView> views;
  for (const QueueIndex index : queues_in_order(state)) {
    const engine::QueueRecord& queue = state.quota().queue(index);
    QueueView view;
    view.name = queue.spec->name;
    view.parent = queue.spec->parent;
    view.trust_domain = queue.spec->trust_domain;
    view.priority = queue.spec->priority;
    view.weight = queue.spec->weight;
    view.waiting = counts.waiting[index.value()];
    view.running = counts.running[index.value()];
    view.quotas = quota_views(state, index);
    view.used = cards_used(state, index);
    view.demand = saturating_add(view.used, counts.asked[index.value()]);
    view.share = JobCounts::units_of(fair[view.name]);
    views.push_back(std::move(view));
  }
  return views;
}

std::vector<UsageView> usage_views(const Reading& reading) {
  const ClusterState& state = reading.state();
  std::vector<UsageView> views;
  for (const QueueIndex index : queues_in_order(state)) {
    for (const FlavourUsage& usage : state.quota().queue(index).usage) {
      const engine::Flavour& flavour = state.quota().flavour(usage.flavour);
      // What is held now has been booked up to `since` only.
      const DurationMs unbooked = std::max<DurationMs>(0, reading.now - usage.since);
      const engine::CardTime held = usage.held.plus(usage.total.compute, unbooked);
      const engine::CardTime month = usage.in_month(reading.now);
      if (held.card_ms() == 0) continue;
      UsageView view;
      view.queue = state.quota().queue(index).spec->name;
      view.model = flavour.is_cpu() ? kCpuQuota : state.model(flavour.model).gpu->name;
      if (!flavour.partition.is_none()) view.partition = state.partition(flavour.partition).name;
      view.gpu_ms = held.card_ms();
      view.gpu_ms_in_month = month.card_ms();
      view.price_per_gpu_hour = state.price_per_gpu_hour(flavour);
      view.cost = held.cost(view.price_per_gpu_hour);
      view.cost_in_month = month.cost(view.price_per_gpu_hour);
      views.push_back(std::move(view));
    }
  }
  return views;
}

ClusterView cluster_view(const Reading& reading) {
  const ClusterState& state = reading.state();
  ClusterView view;
  view.revision = signed_of(state.revision());
  view.term = signed_of(state.term());
  view.now = reading.now;
  view.policy = state.policy().name;
  for (const engine::NodeRecord& node : state.nodes()) {
    if (node.condition == NodeCondition::kRemoved) continue;
    ++view.nodes;
    view.nodes_ready += node.condition == NodeCondition::kReady ? 1 : 0;
    view.cards += std::ssize(node.cards);
    for (const engine::CardState& card : node.cards) view.cards_used += kCard - card.compute_free;
  }
  view.waiting = static_cast<std::int64_t>(state.pending().size());
  view.running = static_cast<std::int64_t>(state.jobs().size()) - view.waiting;
  view.queues = std::ssize(state.queues());
  return view;
}

}  // namespace berth::server
