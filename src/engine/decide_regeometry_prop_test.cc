// Random changes of layouts with crashes after any event: a card has its old layout or its new one,
// no task ever loses its instance, and once nothing fails any more every change ends.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "engine/cycle/engine.h"
#include "engine/decide_regeometry.h"
#include "engine/sharing/regeometry.h"
#include "engine/state/invariants.h"
#include "model/testing.h"

namespace berth::engine {
namespace {

namespace t = berth::testing;

using Card = Ledger::CardOfNode;

constexpr const char* kProfiles[] = {"1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb"};

// Two nodes of two cards, tasks that come and go, an operator, nodes and cards that fail, and what
// the hardware really holds.
class World {
 public:
  explicit World(std::uint64_t seed) : rng_(seed) {
    run(DeclareModel{t::grid_model("grid")});
    QueueSpec queue = t::queue("q");
    queue.quotas = {{"grid", "", 2 * kCard, 1, std::nullopt, std::nullopt}};  // for protected work
    run(DeclareQueue{queue});
    PolicySpec policy;
    policy.regeometry.max_cards = static_cast<std::uint32_t>(rng_.below(3));
    policy.regeometry.dwell_ms = 20 * kMinuteMs;
    policy.regeometry.drain_ms = 3 * kMinuteMs;
    policy.regeometry.switch_ms = kMinuteMs;
    policy.regeometry.drain = rng_.below(2) == 0 ? DrainBy::kWaiting : DrainBy::kEvicting;
    if (rng_.below(2) == 0) policy.reclaim = {ReclaimRight::kRank};
    run(SetPolicy{policy, {}});
    for (const char* name : {"m", "n"}) join(name);
  }

  void step() {
    now_ += static_cast<DurationMs>(rng_.below(30)) * kSecondMs;
    switch (rng_.below(12)) {
      case 0:
      case 1:
      case 2:
        return submit();
      case 3:
      case 4:
        return cycle();
      case 5:
      case 6:
        return end_one();
      case 7:
        return wish();
      case 8:
      case 9:
        return answer_one();
      case 10:
        return disturb();
      default:
        return tick();
    }
  }

  // Nothing fails any more, all work ends, every ask is answered.
  void calm_down() {
    calm_ = true;
    PolicySpec policy = state().policy();
    policy.regeometry.max_cards = 0;
    run(SetPolicy{policy, {}});
    for (const char* name : {"m", "n"}) {
      run(ReportNodeBack{name});
      for (std::uint16_t card = 0; card < 2; ++card)
        run(SetCardHealth{name, card, CardHealth::kHealthy});
    }
    for (int i = 0; i < 20; ++i) {
      now_ += kMinuteMs;
      for (const JobId id : state().jobs().sorted_ids()) {
        if (const JobRecord* job = state().find_job(id)) run(CancelJob{job->name});
      }
      give_back();
      for (const Card& card : cards()) answer(card);
      tick();
    }
  }

  bool all_ended() const {
    if (!state().ledger().regeometries.empty() || !state().leases().sorted_ids().empty()) {
      return false;
    }
    return std::all_of(hardware_.begin(), hardware_.end(), [&](const auto& entry) {
      const auto& [node, card] = entry.first;
      const CardKind& kind = state().card_kind(state().node(node).cards[card].kind);
      return kind.layout == entry.second && kind.layout == settled_.at(entry.first);
    });
  }

  const ClusterState& state() const { return engine_.state(); }
  std::string broken;                      // what went wrong first; empty: nothing
  std::map<RegeometryStage, int> reached;  // steps of each kind

 private:
  void complain(const std::string& what) {
    if (broken.empty()) broken = what;
  }

  void join(const std::string& name) {
    NodeSpec node = t::node(name, "grid", 2);
    for (CardSpec& card : node.cards) {
      card.mig = MigRegime::kStatic;
      for (std::uint32_t slot = 0; slot < 7; ++slot) card.layout.push_back({"1g.10gb", slot});
    }
    run(JoinNode{node});
    const NodeIndex index = state().find_node(name);
    for (std::uint16_t card = 0; card < 2; ++card) {
      hardware_[{index, card}] = state().layout_of(index, card);
      settled_[{index, card}] = state().layout_of(index, card);
    }
  }

