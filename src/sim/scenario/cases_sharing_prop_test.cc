// The public cases 001, 002, 004 and 011 with other sizes, orders and numbers: the kind of fault,
// not its one input.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "sim/scenario/testing.h"

namespace berth::sim {
namespace {

using testing::LineRunner;

std::string text_of(std::int64_t number) { return std::to_string(number); }

void declare(LineRunner& runner, const std::string& model, const std::string& node) {
  runner.declare("model Card " + model);
  runner.declare("queue q");
  runner.declare("node n1 model=Card " + node);
}

std::map<std::uint16_t, std::int64_t> memory_promised(const engine::ClusterState& state) {
  std::map<std::uint16_t, std::int64_t> promised;
  for (const LeaseId id : state.leases().sorted_ids()) {
    for (const CardGrant& grant : state.leases().at(id).placement.grants) {
      promised[grant.card] += grant.memory;
    }
  }
  return promised;
}

bool is_running(const engine::ClusterState& state, const std::string& name) {
  const engine::JobRecord* job = state.find_job(name);
  return job != nullptr && job->phase == JobPhase::kRunning;
}

RC_GTEST_PROP(Case001, PromisesNeverExceedUsableAndNothingThatFitsPends, ()) {
  const auto usable = *rc::gen::inRange<std::int64_t>(1, 200'000);
  const auto cards = *rc::gen::inRange<std::int64_t>(1, 4);
  const auto asks =
      *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(1, usable + 1));
  LineRunner runner;
  declare(runner, "mps=1000 memory=" + text_of(usable), "gpus=" + text_of(cards));
  for (std::size_t i = 0; i < asks.size(); ++i) {
    runner.run("submit j" + std::to_string(i) + " memory=" + text_of(asks[i]));
  }
  runner.run("cycle");
  auto promised = memory_promised(runner.state());
  std::int64_t largest_free = 0;
  for (std::int64_t c = 0; c < cards; ++c) {
    const std::int64_t free = usable * kEighthsPerMib - promised[static_cast<std::uint16_t>(c)];
    RC_ASSERT(free >= 0);
    largest_free = std::max(largest_free, free);
  }
  for (std::size_t i = 0; i < asks.size(); ++i) {
    if (is_running(runner.state(), "j" + std::to_string(i))) continue;
    RC_ASSERT(asks[i] * kEighthsPerMib > largest_free);
  }
}

RC_GTEST_PROP(Case001, ASumEqualToUsableIsAdmittedInAnyOrder, ()) {
  auto parts = *rc::gen::nonEmpty(
      rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(1, 5'000)));
  std::int64_t usable = 0;
  for (const std::int64_t part : parts) usable += part;
  LineRunner runner;
  declare(runner, "mps=1000 memory=" + text_of(usable), "gpus=1");
  const bool one_by_one = *rc::gen::arbitrary<bool>();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    runner.run("submit j" + std::to_string(i) + " memory=" + text_of(parts[i]));
    if (one_by_one) runner.run("cycle");
  }
  runner.run("submit more memory=1");
  runner.run("cycle");
  RC_ASSERT(runner.state().leases().size() == parts.size());
  RC_ASSERT(!is_running(runner.state(), "more"));
  const Rejection& why = runner.state().find_job("more")->reasons->front();
  RC_ASSERT(why.to_text() == "asks 1 MiB, largest free 0 MiB (n1)");
}

RC_GTEST_PROP(Case002, FractionsAreOfUsableAndRoundedDown, ()) {
  const auto driver = *rc::gen::inRange<std::int64_t>(0, 2'000);
  const auto usable = *rc::gen::inRange<std::int64_t>(1'000, 300'000);
  const auto parts = *rc::gen::element<std::int64_t>(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 48, 64);
  LineRunner runner;
  declare(runner,
          "mps=64 memory=" + text_of(usable + driver) + " driver=" + text_of(driver) + "MiB",
          "gpus=1");
  runner.run("submit j[1-" + text_of(parts) + "] share=1/" + text_of(parts));
  runner.run("cycle");
  RC_ASSERT(runner.state().leases().size() == static_cast<std::size_t>(parts));
  for (const LeaseId id : runner.state().leases().sorted_ids()) {
    const CardGrant& grant = runner.state().leases().at(id).placement.grants.front();
    RC_ASSERT(grant.memory == usable / parts * kEighthsPerMib);
  }
}

RC_GTEST_PROP(Case002, AReserveIsChargedBeforeTenants, ()) {
  const auto usable = *rc::gen::inRange<std::int64_t>(1'000, 100'000);
  const auto reserve = *rc::gen::inRange<std::int64_t>(0, 500);
  const auto ask = *rc::gen::inRange<std::int64_t>(usable / 30 + 1, usable);
  LineRunner runner;
  declare(runner, "memory=" + text_of(usable), "gpus=1 reserve=" + text_of(reserve) + "MiB");
  runner.run("submit j[1-40] memory=" + text_of(ask));
  runner.run("cycle");
  RC_ASSERT(static_cast<std::int64_t>(runner.state().leases().size()) == usable / (ask + reserve));
}

RC_GTEST_PROP(Case004, TheNodeRealisesTheDecisionOrNothing, ()) {
  const auto cards = *rc::gen::inRange<std::int64_t>(1, 9);
  const auto shares = *rc::gen::inRange<std::int64_t>(1, cards + 1);
  const auto gone = *rc::gen::inRange<std::int64_t>(0, cards);
  LineRunner runner;
  declare(runner, "memory=80000", "gpus=" + text_of(cards));
  runner.run("fault card n1:" + text_of(gone));
  runner.run("submit j share=0.25 count=" + text_of(shares));
  runner.run("cycle");
  const auto cards_of = [&] {
    std::set<std::int64_t> held;
    for (const LeaseId id : runner.state().leases().sorted_ids()) {
      for (const CardGrant& g : runner.state().leases().at(id).placement.grants)
        held.insert(g.card);
    }
    return held;
  };
  std::set<std::int64_t> held = cards_of();
  if (held.empty()) {
    const std::string why = runner.state().find_job("j")->reasons->front().to_text();
    RC_ASSERT(why.find("n1:" + text_of(gone)) != std::string::npos);
    runner.run("fail card n1:" + text_of(gone));
    runner.run("advance 1s");
    runner.run("cycle");
    held = cards_of();
    RC_ASSERT(held.empty() == (shares == cards));
    runner.run("mend card n1:" + text_of(gone));
    runner.run("restore card n1:" + text_of(gone));
    runner.run("cycle");
    held = cards_of();
  } else {
    RC_ASSERT(held.count(gone) == 0U);
  }
  RC_ASSERT(held.size() == static_cast<std::size_t>(shares));
}

RC_GTEST_PROP(Case011, SharesAskedAsDevicesLieOnDifferentCards, ()) {
  const auto cards = *rc::gen::inRange<std::int64_t>(1, 5);
  const auto replicas = *rc::gen::inRange<std::int64_t>(1, 7);
  const auto asked = *rc::gen::inRange<std::int64_t>(1, cards + 1);
  const bool same_allowed = *rc::gen::arbitrary<bool>();
  const auto jobs = *rc::gen::inRange<std::int64_t>(1, 12);
  LineRunner runner;
  declare(runner, "memory=80000", "gpus=" + text_of(cards) + " replicas=" + text_of(replicas));
  runner.run("submit j[1-" + text_of(jobs) + "] share=1/" + text_of(replicas * 2) +
             " class=interactive count=" + text_of(asked) +
             (same_allowed ? " same_card=allowed" : ""));
  runner.run("cycle");
  std::map<std::int64_t, std::int64_t> used;
  for (const LeaseId id : runner.state().leases().sorted_ids()) {
    std::set<std::int64_t> distinct;
    for (const CardGrant& g : runner.state().leases().at(id).placement.grants) {
      distinct.insert(g.card);
      ++used[g.card];
    }
    RC_ASSERT(same_allowed || distinct.size() == static_cast<std::size_t>(asked));
  }
  std::int64_t with_room = 0;
  std::int64_t free = 0;
  for (std::int64_t c = 0; c < cards; ++c) {
    RC_ASSERT(used[c] <= replicas);
    with_room += used[c] < replicas ? 1 : 0;
    free += replicas - used[c];
  }
  const bool some_pend = static_cast<std::int64_t>(runner.state().leases().size()) < jobs;
  if (some_pend) RC_ASSERT((same_allowed ? free : with_room) < asked);
}

}  // namespace
}  // namespace berth::sim
