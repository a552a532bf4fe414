#include "sim/recorder.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "sim/fragmentation.h"

namespace berth::sim {
namespace {

constexpr std::size_t kNoRow = ~std::size_t{0};

// Cards that the job asks for in all; a share or a MIG instance counts by its compute.
struct Demand {
  std::int64_t devices = 0;
  bool only_shares = true;
};

Demand demand_of(const JobSpec& spec) {
  Demand demand;
  for (const Role& role : spec.roles) {
    for (const Container& container : role.containers) {
      if (container.devices.count == 0) continue;
      demand.devices += static_cast<std::int64_t>(container.devices.count) * role.count;
      demand.only_shares &= container.devices.kind != ShareKind::kWhole;
    }
  }
  return demand;
}

std::uint8_t size_row(const JobSpec& spec) {
  const Demand demand = demand_of(spec);
  if (demand.devices == 0) return 0;
  if (demand.only_shares) return 1;
  if (demand.devices == 1) return 2;
  if (demand.devices < 8) return 3;
  return demand.devices == 8 ? 4 : 5;
}

double cards_of(const CardGrants& grants) {
  CardUnits sum = 0;
  for (const CardGrant& grant : grants) sum += grant.compute;
  return static_cast<double>(sum) / static_cast<double>(kCard);
}

}  // namespace

const std::vector<std::string>& size_names() {
  static const std::vector<std::string> kNames = {"no card",   "share",   "1 card",
                                                  "2-7 cards", "8 cards", "more than 8 cards"};
  return kNames;
}

WaitStats wait_stats(std::vector<DurationMs> waits) {
  WaitStats stats;
  stats.jobs = static_cast<std::int64_t>(waits.size());
  if (waits.empty()) return stats;
  std::sort(waits.begin(), waits.end());
  double sum = 0;
  for (const DurationMs wait : waits) sum += static_cast<double>(wait);
  stats.mean_ms = sum / static_cast<double>(waits.size());
  const auto quantile = [&](std::size_t percent) {
    return waits[(waits.size() * percent + 99) / 100 - 1];
  };
  stats.p50_ms = quantile(50);
  stats.p90_ms = quantile(90);
  stats.p99_ms = quantile(99);
  stats.max_ms = waits.back();
  return stats;
}

void Recorder::begin(const engine::ClusterState& state) {
  state_ = &state;
  model_rows_.assign(state.model_count(), kNoRow);
  for (const engine::NodeRecord& node : state.nodes()) {
    const ModelIndex model = state.node_kind(node.kind).model;
    if (model.is_none() || model_rows_[model.value()] != kNoRow) continue;
    model_rows_[model.value()] = models_.size();
    models_.push_back(model);
  }
  for (const engine::QueueRecord& queue : state.queues()) {
    team_rows_.insert(queue.spec->name, static_cast<std::uint32_t>(teams_.size()));
    teams_.push_back(queue.spec->name);
  }
  use_.classes.assign(words_of<JobClass>().size(), 0);
  use_.sizes.assign(size_names().size(), 0);
  use_.teams.assign(teams_.size(), 0);
  use_.models.assign(models_.size(), 0);
  shares_.emplace(state);
  layouts_.begin(state);
  spreads_.emplace(state);
}

std::uint32_t Recorder::submitted(JobId job, const JobSpec& spec) {
  if (tracks_.size() <= job.value()) tracks_.resize(job.value() + 1);
  const Keys keys = keys_of(spec);
  tracks_[job.value()] = {clock_.now(), kNever, keys};
  return keys.team;
}

void Recorder::withdraw(JobId job, const JobSpec& spec) {
  tracks_[job.value()] = Track{};
  refused_.push_back(keys_of(spec));
}

void Recorder::started(JobId job) {
  Track& track = tracks_[job.value()];
  if (track.started_at != kNever) return;
  track.started_at = clock_.now();
  spreads_->started(*state_, *state_->find_job(job));
}

void Recorder::holds(const Lease& lease) {
  if (lease.placement.grants.empty()) return;
  const ModelIndex model = state_->node_kind(state_->node(lease.placement.node).kind).model;
  held_.assign(lease.id, {lease.job, cards_of(lease.placement.grants), model_rows_[model.value()],
                          clock_.now()});
}

void Recorder::holds_no_more(LeaseId lease) {
  const Held* held = held_.find(lease);
  if (held == nullptr) return;
  add_use(*held, use_);
  held_.erase(lease);
}

Recorder::Keys Recorder::keys_of(const JobSpec& spec) const {
  Keys keys;
  const std::uint32_t* team = team_rows_.find(spec.queue);
  keys.team = team == nullptr ? static_cast<std::uint32_t>(teams_.size()) : *team;
  keys.job_class = static_cast<std::uint8_t>(spec.job_class);
  keys.size = size_row(spec);
  return keys;
}

std::size_t Recorder::key(const Keys& keys, By by) {
  if (by == By::kClass) return keys.job_class;
  return by == By::kSize ? keys.size : keys.team;
}

void Recorder::add_use(const Held& held, Use& use) const {
  const double card_ms = held.cards * static_cast<double>(clock_.now() - held.since);
  const Keys& keys = tracks_[held.job.value()].keys;
  use.classes[keys.job_class] += card_ms;
  use.sizes[keys.size] += card_ms;
  use.teams[keys.team] += card_ms;
  use.models[held.model_row] += card_ms;
}

void Recorder::sample(const engine::ClusterState& state, const WorkBook& book) {
  losses_.step(clock_.now(), book);
  Sample sample;
  sample.at_ms = clock_.now();
  sample.allocated_cards.assign(models_.size(), 0);
  for (const engine::NodeRecord& node : state.nodes()) {
    const ModelIndex model = state.node_kind(node.kind).model;
    CardUnits used = 0;
    for (const engine::CardState& card : node.cards) used += kCard - card.compute_free;
    if (used == 0) continue;
    sample.allocated_cards[model_rows_[model.value()]] +=
        static_cast<double>(used) / static_cast<double>(kCard);
  }
  for (const JobId id : state.pending().sorted_ids()) {
    sample.waiting_cards += cards_asked(state, *state.find_job(id));
  }
  sample.pending_jobs = static_cast<std::int64_t>(state.pending().size());
  sample.running_jobs = static_cast<std::int64_t>(state.jobs().size()) - sample.pending_jobs;
  sample.unschedulable_cards = unschedulable_cards(state);
  QueueShares::Now shares = shares_->now(state);
  sample.queue_cards = std::move(shares.held);
  sample.queue_fair_cards = std::move(shares.fair);
  sample.kept_cards = kept_cards(state);
  sample.deferring_jobs = static_cast<std::int64_t>(state.deferring().size());
  samples_.push_back(std::move(sample));
}

std::vector<NodeUse> node_use(const engine::ClusterState& state) {
  std::vector<NodeUse> nodes;
  const auto part = [](std::int64_t free, std::int64_t all) {
    return all == 0 ? 0.0 : 1.0 - static_cast<double>(free) / static_cast<double>(all);
  };
  for (const engine::NodeRecord& record : state.nodes()) {
    NodeUse node;
    node.name = record.spec->name;
    node.model = record.spec->model;
    node.condition = record.condition;
    node.cpu_share = part(record.cpu_free, record.spec->cpu_milli);
    node.memory_share = part(record.memory_free, record.spec->memory_mib);
    for (const engine::CardState& card : record.cards) {
      const double compute = part(card.compute_free, kCard);
      const double memory = part(card.memory_free, state.card_kind(card.kind).usable);
      node.cards.push_back(
          {card.mode, card.health, std::clamp(std::max(compute, memory), 0.0, 1.0), card.clients});
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

}  // namespace berth::sim
