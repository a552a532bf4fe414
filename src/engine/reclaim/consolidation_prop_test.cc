// Consolidations on tiny fleets: whoever is moved goes on, nobody is moved in vain, and where
// single cards lie in the way room is always made.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <optional>

#include "engine/reclaim/loss.h"
#include "engine/reclaim/reclaim_testing.h"

namespace berth::engine {
namespace {

using testing::ReclaimFleet;
namespace t = berth::testing;

constexpr std::size_t kCards = 4;  // of each node

PolicySpec consolidation_only() {
  PolicySpec policy;
  policy.reclaim = {ReclaimRight::kConsolidation};
  return policy;
}

JobSpec saving_job(Rng& rng, std::uint32_t cards, std::uint32_t tasks) {
  JobSpec spec = t::job("q" + std::to_string(rng.below(2)), t::whole(cards), tasks);
  spec.checkpoint.method = CheckpointMethod::kSignal;
  spec.checkpoint.acknowledges = true;
  spec.checkpoint.duration_ms = static_cast<DurationMs>(1 + rng.below(30)) * kSecondMs;
  spec.checkpoint.restart_ms = static_cast<DurationMs>(rng.below(30)) * kSecondMs;
  return spec;
}

// A fleet in which jobs have run for a while and some have gone.
struct Scene {
  Scene(std::uint64_t seed, bool plain) : rng(seed), fleet(consolidation_only()) {
    nodes = 2 + static_cast<std::size_t>(rng.below(2));
    for (std::size_t n = 0; n < nodes; ++n) fleet.join("n" + std::to_string(n), kCards);
    fleet.declare("q0", rng.below(2) == 0 ? 0 : 4 * kCard);
    fleet.declare("q1", 0);
    std::vector<JobId> jobs;
    for (std::size_t i = 0; i < nodes * kCards; ++i) {
      const auto cards = static_cast<std::uint32_t>(plain ? 1 : 1 + rng.below(2));
      JobSpec spec = saving_job(rng, cards, plain || rng.below(4) > 0 ? 1 : 2);
      spec.is_protected = !plain && rng.below(8) == 0;
      jobs.push_back(fleet.submit(std::move(spec)));
      fleet.cycle();
    }
    RC_ASSERT(fleet.settle(100));
    for (const JobId id : jobs) {
      if (rng.below(2) == 0 || !runs(id)) {
        fleet.run({CancelJob{fleet.state().find_job(id)->name}, {}, {}});
      } else {
        before.insert(id);
      }
    }
    fleet.pass(kHourMs);
    known = fleet.reclaims().size();
  }
  bool has_moved() const { return fleet.reclaims().size() > known; }

  std::size_t free_cards(NodeIndex node) const {
    std::size_t held = 0;
    for (const LeaseId id : fleet.state().node(node).leases) {
      held += fleet.state().find_lease(id)->placement.grants.size();
    }
    return kCards - held;
  }
  bool fits(std::size_t wanted) const {
    for (std::uint32_t n = 0; n < nodes; ++n) {
      if (free_cards(NodeIndex(n)) >= wanted) return true;
    }
    return false;
  }
  std::size_t free_in_all() const {
    std::size_t sum = 0;
    for (std::uint32_t n = 0; n < nodes; ++n) sum += free_cards(NodeIndex(n));
    return sum;
  }
  bool runs(JobId id) const { return fleet.state().find_job(id)->phase == JobPhase::kRunning; }

  Rng rng;
  ReclaimFleet fleet;
  std::size_t nodes = 0;
  std::set<JobId> before;  // that run
  std::size_t known = 0;   // reclaims until then
};

RC_GTEST_PROP(ConsolidationProperty, SingleCardsAlwaysMakeWay, (std::uint64_t seed)) {
  Scene scene(seed, true);
  const auto wanted = static_cast<std::uint32_t>(2 + scene.rng.below(kCards - 1));
  const bool fits = scene.fits(wanted);
  const bool may = !fits && scene.free_in_all() >= wanted;
  const JobId big = scene.fleet.submit(t::job("q0", t::whole(wanted)));
  RC_ASSERT(scene.fleet.settle(100));
  RC_CLASSIFY(may, "moves");
  RC_ASSERT(scene.runs(big) == (fits || may));
  RC_ASSERT(scene.has_moved() == may);
}

RC_GTEST_PROP(ConsolidationProperty, WhoeverIsMovedGoesOn, (std::uint64_t seed)) {
  Scene scene(seed, false);
  const auto wanted = static_cast<std::uint32_t>(2 + scene.rng.below(kCards - 1));
  const auto tasks = static_cast<std::uint32_t>(1 + scene.rng.below(2));
  const bool fits = scene.fits(wanted) && tasks == 1;
  const JobId big = scene.fleet.submit(t::job("q0", t::whole(wanted), tasks));
  for (int i = 0; i < 5; ++i) {
    scene.fleet.cycle();
    RC_ASSERT(broken_invariants(scene.fleet.state()).empty());
  }
  RC_ASSERT(scene.fleet.settle(10));
  RC_CLASSIFY(scene.has_moved(), "moves");
  for (const JobId id : scene.before) RC_ASSERT(scene.runs(id));
  if (fits) RC_ASSERT(!scene.has_moved());
  RC_ASSERT((scene.runs(big) || !scene.has_moved()));
  for (std::size_t r = scene.known; r < scene.fleet.reclaims().size(); ++r) {
    const Reclaim& reclaim = scene.fleet.reclaims()[r];
    for (const Victim& victim : reclaim.victims) {
      RC_ASSERT(!scene.fleet.state()
                     .spec_of(*scene.fleet.state().find_job(victim.job))
                     .spec->is_protected);
      RC_ASSERT(victim.grade == ReclaimGrade::kMove);
    }
    if (reclaim.part_of.is_none()) RC_ASSERT(reclaim.gain > reclaim.price);
  }
}

// Jobs of one task on up to three nodes, all of which may move, and one that finds no room.
struct Puzzle {
  explicit Puzzle(std::uint64_t seed) : rng(seed), fleet(consolidation_only()) {
    nodes = 2 + static_cast<std::size_t>(rng.below(2));
    for (std::size_t n = 0; n < nodes; ++n) fleet.join("n" + std::to_string(n), kEight);
    fleet.declare("q0", 0);
    fleet.declare("q1", 0);
    std::vector<JobId> all;
    for (int i = 0; i < 16; ++i) {
      all.push_back(fleet.submit(saving_job(rng, static_cast<std::uint32_t>(1 + rng.below(4)), 1)));
      fleet.cycle();
    }
    for (const JobId id : all) {
      const bool runs = fleet.state().find_job(id)->phase == JobPhase::kRunning;
      if (!runs || jobs.size() == 8 || rng.below(3) == 0) {
        fleet.run({CancelJob{fleet.state().find_job(id)->name}, {}, {}});
      } else {
        jobs.push_back(id);
      }
    }
    fleet.pass(kHourMs);
    wanted = static_cast<std::size_t>(3 + rng.below(6));
  }