  void run(CommandBody body) {
    const auto events = engine_.decide({std::move(body), {}, {}}, now_);
    if (events) apply(*events);
  }

  void apply(const EventBatch& events) {
    for (const Event& event : events) {
      engine_.apply(event);
      if (const auto* step = std::get_if<RegeometryAdvanced>(&event.body)) settle(*step);
      check_layouts();
      if (rng_.below(12) == 0) crash();
    }
    for (const std::string& line : broken_invariants(state())) complain(line);
    for (const Event& event : events) act(event);
  }

  void settle(const RegeometryAdvanced& step) {
    const Card card{step.change->node, step.change->card};
    ++reached[step.stage];
    if (step.stage == RegeometryStage::kPlanned) {
      if (layout_mask(step.change->before) != settled_.at(card)) complain("starts from elsewhere");
      if (in_cycle_) check_pace(card);
    } else if (step.stage == RegeometryStage::kVerified) {
      settled_[card] = layout_mask(step.change->placements);
    }
    const bool ended =
        step.stage == RegeometryStage::kVerified || step.stage == RegeometryStage::kRolledBack;
    if (ended) ended_at_[card] = now_;
  }

  // What the plan begins by itself: no card twice within its dwell, and so many cards at once.
  void check_pace(const Card& card) {
    const RegeometryPolicy& policy = state().policy().regeometry;
    if (ended_at_.contains(card) && now_ - ended_at_.at(card) < policy.dwell_ms) {
      complain("a card changes twice within its dwell");
    }
    if (state().ledger().regeometries.size() > policy.max_cards) complain("too many at once");
  }

  void check_layouts() {
    for (const auto& [card, layout] : settled_) {
      if (state().layout_of(card.first, card.second) != layout) complain("neither old nor new");
    }
    for (const LeaseId id : state().leases().sorted_ids()) {
      const Lease& lease = *state().find_lease(id);
      if (!lease.holds_cards()) continue;
      const CardGrant& grant = lease.placement.grants.front();
      const MigOccupancy there = hardware_.at({lease.placement.node, grant.card});
      if ((there >> grant.placement & 1) == 0) complain("a task without its instance");
    }
  }

  // The state comes back from its bytes and goes on.
  void crash() {
    auto loaded = ClusterState::load(state().save());
    if (!loaded) return complain("does not load: " + loaded.error().message);
    if (loaded->hash() != state().hash()) complain("loads as another state");
    engine_ = Engine(std::move(*loaded));
  }

  void act(const Event& event) {
    if (const auto* granted = std::get_if<LeaseGranted>(&event.body)) {
      run(ReportPrepared{granted->lease, granted->epoch});
    } else if (const auto* revoking = std::get_if<LeaseRevoking>(&event.body)) {
      if (rng_.below(3) > 0 || calm_) return;
      const Lease* lease = state().find_lease(revoking->lease);
      if (lease != nullptr) run(ReportReleased{lease->id, lease->epoch, {}});
    }
  }

  void submit() {
    JobSpec spec = t::job("q", t::mig(kProfiles[rng_.below(std::size(kProfiles))]));
    spec.job_class = static_cast<JobClass>(rng_.below(3));
    spec.is_protected = rng_.below(4) == 0;
    if (rng_.below(2) == 0) spec.run_time_ms = static_cast<DurationMs>(rng_.below(40)) * kMinuteMs;
    run(SubmitJob{"j" + std::to_string(jobs_++), std::make_shared<const JobSpec>(std::move(spec))});
  }

  void cycle() {
    const EventBatch events = engine_.commit(engine_.plan(now_), now_).events;
    in_cycle_ = true;
    apply(events);
    in_cycle_ = false;
  }
  void tick() { run(Tick{}); }

  void end_one() {
    const auto ids = state().leases().sorted_ids();
    if (ids.empty()) return;
    const Lease& lease = *state().find_lease(ids[rng_.below(ids.size())]);
    if (lease.state == LeaseState::kRevoking) {
      return run(ReportReleased{lease.id, lease.epoch, {}});
    }
    run(ReportEnded{lease.id, lease.epoch, EndReason::kSucceeded});
  }

  void give_back() {
    for (const LeaseId id : state().leases().sorted_ids()) {
      const Lease* lease = state().find_lease(id);
      if (lease != nullptr) run(ReportReleased{lease->id, lease->epoch, {}});
    }
  }

