// What there is to see of queues, their line, the room that is kept, and the policy.
#include <algorithm>
#include <map>

#include "codec/policy_codec.h"
#include "codec/writer.h"
#include "engine/decide_trials.h"
#include "engine/quota/queue_order.h"
#include "sim/queue_shares.h"
#include "sim/quota_warnings.h"
#include "sim/scenario/show.h"
#include "sim/scenario/wording.h"

namespace berth::sim {
namespace {

using engine::ClusterState;
using engine::FlavourUsage;
using engine::QueueRecord;
using engine::QuotaEntry;

std::string charged_text(const ClusterState& state, const QueueRecord& queue) {
  std::map<std::string, Charge> by_model;
  CpuMilli cpus = 0;
  for (const FlavourUsage& usage : queue.usage) {
    const engine::Flavour& flavour = state.quota().flavour(usage.flavour);
    if (flavour.is_cpu()) cpus += usage.total.compute / kCardMilli;
    if (usage.total == Charge{} || flavour.is_cpu()) continue;
    by_model[state.model(flavour.model).gpu->name] += usage.total;
  }
  std::string text;
  for (const auto& [model, charge] : by_model) text += " " + model + " " + amounts_text(charge);
  if (cpus > 0) text += " " + cpu_text(cpus) + " CPUs";
  return text.empty() ? " nothing" : text;
}

// A quota without a partition is about nodes that are in none.
std::string quota_name(const ClusterState& state, const FlavourQuota& quota) {
  std::string name = quota.model.empty() ? "any model" : quota.model;
  if (!quota.partition.empty()) return name + " in " + quota.partition;
  return state.partition_names().empty() ? name : name + " outside the partitions";
}

// "  any model: guarantee 2 cards, used 3 cards, borrowed 1 card, limit 6 cards"
std::string quota_text(const ClusterState& state, const FlavourQuota& quota, CardUnits used) {
  const auto amount = [&](CardUnits units) {
    if (quota.model != kCpuQuota) return cards_amount_text(units);
    return cpu_text(units / kCardMilli) + (units == kCard ? " CPU" : " CPUs");
  };
  std::string text = "  " + quota_name(state, quota) + ": guarantee " + amount(quota.guarantee) +
                     ", used " + amount(used) + ", borrowed " +
                     amount(std::max<CardUnits>(0, used - quota.guarantee));
  text += ", limit " + (quota.limit ? amount(*quota.limit) : "none");
  if (quota.lend) text += ", lends " + amount(*quota.lend);
  return quota.weight == 1 ? text : text + ", weight " + std::to_string(quota.weight);
}

Lines quota_lines(const ClusterState& state, QueueIndex index) {
  const QueueRecord& queue = state.quota().queue(index);
  Lines lines;
  for (std::size_t i = 0; i < queue.spec->quotas.size(); ++i) {
    lines.push_back(
        quota_text(state, queue.spec->quotas[i], used_under(state, index, queue.entries[i])));
  }
  return lines;
}

engine::Turn turn_of(const ClusterState& state, const engine::JobRecord& job, TimeMs now) {
  return {line_key(state, job.spec, job.id, now), job.spec};
}

std::string asleep_text(const engine::JobRecord& job) {
  return job.user_held ? "held by its owner" : "waits after a failed start";
}

std::vector<TaskPlacement> on_nodes(const std::vector<NodeIndex>& nodes) {
  std::vector<TaskPlacement> places;
  for (const NodeIndex node : nodes) places.emplace_back().node = node;
  return places;
}

}  // namespace

Lines show_queues(const ClusterState& state, TimeMs now) {
  Lines lines;
  for (const std::string& name : state.queue_names()) {
    const QueueIndex index = state.find_queue(name);
    lines.push_back(name + " charged" + charged_text(state, state.quota().queue(index)));
    const Lines quotas = quota_lines(state, index);
    lines.insert(lines.end(), quotas.begin(), quotas.end());
  }
  for (const std::string& warning : quota_warnings(state, now)) lines.push_back("warn " + warning);
  return lines;
}

Lines show_order(const ClusterState& state, TimeMs now) {
  engine::AskFlavours flavours;
  engine::QueueOrder order(state, flavours, now);
  Lines asleep;
  for (const JobId id : state.pending().sorted_ids()) {
    const engine::JobRecord& job = *state.find_job(id);
    if (state.pending().asleep().contains(id)) {
      asleep.push_back("not in line: " + job.name + " " + asleep_text(job));
    } else {
      order.add(turn_of(state, job, now));
    }
  }
  Lines lines;
  while (const auto turn = order.next()) {
    const std::string queue = state.spec(turn->spec).spec->queue;
    lines.push_back(std::to_string(lines.size() + 1) + ". " + state.find_job(turn->key.head)->name +
                    " (queue " + queue + ")");
    order.end_turn(std::nullopt);
  }
  lines.insert(lines.end(), asleep.begin(), asleep.end());
  if (lines.empty()) lines.emplace_back("no job waits");
  return lines;
}

Lines show_reservations(const ClusterState& state, TimeMs now) {
  Lines lines;
  for (const auto& [job, reservation] : state.ledger().reservations) {
    std::string text = state.find_job(job)->name + " keeps " +
                       place_text(state, on_nodes(reservation->nodes)) + ", to start in " +
                       duration_text(std::max<DurationMs>(0, reservation->starts_at - now));
    if (reservation->expires_at != kNever) {
      text +=
          ", given up in " + duration_text(std::max<DurationMs>(0, reservation->expires_at - now));
    }
    lines.push_back(std::move(text));
  }
  if (lines.empty()) lines.emplace_back("no room is kept");
  return lines;
}

Lines show_policy(const ClusterState& state) {
  const codec::Document fields = codec::to_document(state.policy());
  Lines lines = {"policy " + state.policy().name};
  for (const codec::Member& member : fields.members()) {
    if (member.key == "name") continue;
    const bool is_text = member.value.is(codec::Document::Kind::kString);
    lines.push_back("  " + member.key + "=" +
                    (is_text ? member.value.as_string() : codec::write_json_line(member.value)));
  }
  lines.emplace_back(lines.size() == 1 ? "  every field has its default"
                                       : "  every other field has its default");
  for (const auto& [partition, policy] : state.policies().trials()) {
    lines.push_back("policy " + policy->name + " is on trial in pool " +
                    engine::pool_name(state, partition));
  }
  return lines;
}

}  // namespace berth::sim
