// The public cases 041, 042 and 043 with other sizes, orders and numbers: what is free and cannot
// be used, how that is told, and whether one move would help.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "engine/placement/fragmentation.h"
#include "sim/scenario/testing.h"

namespace berth::sim {
namespace {

using engine::CardState;
using testing::LineRunner;

std::string text_of(std::int64_t number) { return std::to_string(number); }

bool is_running(const engine::ClusterState& state, const std::string& name) {
  const engine::JobRecord* job = state.find_job(name);
  return job != nullptr && job->phase == JobPhase::kRunning;
}

const engine::NodeRecord& only_node(const LineRunner& runner) {
  return runner.state().node(runner.state().find_node("n1"));
}

ShapeIndex shape_of(const LineRunner& runner, const std::string& job) {
  return runner.state().spec_of(*runner.state().find_job(job)).shapes.front();
}

RC_GTEST_PROP(Case041, TheGaugeSaysWhatAMigCardCanMake, ()) {
  constexpr std::array kProfiles = {"1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb"};
  LineRunner runner;
  runner.declare("queue q");
  runner.declare("node n1 model=H100-SXM5-80GB gpus=1 mig=dynamic");
  const auto history = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 10));
  int submitted = 0;
  for (const int draw : history) {
    const auto& leases = runner.state().leases();
    if (draw >= 5 && !leases.empty()) {
      const auto ids = leases.sorted_ids();
      const LeaseId victim = ids[static_cast<std::size_t>(draw) % ids.size()];
      runner.run("finish " + runner.state().find_job(leases.at(victim).job)->name);
      continue;
    }
    const std::string name = "j" + std::to_string(submitted++);
    runner.run("submit " + name + " profile=" + kProfiles[static_cast<std::size_t>(draw % 5)]);
    runner.run("cycle");
    if (!is_running(runner.state(), name)) runner.run("cancel " + name);
  }
  const std::string profile = *rc::gen::elementOf(kProfiles);
  const CardState card = only_node(runner).cards.front();
  const engine::MigGeometry& grid = *runner.state().card_kind(card.kind).mig;
  const auto index = *grid.find_profile(profile);
  const int now = grid.can_make_now(card.mig)[index.value()];
  const int later = grid.after_repacking(card.mig)[index.value()];
  RC_ASSERT(now <= later);
  const engine::MigOccupancy packed = grid.best_repacking(card.mig, index);
  RC_ASSERT(grid.multiset_of(packed) == grid.multiset_of(card.mig));
  RC_ASSERT(grid.can_make_now(packed)[index.value()] == later);
  runner.run("submit probe profile=" + profile);
  engine::ClusterState copy = runner.state();
  const auto move = engine::find_helpful_move(copy, shape_of(runner, "probe"));
  RC_ASSERT(copy.hash() == runner.state().hash());
  if (move) RC_ASSERT(now == 0 && later > 0);
  const auto gauge = engine::gauge_of(runner.state(), shape_of(runner, "probe"));
  RC_ASSERT((gauge.stranded == Charge{}) == (now > 0 || gauge.free == Charge{}));
  runner.run("cycle");
  RC_ASSERT(is_running(runner.state(), "probe") == (now > 0));
}

RC_GTEST_PROP(Case042, CardsOfTwoDomainsAreNeverAddedUp, ()) {
  const auto domains = *rc::gen::inRange<std::size_t>(1, 5);
  const auto size = *rc::gen::inRange<std::size_t>(1, 9);
  const auto asked = *rc::gen::inRange<std::size_t>(1, size + 1);
  const auto busy =
      *rc::gen::container<std::vector<bool>>(domains * size, rc::gen::arbitrary<bool>());
  LineRunner runner;
  runner.declare("model Card memory=80000");
  runner.declare("queue q");
  runner.declare("node n1 model=Card gpus=" + std::to_string(domains * size) +
                 " islands=" + std::to_string(domains));
  runner.run("submit fill gpus=1 tasks=" + std::to_string(domains * size));
  runner.run("cycle");
  std::vector<std::size_t> free(domains, 0);
  for (std::size_t c = 0; c < busy.size(); ++c) {
    if (busy[c]) continue;
    runner.run("finish n1:" + std::to_string(c));
    ++free[c / size];
  }
  const std::size_t most = *std::max_element(free.begin(), free.end());
  std::size_t total = 0;
  for (const std::size_t f : free) total += f;
  runner.run("submit j within=island gpus=" + std::to_string(asked));
  const auto gauge = engine::gauge_of(runner.state(), shape_of(runner, "j"));
  const auto cards = runner.run("cycle");
  RC_ASSERT(is_running(runner.state(), "j") == (most >= asked));
  if (most >= asked) return;
  RC_ASSERT(gauge.stranded.compute == static_cast<CardUnits>(total) * kCard);
  const std::string why = runner.state().find_job("j")->reasons->front().to_text();
  if (total >= asked) {
    RC_ASSERT(why == std::to_string(asked) + " in one domain asked, largest has " +
                         std::to_string(most) + " free (n1)");
  }
}