  std::size_t node_of(JobId id) const {
    const JobRecord& job = *fleet.state().find_job(id);
    return fleet.state().find_lease(job.leases.front())->placement.node.value();
  }
  std::size_t cards_of(JobId id) const {
    return fleet.state().spec_of(*fleet.state().find_job(id)).cards;
  }
  MicroMoney price_of(JobId id) const {
    const JobRecord& job = *fleet.state().find_job(id);
    const FlavourIndex flavour =
        fleet.state().node_kind(fleet.state().node(NodeIndex(0)).kind).flavour;
    return worth_of(fleet.state(), flavour, JobClass::kTraining,
                    static_cast<CardUnits>(cards_of(id)) * kCard,
                    loss_of(fleet.state(), job, fleet.now()).counted_ms);
  }

  // The least that any layout costs in which the job fits; none: there is no such layout.
  std::optional<MicroMoney> least_price() const {
    std::optional<MicroMoney> least;
    std::vector<std::size_t> free(nodes, kEight);
    search(0, free, 0, least);
    return least;
  }
  void search(std::size_t at, std::vector<std::size_t>& free, MicroMoney price,
              std::optional<MicroMoney>& least) const {
    if (least && price >= *least) return;
    if (at == jobs.size()) {
      if (*std::max_element(free.begin(), free.end()) >= wanted) least = price;
      return;
    }
    const std::size_t cards = cards_of(jobs[at]);
    for (std::size_t n = 0; n < nodes; ++n) {
      if (free[n] < cards) continue;
      free[n] -= cards;
      search(at + 1, free, price + (n == node_of(jobs[at]) ? 0 : price_of(jobs[at])), least);
      free[n] += cards;
    }
  }

  static constexpr std::size_t kEight = 8;
  Rng rng;
  ReclaimFleet fleet;
  std::size_t nodes = 0;
  std::size_t wanted = 0;
  std::vector<JobId> jobs;
};

RC_GTEST_PROP(ConsolidationProperty, TheCheapestMovesAreFound, (std::uint64_t seed)) {
  Puzzle puzzle(seed);
  const auto least = puzzle.least_price();
  puzzle.fleet.submit(t::job("q0", t::whole(static_cast<std::uint32_t>(puzzle.wanted))));
  const Plan plan = puzzle.fleet.engine().plan(puzzle.fleet.now());
  const Reclaim* found = nullptr;
  for (const Decision& decision : plan.decisions) {
    if (const auto* reclaim = std::get_if<Reclaim>(&decision)) found = reclaim;
  }
  if (!least || *least == 0) {
    RC_ASSERT((found == nullptr));
    RC_TAG("no moves");
    return;
  }
  if (found != nullptr) RC_ASSERT(found->price >= *least);
  RC_TAG(found == nullptr             ? "not found"
         : found->price == *least     ? "cheapest"
         : found->price <= 2 * *least ? "within 2"
                                      : "dear");
}

// A program that stops after any record of the journal and starts again comes to the same end: all
// run, in the old place or in the new one, and no promise is left.
RC_GTEST_PROP(ConsolidationProperty, AStopAtAnyTimeLosesNobody, (std::uint64_t seed)) {
  Scene scene(seed, seed % 2 == 0);
  const auto wanted = static_cast<std::uint32_t>(2 + scene.rng.below(kCards - 1));
  const std::size_t first = scene.fleet.batches();
  const JobId big = scene.fleet.submit(t::job("q0", t::whole(wanted)));
  RC_ASSERT(scene.fleet.settle(10));
  RC_CLASSIFY(scene.has_moved(), "moves");
  for (std::size_t b = first + 1; b <= scene.fleet.batches(); ++b) {
    ReclaimFleet again(scene.fleet, b);
    RC_ASSERT(again.settle(10));
    RC_ASSERT(broken_invariants(again.state()).empty());
    RC_ASSERT(again.state().ledger().open.empty());
    RC_ASSERT((again.state().find_job(big)->phase == JobPhase::kRunning) == scene.runs(big));
    for (const JobId id : scene.before) {
      RC_ASSERT(again.state().find_job(id)->phase == JobPhase::kRunning);
    }
  }
}

}  // namespace
}  // namespace berth::engine
