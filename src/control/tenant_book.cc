#include "control/tenant_book.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace berth::control {
namespace {

// Standings are worked out no more often than this.
constexpr DurationMs kPeriod = kMinuteMs;

bool is_on(const engine::ClusterState& state) { return state.policy().lending_reserve_ppm > 0; }

// Cards of each task; nothing where one asks for parts of cards.
std::optional<learn::TaskCards> whole_cards(const JobSpec& spec) {
  learn::TaskCards tasks;
  for (const Role& role : spec.roles) {
    std::uint32_t cards = 0;
    for (const DeviceRequest& request : task_request(role).devices) {
      if (request.kind != ShareKind::kWhole) return std::nullopt;
      cards += request.count;
    }
    tasks.insert(tasks.end(), role.count, cards);
  }
  return tasks;
}

// Of whole cards, in all flavours together.
std::uint32_t guaranteed_cards(const engine::QueueRecord& queue) {
  CardUnits sum = 0;
  for (const engine::QuotaEntry& entry : queue.entries) {
    if (!entry.pattern.cpu) sum = saturating_add(sum, entry.guarantee);
  }
  return static_cast<std::uint32_t>(std::min<CardUnits>(sum / kCard, 1'000'000));
}

// Of the largest node that the queue is guaranteed cards of.
std::uint32_t cards_per_node(const engine::ClusterState& state, const engine::QueueRecord& queue) {
  std::uint32_t most = 0;
  for (std::uint32_t k = 0; k < state.node_kind_count(); ++k) {
    const engine::NodeKind& kind = state.node_kind(engine::NodeKindIndex(k));
    if (kind.flavour.is_none()) continue;
    const auto& flavour = state.quota().flavour(kind.flavour);
    const auto covers = [&](const auto& entry) { return entry.pattern.matches(flavour); };
    if (std::any_of(queue.entries.begin(), queue.entries.end(), covers)) {
      most = std::max(most, kind.cards);
    }
  }
  return most;
}

}  // namespace

void TenantBook::observe(const Event& event, const engine::ClusterState& state) {
  if (state.revision() == 1) *this = {};  // the journal from its beginning: a controller recovers
  if (!is_on(state)) return;
  if (const auto* submit = std::get_if<JobSubmitted>(&event.body)) return submitted(*submit, state);
  if (const auto* started = std::get_if<JobStarted>(&event.body)) {
    account_.started(started->job, event.at);
  } else if (const auto* requeued = std::get_if<JobRequeued>(&event.body)) {
    account_.requeued(requeued->job, event.at);
  } else if (const auto* ended = std::get_if<JobEnded>(&event.body)) {
    account_.ended(ended->job, event.at);
  } else if (const auto* declared = std::get_if<QueueDeclared>(&event.body)) {
    account_.forget(state.find_queue(declared->queue->name));
  }
}

void TenantBook::submitted(const JobSubmitted& event, const engine::ClusterState& state) {
  const QueueIndex queue = state.find_queue(event.spec->queue);
  if (!account_.knows(queue)) {
    const engine::QueueRecord& record = state.quota().queue(queue);
    const std::uint32_t cards = guaranteed_cards(record);
    const std::uint32_t per_node = cards_per_node(state, record);
    if (cards == 0 || per_node == 0) return;
    account_.declare(queue, cards, per_node);
  }
  auto tasks = whole_cards(*event.spec);
  if (tasks) account_.submitted(queue, event.job, state.now(), std::move(*tasks));
}

StandingsPtr TenantBook::standings(const engine::ClusterState& state, TimeMs now) {
  if (!is_on(state) || now < next_) return nullptr;
  next_ = now + kPeriod;
  Standings fresh = account_.standings(
      now, [&](JobId job) { return state.expected_run(state.spec_of(*state.find_job(job)), now); });
  const bool same =
      state.standings() == nullptr ? fresh == Standings{} : fresh == *state.standings();
  return same ? nullptr : std::make_shared<const Standings>(std::move(fresh));
}

}  // namespace berth::control
