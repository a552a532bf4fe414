#include "engine/quota/queue_order.h"

#include <algorithm>

#include "base/check.h"
#include "engine/quota/lending.h"

namespace berth::engine {
namespace {

// Heaps have their least element in front.
constexpr auto kByKey = [](const auto& a, const auto& b) { return b.key < a.key; };

template <typename Item>
void push(std::vector<Item>& heap, Item item) {
  heap.push_back(std::move(item));
  std::push_heap(heap.begin(), heap.end(), kByKey);
}

template <typename Item>
void pop(std::vector<Item>& heap) {
  std::pop_heap(heap.begin(), heap.end(), kByKey);
  heap.pop_back();
}

}  // namespace

bool operator<(const ShareKey& a, const ShareKey& b) {
  if (a.rank != b.rank) return a.rank < b.rank;
  if (a.negative_priority != b.negative_priority) return a.negative_priority < b.negative_priority;
  if (a.after_holes != b.after_holes) return a.after_holes < b.after_holes;
  const int ratio = compare_ratios(a.held, a.of, b.held, b.of);
  if (ratio != 0) return ratio < 0;
  return a.head < b.head;
}

QueueOrder::QueueOrder(const ClusterState& state, AskFlavours& flavours, TimeMs now,
                       LineSource* source)
    : state_(state), flavours_(flavours), now_(now), source_(source), bits_(state.asks().size()) {
  for (std::uint16_t f = 0; f < state.quota().flavour_count(); ++f) {
    all_flavours_.push_back(FlavourIndex(f));
  }
}

void QueueOrder::add(const Turn& turn) {
  if (nodes_.empty()) nodes_.resize(state_.queues().size());  // not where nothing is to be done
  const SpecRecord& spec = state_.spec(turn.spec);
  Node& here = node(spec.home.queue);
  here.turns.push_back(ranked(turn));
  here.others.widen({bits_of(spec.ask), turn.key.head, turn.key.kind == 0});
  note(spec.home.queue);
}

void QueueOrder::open(const PendingLine& line) {
  if (nodes_.empty()) nodes_.resize(state_.queues().size());
  Node& here = node(line.queue);
  if (!here.open) {
    here.open = true;
    // ageing changes ranks with time
    here.unlimited = state_.quota().is_unlimited(line.queue) && state_.policy().ageing_step_ms == 0;
    opened_.push_back(line.queue);
  }
  Node::Reach reach{bits_of(line.ask), JobId::none(), false};
  if ((reach.flavours >> kNoFlavourBit & 1) != 0) reach.head = line.jobs.front();
  if (!here.unlimited || line.is_protected) return here.others.widen(reach);
  const std::pair rank(line.job_class, -std::int64_t{line.priority});
  if (here.rank < rank) return;
  if (rank < here.rank) here.best = {};
  here.rank = rank;
  here.best.widen(reach);
}

// Passes on what bounds the queue's own lines to all queues above.
void QueueOrder::note(QueueIndex queue) {
  const Node::Reach reach = node(queue).own();
  for (QueueIndex q = queue; !q.is_none();) {
    Node& here = node(q);
    if (here.active && here.all.holds(reach)) return;
    here.all.widen(reach);
    const QueueIndex parent = state_.quota().queue(q).parent;
    if (!here.active) node(parent).children.push_back(q);
    here.active = true;
    q = parent;
  }
}

void QueueOrder::note_opened() {
  for (const QueueIndex queue : opened_) note(queue);
  opened_.clear();
}

QueueOrder::FlavourBits QueueOrder::bits_of(AskIndex ask) {
  FlavourBits& bits = bits_[ask.value()];
  if (bits != 0) return bits;
  const auto add = [&](FlavourIndex flavour) {
    bits |= FlavourBits{1} << std::min<unsigned>(flavour.value(), kSharedBit);
  };
  for (const RoleFlavours& role : flavours_.of(state_, ask)) {
    for (const FlavourOption& option : role.cards) add(option.flavour);
    if (role.cards.empty() && state_.quota().counts_cpus() && !role.cpus.is_none()) add(role.cpus);
  }
  if (bits == 0) bits = FlavourBits{1} << kNoFlavourBit;
  return bits;
}

bool QueueOrder::by_gpu_time() const {
  return state_.policy().order == berth::QueueOrder::kPredictedGpuTime;
}

// Whoever has had less service goes first, whatever his queue holds.
bool QueueOrder::by_level() const {
  return state_.policy().order == berth::QueueOrder::kAttainedService;
}

// With what only the order of all queues together can tell.
Turn QueueOrder::ranked(Turn turn) const {
  const SpecRecord& spec = state_.spec(turn.spec);
  turn.key.tier = static_cast<std::uint8_t>(lending_tier(state_, flavours_, spec, turn.key.head));
  switch (order_inside(state_, spec.home.queue)) {
    case berth::QueueOrder::kSubmission:
      break;
    case berth::QueueOrder::kPredictedGpuTime:
      turn.key.order = gpu_time(spec);
      break;
    case berth::QueueOrder::kAttainedService:
      turn.key.order = attained_level(state_, turn.key.head, now_);
      break;
  }
  return turn;
}

std::int64_t QueueOrder::gpu_time(const SpecRecord& spec) const {
  return saturating_mul(state_.expected_run(spec, now_), static_cast<std::int64_t>(spec.cards));
}

void QueueOrder::build(QueueIndex queue) {
  Node& here = node(queue);
  here.built = true;
  if (here.open) {
    for (const Turn& turn : source_->turns_of(queue)) here.turns.push_back(ranked(turn));
  }
  std::make_heap(here.turns.begin(), here.turns.end(), kByKey);
  if (!here.turns.empty()) {
    here.heap.push_back({bound_of(queue, QueueIndex::none()), QueueIndex::none(), false});
  }
  for (const QueueIndex child : here.children) {
    here.heap.push_back({bound_of(queue, child), child, false});
  }
  std::make_heap(here.heap.begin(), here.heap.end(), kByKey);
}

std::optional<Turn> QueueOrder::next() {
  note_opened();
  const Turn* turn = best(QueueIndex::none());
  return turn == nullptr ? std::nullopt : std::optional(*turn);
}

const Turn* QueueOrder::best_of(QueueIndex queue, const Child& child) {
  if (!child.queue.is_none()) return best(child.queue);
  std::vector<Turn>& turns = node(queue).turns;
  while (!turns.empty() && source_ != nullptr && !source_->in_play(turns.front())) pop(turns);
  return turns.empty() ? nullptr : &turns.front();
}

// The child in front of the heap, once its key is exact.
const Turn* QueueOrder::best(QueueIndex queue) {
  Node& here = node(queue);
  if (!here.built) build(queue);
  while (!here.heap.empty()) {
    const Child front = here.heap.front();
    const Turn* turn = best_of(queue, front);
    const bool alone = here.heap.size() == 1;
    const bool exact = turn != nullptr && front.exact && front.key.head == turn->key.head.value();
    if (turn != nullptr && (exact || alone)) return turn;
    pop(here.heap);
    if (turn == nullptr) continue;
    push(here.heap, Child{key_of(queue, front.queue, *turn), front.queue, true});
  }
  return nullptr;
}

void QueueOrder::end_turn(std::optional<Turn> again) {
  QueueIndex queue = QueueIndex::none();
  for (;;) {
    Node& here = node(queue);
    BERTH_CHECK(!here.heap.empty());
    Child& front = here.heap.front();
    const QueueIndex child = front.queue;
    // its key rises: sift it down again when it is looked at next
    front.exact = false;
    if (child.is_none()) {
      pop(here.turns);
      if (again) push(here.turns, ranked(*again));
      return;
    }
    queue = child;
  }
}

ShareKey QueueOrder::bound_of(QueueIndex parent, QueueIndex child) {
  if (by_gpu_time() || by_level()) {
    ShareKey least;
    least.negative_priority = INT64_MIN;
    return least;
  }
  const bool own = child.is_none();
  const QueueIndex queue = own ? parent : child;
  const Node::Reach reach = own ? node(parent).own() : node(child).all;
  std::optional<ShareKey> least;
  if ((reach.flavours >> kNoFlavourBit & 1) != 0) {
    least = key_of_none(queue);
    least->head = reach.head.value();
  }
  for (const FlavourIndex flavour : all_flavours_) {
    const unsigned bit = std::min<unsigned>(flavour.value(), kSharedBit);
    if ((reach.flavours >> bit & 1) == 0) continue;
    const ShareKey key = share(queue, own, flavour, {});
    if (!least || key < *least) least = key;
  }
  BERTH_CHECK(least.has_value());
  least->negative_priority = -aged(queue, state_.policy().ageing_most);
  if (reach.holes) least->after_holes = 0;
  return *least;
}

// The queue's priority when its head has waited for so many steps of ageing: at most the highest of
// the queues beside it, so that in the end their shares decide.
std::int64_t QueueOrder::aged(QueueIndex queue, std::int64_t steps) const {
  const QueueRecord& record = state_.quota().queue(queue);
  const std::int64_t own = record.spec->priority;
  if (state_.policy().ageing_step_ms == 0 || steps == 0) return own;
  const auto beside =
      record.parent.is_none()
          ? state_.quota().roots()
          : std::span<const QueueIndex>(state_.quota().queue(record.parent).children);
  std::int64_t highest = own;
  for (const QueueIndex other : beside) {
    highest = std::max<std::int64_t>(highest, state_.quota().queue(other).spec->priority);
  }
  return std::min(highest, own + steps);
}

// Of work that counts under no flavour.
ShareKey QueueOrder::key_of_none(QueueIndex queue) const {
  return ShareKey{0, -std::int64_t{state_.quota().queue(queue).spec->priority}};
}

ShareKey QueueOrder::key_of(QueueIndex parent, QueueIndex child, const Turn& turn) const {
  const bool own = child.is_none();
  const QueueIndex queue = own ? parent : child;
  if (by_gpu_time()) {
    const SpecRecord& spec = state_.spec(turn.spec);
    const bool known =
        order_inside(state_, spec.home.queue) == berth::QueueOrder::kPredictedGpuTime;
    return {turn.key.tier,
            -std::int64_t{state_.quota().queue(queue).spec->priority},
            1,
            known ? turn.key.order : gpu_time(spec),
            1,
            turn.key.head.value()};
  }
  ShareKey key = share_of(queue, own, turn);
  const std::int64_t base = -std::int64_t{state_.spec(turn.spec).spec->priority};
  key.negative_priority = -aged(queue, base - turn.key.negative_priority);
  key.after_holes = turn.key.kind == 0 ? 0 : 1;
  key.head = turn.key.head.value();
  if (by_level()) {
    key.held = attained_level(state_, turn.key.head, now_);
    key.of = 1;
  }
  return key;
}

// Of all that the head needs at least: for each role the flavour that it may use best; what must
// borrow for one role borrows.
ShareKey QueueOrder::share_of(QueueIndex queue, bool own, const Turn& turn) const {
  const std::vector<RoleFlavours>& roles = flavours_.of(state_, state_.spec(turn.spec).ask);
  const Ask& ask = state_.asks().at(state_.spec(turn.spec).ask);
  const auto tasks = [&](std::size_t r) {  // of a job that runs one at a time
    return turn.key.kind == 1 ? least_tasks(ask.roles[r]) : 1;
  };
  std::optional<ShareKey> worst;
  for (std::size_t r = 0; r < roles.size(); ++r) {
    if (tasks(r) == 0) continue;
    std::optional<ShareKey> best;
    const auto offer = [&](FlavourIndex flavour, const Charge& more) {
      const ShareKey key = share(queue, own, flavour, more, turn.borrows);
      if (!best || key < *best) best = key;
    };
    for (const FlavourOption& option : roles[r].cards) {
      offer(option.flavour, charge_of(roles, option.flavour, tasks));
    }
    if (roles[r].cards.empty() && state_.quota().counts_cpus() && !roles[r].cpus.is_none()) {
      offer(roles[r].cpus, roles[r].cpus_per_task);
    }
    if (best && (!worst || *worst < *best)) worst = best;
  }
  if (!worst) return key_of_none(queue);
  return *worst;
}

ShareKey QueueOrder::share(QueueIndex queue, bool own, FlavourIndex flavour, const Charge& more,
                           bool borrows) const {
  const QuotaTree& tree = state_.quota();
  const QuotaEntry* entry = tree.entry(queue, flavour);
  const bool leaf = tree.queue(queue).children.empty();
  const bool part = own && !leaf;
  CardUnits guarantee = entry == nullptr ? 0 : entry->guarantee;
  if (part && entry != nullptr) guarantee = std::max<CardUnits>(0, guarantee - entry->children);
  const auto used = [&](const Charge& extra) {
    return part ? tree.used_by_own(queue, entry, flavour, extra)
                : tree.used(queue, entry, flavour, extra);
  };
  ShareKey key;
  key.negative_priority = -std::int64_t{tree.queue(queue).spec->priority};
  CardUnits held = used({});
  const PolicySpec& policy = state_.policy();
  if (policy.history_ppm > 0) {
    const CardUnits past = tree.past(queue, entry, flavour, now_, policy.usage_half_life_ms);
    held = saturating_add(held, saturating_mul(past, policy.history_ppm) / kPpmOne);
  }
  key.rank = borrows || used(more) > guarantee ? 1 : 0;
  if (key.rank == 0) {
    key.held = held;
    key.of = std::max<CardUnits>(1, guarantee);
    return key;
  }
  const std::int64_t weight = part               ? 1
                              : entry == nullptr ? tree.queue(queue).spec->weight
                                                 : entry->weight;
  key.held = weight == 0 ? INT64_MAX : std::max<CardUnits>(0, held - guarantee);
  key.of = std::max<std::int64_t>(1, weight);
  return key;
}

berth::QueueOrder order_inside(const ClusterState& state, QueueIndex queue) {
  const berth::QueueOrder own = state.quota().queue(queue).spec->order;
  return own == berth::QueueOrder::kSubmission ? state.policy().order : own;
}

std::int64_t service_level(DurationMs run_ms) {
  std::int64_t level = 0;
  for (std::int64_t hours = run_ms / kHourMs; hours > 0; hours /= 2) ++level;
  return level;
}

std::int64_t attained_level(const ClusterState& state, JobId job, TimeMs now) {
  const JobRecord& record = *state.find_job(job);
  CardTime attained = record.attained;
  for (const LeaseId lease : record.leases) {
    attained.add(card_time(*state.find_lease(lease), now));
  }
  const auto cards = static_cast<std::int64_t>(state.spec_of(record).cards);
  return service_level(attained.card_ms() / std::max<std::int64_t>(1, cards));
}

LineKey line_key(const ClusterState& state, SpecIndex spec, JobId head, TimeMs now) {
  const JobSpec& job = *state.spec(spec).spec;
  LineKey key;
  key.job_class = job.job_class;
  key.negative_priority = -std::int64_t{job.priority};
  key.kind = 1;
  key.head = head;
  const PolicySpec& policy = state.policy();
  if (policy.ageing_step_ms > 0) {
    const TimeMs since = state.jobs().at(head).submitted_at;
    const std::int64_t steps =
        saturating_mul(now - since, job.ageing_ppm) / kPpmOne / policy.ageing_step_ms;
    key.negative_priority -= std::min<std::int64_t>(steps, policy.ageing_most);
  }
  return key;
}

}  // namespace berth::engine
