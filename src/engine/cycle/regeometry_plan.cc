#include "engine/cycle/regeometry_plan.h"

#include <algorithm>
#include <bit>
#include <map>

#include "engine/cycle/cycle.h"
#include "engine/placement/filters.h"
#include "engine/placement/mig_search.h"
#include "engine/reclaim/loss.h"

namespace berth::engine {
namespace {

// Equal nodes are alike but for how long their work still runs: so many of each state are tried.
constexpr std::size_t kNodesTried = 4;

// What a node takes to carry out a change. An assumption, for no public source has measured it: the
// tool that NVIDIA ships for it is reported to take one to three minutes with all that it stops and
// starts, creating and destroying instances alone a few seconds.
constexpr DurationMs kAssumedSwitchMs = kMinuteMs;

// More work than any pool can do in a window; sums of such stay inside an int.
constexpr DurationMs kMostWork = DurationMs{1} << 55;

template <typename Use>
void for_each_placement(MigOccupancy mask, Use use) {
  for (; mask != 0; mask &= mask - 1) {
    use(MigPlacementIndex(static_cast<std::uint8_t>(std::countr_zero(mask))));
  }
}

std::int64_t slots_of(const MigGeometry& grid, MigPlacementIndex placement) {
  return std::popcount(grid.placement(placement).slots);
}

}  // namespace

std::vector<Regeometry> LayoutPlanner::run(std::vector<WaitingTasks> waiting) {
  waiting_ = std::move(waiting);
  const std::uint32_t most = state_.policy().regeometry.max_cards;
  std::vector<Family> all = families();
  std::vector<Regeometry> changes;
  for (Family& family : all) {
    while (family.changing < most) {
      const auto best = best_of(family);
      if (!best) break;
      apply(*best, family);
      changes.push_back(best->change);
    }
  }
  return changes;
}

// What a change must pay off in; so short that sums over a fleet stay far from the limits of an
// int.
DurationMs LayoutPlanner::window() const {
  constexpr DurationMs kLongest = 30 * 24 * kHourMs;
  return std::clamp<DurationMs>(state_.policy().regeometry.dwell_ms, 0, kLongest);
}

// By name, in whatever order models and partitions were declared.
std::vector<LayoutPlanner::Family> LayoutPlanner::families() {
  std::map<std::pair<std::string, std::string>, std::pair<Flavour, Family>> found;
  for (std::uint32_t s = 0; s < state_.slots().slots().size(); ++s) {
    const Slot& slot = state_.slots().slot(SlotIndex(s));
    if (!slot.alive()) continue;
    const NodeKind& kind = state_.node_kind(slot.kind);
    if (kind.model.is_none() || !pool_.holds(kind.partition)) continue;
    const std::string partition =
        kind.partition.is_none() ? std::string() : state_.partition(kind.partition).name;
    auto& [flavour, family] = found[{state_.model(kind.model).gpu->name, partition}];
    flavour = {kind.model, kind.partition};
    if (std::find(family.kinds.begin(), family.kinds.end(), slot.kind) == family.kinds.end()) {
      family.kinds.push_back(slot.kind);
    }
    family.slots.push_back(SlotIndex(s));
    count_slot(slot, family);
  }
  std::vector<Family> families;
  for (auto& [name, entry] : found) {
    if (entry.second.grid == nullptr) continue;
    count_changes(entry.second, entry.first);
    families.push_back(std::move(entry.second));
  }
  return families;
}

void LayoutPlanner::count_slot(const Slot& slot, Family& family) const {
  const auto nodes = static_cast<std::int64_t>(slot.nodes.size());
  for (const CardState& card : slot.cards) {
    const CardKind& kind = state_.card_kind(card.kind);
    if (kind.regime != MigRegime::kStatic || !card.is_healthy()) continue;
    family.grid = kind.mig;
    family.memory_slots += nodes * kind.mig->memory_slots();
    for_each_placement(kind.layout | card.mig, [&](MigPlacementIndex p) {
      const bool used = (card.mig & MigGeometry::bit(p)) != 0 || card.promises > 0;
      const std::size_t profile = kind.mig->placement(p).profile.value();
      (used ? family.busy : family.open)[profile] += nodes;
    });
  }
}

// Cards under way count, and so do the instances that will come of them.
void LayoutPlanner::count_changes(Family& family, const Flavour& flavour) {
  for (const auto& [where, change] : state_.ledger().regeometries) {
    const NodeKind& kind = state_.node_kind(state_.node(where.first).kind);
    if (Flavour{kind.model, kind.partition} != flavour) continue;
    ++family.changing;
    if (change.stage == RegeometryStage::kRestoring) continue;
    const MigOccupancy before = layout_mask(change.change->before);
    for_each_placement(layout_mask(change.change->placements) & ~before, [&](MigPlacementIndex p) {
      serve(family, family.grid->placement(p).profile, 1);
    });
  }
}

template <typename Use>
void LayoutPlanner::for_each_request(const Family& family, std::span<const NodeKindIndex> kinds,
                                     const Shape& shape, Use use) const {
  const auto admits = [&](NodeKindIndex kind) { return kind_admits(state_, kind, shape); };
  if (std::none_of(kinds.begin(), kinds.end(), admits)) return;
  for (const DeviceRequest& request : shape.request.devices) {
    const auto profile = family.grid->find_profile(request.mig_profile);
    if (request.kind == ShareKind::kMig && profile) use(*profile, std::int64_t{request.count});
  }
}

void LayoutPlanner::serve(const Family& family, MigProfileIndex wanted, std::int64_t instances) {
  for (WaitingTasks& one : waiting_) {
    std::int64_t asked = 0;
    const Shape& shape = state_.shapes().at(one.shape);
    for_each_request(family, family.kinds, shape, [&](MigProfileIndex p, auto count) {
      if (p == wanted) asked += count;
    });
    if (asked == 0) continue;
    const std::int64_t served = std::min(one.tasks, (instances + asked - 1) / asked);
    one.tasks -= served;
    instances -= served * asked;
    if (instances <= 0) return;
  }
}

// What waits and could run on nodes of the slot but for its instances.
PoolSupply LayoutPlanner::supply_of(const Family& family, const Slot& slot) const {
  const DurationMs within = window();
  PoolSupply supply{};
  for (std::size_t p = 0; p < supply.size(); ++p) supply[p].open = family.open[p];
  for (const WaitingTasks& one : waiting_) {
    const Shape& shape = state_.shapes().at(one.shape);
    if (!EnoughCpu::passes(state_, slot, shape)) continue;
    for_each_request(family, {&slot.kind, 1}, shape, [&](MigProfileIndex p, std::int64_t count) {
      DurationMs& waits = supply[p.value()].waiting;
      const DurationMs each = std::min(one.run_ms, within);
      waits = std::min(kMostWork, saturating_add(waits, saturating_mul(one.tasks * count, each)));
    });
  }
  add_expected(family, supply);
  return supply;
}

// By the decayed mix of what has been asked for: were the pool shared out by it, each profile would
// have so many instances. What neither runs nor waits of them is likely to come.
void LayoutPlanner::add_expected(const Family& family, PoolSupply& supply) const {
  const DurationMs within = window();
  std::array<std::int64_t, kMaxMigProfiles> seen{};
  std::array<std::int64_t, kMaxMigProfiles> slots{};
  for (std::size_t s = 0; s < state_.sightings().size(); ++s) {
    const auto sightings = static_cast<std::int64_t>(state_.sightings()[s] >> 8);
    const Shape& shape = state_.shapes().at(ShapeIndex(static_cast<std::uint32_t>(s)));
    if (sightings == 0 || !MigSearch::serves(shape)) continue;
    for_each_request(family, family.kinds, shape, [&](MigProfileIndex p, std::int64_t count) {
      seen[p.value()] = saturating_add(seen[p.value()], saturating_mul(sightings, count));
    });
  }
  std::int64_t total = 0;
  for (std::size_t p = 0; p < static_cast<std::size_t>(family.grid->profile_count()); ++p) {
    const MigOccupancy any =
        family.grid->placements_of(MigProfileIndex(static_cast<std::uint8_t>(p)));
    slots[p] =
        slots_of(*family.grid, MigPlacementIndex(static_cast<std::uint8_t>(std::countr_zero(any))));
    total = saturating_add(total, saturating_mul(seen[p], slots[p]));
  }
  if (total == 0) return;
  for (std::size_t p = 0; p < supply.size(); ++p) {
    const auto share =
        static_cast<std::int64_t>(static_cast<__int128>(family.memory_slots) * seen[p] / total);
    const std::int64_t coming = share - family.busy[p];
    supply[p].expected =
        std::max<DurationMs>(0, saturating_mul(coming, within) - supply[p].waiting);
  }
}

std::optional<LayoutPlanner::Candidate> LayoutPlanner::best_of(const Family& family) const {
  std::optional<Candidate> best;
  for (const SlotIndex index : family.slots) {
    const Slot& slot = state_.slots().slot(index);
    const PoolSupply supply = supply_of(family, slot);
    const bool short_of_any = std::any_of(supply.begin(), supply.end(), [&](const auto& one) {
      return one.waiting > one.open * window();
    });
    if (!short_of_any) continue;
    for (std::size_t p = 0; p < slot.cards.size(); ++p) {
      const CardState& card = slot.cards[p];
      const bool static_card = state_.card_kind(card.kind).regime == MigRegime::kStatic;
      if (!static_card || card.health != CardHealth::kHealthy || card.promises > 0) continue;
      if (p > 0 && card == slot.cards[p - 1]) continue;
      std::size_t tried = 0;
      for (auto it = slot.nodes.rbegin(); it != slot.nodes.rend() && tried < kNodesTried; ++it) {
        if (try_node(family, supply, card, *it, best)) ++tried;
      }
    }
  }
  return best;
}

// The first such card of the node stands for the others.
bool LayoutPlanner::try_node(const Family& family, const PoolSupply& supply,
                             const CardState& wanted, NodeIndex node,
                             std::optional<Candidate>& best) const {
  const NodeRecord& record = state_.node(node);
  for (std::uint16_t c = 0; c < record.cards.size(); ++c) {
    if (!(record.cards[c] == wanted) || !is_at_rest(node, c)) continue;
    const LayoutCard card = card_of(node, c);
    const LayoutTerms terms{window(), kAssumedSwitchMs};
    const auto choice = best_layout(*family.grid, supply, card, terms);
    if (!choice) return true;
    Candidate found{{node, c, layout_placements(choice->layout), layout_placements(card.layout)},
                    *choice,
                    card.busy,
                    record.name_order};
    if (!best || found.rank() < best->rank()) best = std::move(found);
    return true;
  }
  return false;
}

bool LayoutPlanner::is_at_rest(NodeIndex node, std::uint16_t card) const {
  const Ledger& ledger = state_.ledger();
  const auto rests = ledger.layout_rests.find({node, card});
  return !chosen_.contains({node, card}) && !ledger.regeometries.contains({node, card}) &&
         !ledger.interruptions.contains(node) &&
         (rests == ledger.layout_rests.end() || rests->second <= now_);
}

LayoutCard LayoutPlanner::card_of(NodeIndex node, std::uint16_t index) const {
  LayoutCard card;
  card.layout = state_.layout_of(node, index);
  card.busy = state_.node(node).cards[index].mig;
  card.free_in.fill(kNever);  // of what this cycle places
  note_leases(node, index, card);
  return card;
}

void LayoutPlanner::note_leases(NodeIndex node, std::uint16_t index, LayoutCard& card) const {
  const RegeometryPolicy& policy = state_.policy().regeometry;
  for (const LeaseId id : state_.node(node).leases) {
    const Lease& lease = *state_.find_lease(id);
    if (!lease.holds_cards()) continue;
    const JobRecord& job = *state_.find_job(lease.job);
    const DurationMs alone = free_in(job);
    DurationMs lost = 0;
    DurationMs in = alone <= policy.drain_ms ? alone : kNever;
    const bool asks = policy.drain == DrainBy::kEvicting && job.phase == JobPhase::kRunning &&
                      !state_.spec_of(job).spec->is_protected;
    if (asks) {
      const Loss loss = loss_of(state_, job, now_);
      in = std::min(alone, loss.latency_ms);
      lost = loss.counted_ms;
    }
    for (const CardGrant& grant : lease.placement.grants) {
      if (grant.card != index || grant.mode != CardMode::kMig) continue;
      card.free_in[grant.placement] = in;
      card.lost_ms[grant.placement] = lost;
    }
  }
}

// As declared, else what half of those of its kind still need that have run so long.
DurationMs LayoutPlanner::free_in(const JobRecord& job) const {
  if (job.started_at == kNever) return kNever;
  const SpecRecord& spec = state_.spec_of(job);
  const DurationMs ran = now_ - job.running_since();
  const auto& declared = spec.spec->run_time_ms;
  if (declared) return *declared > ran ? *declared - ran : kNever;
  constexpr std::uint32_t kHalf = 1U << 15;  // in 1/65536
  return state_.run_times().of(spec.kind).remaining(ran, kHalf);
}

void LayoutPlanner::apply(const Candidate& candidate, Family& family) {
  const Regeometry& change = candidate.change;
  const MigOccupancy before = layout_mask(change.before);
  const MigOccupancy wanted = layout_mask(change.placements);
  for_each_placement(before & ~wanted, [&](MigPlacementIndex p) {
    const std::size_t profile = family.grid->placement(p).profile.value();
    const bool used = (candidate.busy & MigGeometry::bit(p)) != 0;
    --(used ? family.busy : family.open)[profile];
  });
  for_each_placement(wanted & ~before, [&](MigPlacementIndex p) {
    serve(family, family.grid->placement(p).profile, 1);
  });
  ++family.changing;
  chosen_.insert({change.node, change.card});
}

// Step 7: after all that can be placed has been.
void Cycle::change_layouts() {
  if (state_.policy().regeometry.max_cards == 0) return;
  std::vector<WaitingTasks> waiting = waiting_for_instances();
  if (waiting.empty()) return;
  for (Regeometry& change : LayoutPlanner(state_, pool_, now_).run(std::move(waiting))) {
    plan_.decisions.emplace_back(std::move(change));
  }
}

// Of each line what the plan has not placed, as far as its quota goes; each line by itself.
std::vector<WaitingTasks> Cycle::waiting_for_instances() {
  std::set<JobId> placed;
  for (const Decision& decision : plan_.decisions) {
    if (const auto* place = std::get_if<Place>(&decision)) placed.insert(place->job);
    if (const auto* reclaim = std::get_if<Reclaim>(&decision)) placed.insert(reclaim->beneficiary);
  }
  std::map<SpecIndex, std::size_t> known;
  std::vector<std::pair<JobId, std::uint64_t>> lines;  // first job and number of jobs
  for (const JobId id : state_.pending().sorted_ids()) {
    const JobRecord& job = *state_.find_job(id);
    if (placed.contains(id) || !waits_for_instances(job)) continue;
    const auto [line, is_new] = known.emplace(job.spec, lines.size());
    if (is_new) lines.emplace_back(id, 0);
    ++lines[line->second].second;
  }
  std::vector<WaitingTasks> waiting;
  for (const auto& [id, jobs] : lines) {
    const JobRecord& head = *state_.find_job(id);
    const SpecRecord& spec = state_.spec_of(head);
    const auto most = static_cast<std::int64_t>(admissible(head, jobs));
    const TaskCounts tasks = least_tasks(state_.ask_of(head));
    for (std::size_t r = 0; r < tasks.size(); ++r) {
      if (most * tasks[r] == 0) continue;
      waiting.push_back({spec.shapes[r], most * tasks[r], state_.expected_run(spec, now_)});
    }
  }
  return waiting;
}

bool Cycle::waits_for_instances(const JobRecord& job) const {
  const SpecRecord& spec = state_.spec_of(job);
  const bool asks = std::all_of(spec.shapes.begin(), spec.shapes.end(), [&](ShapeIndex shape) {
    return MigSearch::serves(state_.shapes().at(shape));
  });
  return asks && pool_.holds(state_, job) && job.receipt.is_none() && !why_asleep(job) &&
         !lacks_group(job);
}

// How many jobs like the head their quota would admit together.
std::uint64_t Cycle::admissible(const JobRecord& head, std::uint64_t jobs) {
  constexpr std::uint64_t kMost = 10'000;
  const auto fits = [&](std::uint64_t count) {
    TaskCounts tasks = least_tasks(state_.ask_of(head));
    for (std::uint32_t& of_role : tasks) of_role *= static_cast<std::uint32_t>(count);
    return !admit(head, tasks);
  };
  std::uint64_t low = 0;
  for (std::uint64_t high = std::min(jobs, kMost); low < high;) {
    const std::uint64_t middle = low + (high - low + 1) / 2;
    if (fits(middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

void Cycle::tell_layouts(Rejections& reasons) const {
  if (state_.ledger().regeometries.empty()) return;
  auto [card, instances] = layout_to_come(state_, failed_.shape);
  if (instances == 0) return;
  reasons.push_back({Rule::kLayout, std::move(card), {{"instances", instances}}});
}

std::pair<std::string, std::int64_t> layout_to_come(const ClusterState& state, ShapeIndex index) {
  const Shape& shape = state.shapes().at(index);
  std::pair<std::string, std::int64_t> first;
  for (const auto& [where, change] : state.ledger().regeometries) {
    const NodeRecord& node = state.node(where.first);
    const CardKind& kind = state.card_kind(node.cards[where.second].kind);
    const bool comes = change.stage != RegeometryStage::kRestoring &&
                       node.condition == NodeCondition::kReady &&
                       kind_admits(state, node.kind, shape);
    if (!comes) continue;
    std::int64_t instances = 0;
    const MigOccupancy coming =
        layout_mask(change.change->placements) & ~layout_mask(change.change->before);
    for_each_placement(coming, [&](MigPlacementIndex p) {
      const MigProfileIndex profile = kind.mig->placement(p).profile;
      for (const DeviceRequest& request : shape.request.devices) {
        if (kind.mig->find_profile(request.mig_profile) == profile) ++instances;
      }
    });
    const std::string name = node.spec->name + ":" + std::to_string(where.second);
    if (instances == 0 || (first.second > 0 && first.first < name)) continue;
    first = {name + ", " + std::string(word(change.stage)), instances};
  }
  return first;
}

}  // namespace berth::engine