struct Part {
  std::int64_t memory = 0;   // MiB
  std::int64_t percent = 0;  // of compute
};

std::string request(const Part& part) {
  return " memory=" + text_of(part.memory) + " compute=" + text_of(part.percent) + "%";
}

Part draw_part() {
  return {*rc::gen::inRange<std::int64_t>(1, 100), *rc::gen::inRange<std::int64_t>(1, 101)};
}

bool fits(const Part& part, std::int64_t compute_free, std::int64_t memory_free) {
  return part.memory * kEighthsPerMib <= memory_free &&
         part.percent * (kCard / 100) <= compute_free;
}

// Whether any lease could stand on another card, so that `wanted` fits where it stood: all pairs.
bool any_move_helps(const LineRunner& runner, const std::vector<Part>& parts, const Part& wanted) {
  const auto& cards = only_node(runner).cards;
  for (const LeaseId id : runner.state().leases().sorted_ids()) {
    const Lease& lease = runner.state().leases().at(id);
    const std::string& name = runner.state().find_job(lease.job)->name;
    const Part& moved = parts[static_cast<std::size_t>(std::stoi(name.substr(1)))];
    const CardGrant& grant = lease.placement.grants.front();
    const CardState& from = cards[grant.card];
    if (!fits(wanted, from.compute_free + grant.compute, from.memory_free + grant.memory)) continue;
    for (std::size_t c = 0; c < cards.size(); ++c) {
      if (c == grant.card) continue;
      if (fits(moved, cards[c].compute_free, cards[c].memory_free)) return true;
    }
  }
  return false;
}

RC_GTEST_PROP(Case043, TheGaugeIsPerDimensionAndTheMoveIsExact, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(1, 4);
  LineRunner runner;
  runner.declare("model Card memory=100");
  runner.declare("queue q");
  runner.declare("node n1 model=Card gpus=" + std::to_string(count));
  std::vector<Part> parts;
  for (int i = *rc::gen::inRange(0, 8); i > 0; --i) {
    parts.push_back(draw_part());
    runner.run("submit j" + std::to_string(parts.size() - 1) + request(parts.back()));
    runner.run("cycle");
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string name = "j" + std::to_string(i);
    const bool ends = *rc::gen::inRange(0, 3) == 0;
    if (!is_running(runner.state(), name))
      runner.run("cancel " + name);
    else if (ends)
      runner.run("finish " + name);
  }
  const Part wanted = draw_part();
  runner.run("submit probe" + request(wanted));
  Charge free;
  Charge stranded;
  for (const CardState& card : only_node(runner).cards) {
    const Charge rest{card.compute_free, card.memory_free};
    free += rest;
    if (!fits(wanted, card.compute_free, card.memory_free)) stranded += rest;
  }
  const auto gauge = engine::gauge_of(runner.state(), shape_of(runner, "probe"));
  RC_ASSERT(gauge.free == free);
  RC_ASSERT(gauge.stranded == stranded);
  Charge sum;
  for (const Charge& part : gauge.by_cause) sum += part;
  RC_ASSERT(sum == stranded);
  engine::ClusterState copy = runner.state();
  const auto move = engine::find_helpful_move(copy, shape_of(runner, "probe"));
  runner.run("cycle");
  const bool runs = is_running(runner.state(), "probe");
  RC_ASSERT(runs == (stranded.compute < free.compute || stranded.memory < free.memory));
  RC_ASSERT(move.has_value() == (!runs && any_move_helps(runner, parts, wanted)));
}

}  // namespace
}  // namespace berth::sim