  std::vector<Card> cards() const {
    std::vector<Card> all;
    for (const auto& [card, layout] : hardware_) all.push_back(card);
    return all;
  }
  Card any_card() { return cards()[rng_.below(hardware_.size())]; }
  std::string name_of(const Card& card) const { return state().node(card.first).spec->name; }
  const MigGeometry& grid() const { return *state().model(ModelIndex(0)).mig; }

  void wish() {
    const Card card = any_card();
    if (rng_.below(4) == 0) return run(CancelLayoutChange{name_of(card), card.second});
    const auto sets = grid().valid_sets();
    run(ChangeLayout{name_of(card), card.second, named(card, sets[rng_.below(sets.size())])});
  }

  std::vector<MigInstanceSpec> named(const Card& card, MigOccupancy layout) const {
    return state().instances_of(card.first, layout_placements(layout));
  }

  void answer_one() { answer(any_card()); }

  // The node does what it is asked for, or part of it, and reads back.
  void answer(const Card& card) {
    const RegeometryState* stands = state().regeometry_of(card.first, card.second);
    if (stands == nullptr || stands->ask == 0) return;
    if (state().node(card.first).condition == NodeCondition::kLost) return;
    const bool restores = stands->stage == RegeometryStage::kRestoring;
    const Regeometry& change = *stands->change;
    const MigOccupancy wanted = layout_mask(restores ? change.before : change.placements);
    MigOccupancy& there = hardware_.at(card);
    const std::uint64_t luck = calm_ ? 9 : rng_.below(10);
    if (luck == 0) return stale(card, stands->ask);
    if (luck == 1) {
      there = (there & wanted) | (wanted & rng_.below(~std::uint64_t{0}));  // half done
    } else if (luck > 2) {
      there = wanted;
    }
    run(ReportLayout{name_of(card), card.second, stands->ask, named(card, there),
                     there == wanted ? "" : "it failed"});
  }

  // An answer to an earlier ask, whatever it says, changes nothing.
  void stale(const Card& card, std::uint64_t ask) {
    const std::uint64_t before = state().hash();
    run(ReportLayout{name_of(card), card.second, ask - 1, {}, {}});
    if (state().hash() != before) complain("a stale answer was believed");
  }

  void disturb() {
    const Card card = any_card();
    const auto choose = [&](auto one, auto other) { return rng_.below(3) == 0 ? one : other; };
    if (rng_.below(2) == 0) {
      const bool is_lost = choose(true, false);
      if (!is_lost) return run(ReportNodeBack{name_of(card)});
      return run(SetNodeCondition{name_of(card), NodeCondition::kLost});
    }
    const auto health = choose(CardHealth::kFailed, CardHealth::kHealthy);
    run(SetCardHealth{name_of(card), card.second, health});
  }

  Rng rng_;
  Engine engine_;
  TimeMs now_ = 0;
  int jobs_ = 0;
  bool calm_ = false;
  bool in_cycle_ = false;                  // what comes was planned
  std::map<Card, MigOccupancy> hardware_;  // what is really there
  std::map<Card, MigOccupancy> settled_;   // of the last change that was verified
  std::map<Card, TimeMs> ended_at_;        // of the last change
};

RC_GTEST_PROP(LayoutChangeProperty, TheOldLayoutOrTheNewOneWhateverHappens, (std::uint64_t seed)) {
  World world(seed);
  for (int i = 0; i < 250 && world.broken.empty(); ++i) world.step();
  RC_ASSERT(world.broken == "");
  world.calm_down();
  RC_ASSERT(world.broken == "");
  RC_ASSERT(world.all_ended());
}

// The property above says something only if all that can happen does.
TEST(LayoutChangeProperty, EveryStageIsReached) {
  std::map<RegeometryStage, int> reached;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    World world(seed);
    for (int i = 0; i < 250; ++i) world.step();
    for (const auto& [stage, steps] : world.reached) reached[stage] += steps;
  }
  for (std::size_t stage = 0; stage < words_of<RegeometryStage>().size(); ++stage) {
    EXPECT_GT(reached[static_cast<RegeometryStage>(stage)], 10)
        << words_of<RegeometryStage>()[stage];
  }
}

}  // namespace
}  // namespace berth::engine
