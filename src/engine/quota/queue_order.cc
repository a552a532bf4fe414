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
  here.others.widen({bits_of(spec.ask), turn.key.head});
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
  Node::Reach reach{bits_of(line.ask), JobId::none()};
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

// With what only the order of all queues together can tell.
Turn QueueOrder::ranked(Turn turn) const {
  const SpecRecord& spec = state_.spec(turn.spec);
  turn.key.tier = static_cast<std::uint8_t>(lending_tier(state_, flavours_, spec, turn.key.head));
  if (by_gpu_time()) {
    const auto cards = static_cast<std::int64_t>(spec.cards);
    turn.key.order = saturating_mul(state_.expected_run(spec, now_), cards);
  }
  return turn;
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
  if (by_gpu_time()) {
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
  return *least;
}

// Of work that counts under no flavour.
ShareKey QueueOrder::key_of_none(QueueIndex queue) const {
  return ShareKey{0, -std::int64_t{state_.quota().queue(queue).spec->priority}};
}

ShareKey QueueOrder::key_of(QueueIndex parent, QueueIndex child, const Turn& turn) const {
  const bool own = child.is_none();
  const QueueIndex queue = own ? parent : child;
  const SpecRecord& spec = state_.spec(turn.spec);
  if (by_gpu_time()) {
    return {turn.key.tier, -std::int64_t{state_.quota().queue(queue).spec->priority},
            turn.key.order, 1, turn.key.head.value()};
  }
  std::optional<ShareKey> least;
  const auto offer = [&](ShareKey key) {
    if (!least || key < *least) least = key;
  };
  for (const RoleFlavours& role : flavours_.of(state_, spec.ask)) {
    for (const FlavourOption& option : role.cards) {
      offer(share(queue, own, option.flavour, option.per_task));
    }
    if (role.cards.empty() && state_.quota().counts_cpus() && !role.cpus.is_none()) {
      offer(share(queue, own, role.cpus, role.cpus_per_task));
    }
  }
  if (!least) least = key_of_none(queue);
  least->head = turn.key.head.value();
  return *least;
}

ShareKey QueueOrder::share(QueueIndex queue, bool own, FlavourIndex flavour,
                           const Charge& more) const {
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
  key.rank = used(more) > guarantee ? 1 : 0;
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
