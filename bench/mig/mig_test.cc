// The protocol's card, the reference against brute force, the rules on cases worked by hand, and
// short runs of everything.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "bench/mig/baselines.h"
#include "bench/mig/comparison.h"
#include "bench/mig/reference.h"
#include "bench/mig/summary.h"
#include "codec/file.h"
#include "codec/policy_codec.h"

namespace berth::bench::mig {
namespace {

using Counts = std::array<int, kKinds>;

constexpr Size kShort = {3'000, 500};

// What each state of a card holds, by walking from the empty one.
std::set<Counts> card_contents() {
  const learn::MigGrid& grid = card_grid();
  std::vector<Counts> of(grid.count());
  std::vector<bool> known(grid.count(), false);
  known[0] = true;
  std::vector<std::size_t> open = {0};
  while (!open.empty()) {
    const std::size_t s = open.back();
    open.pop_back();
    for (std::size_t p = 0; p < grid.pairs(); ++p) {
      const std::uint16_t next = grid.put(p, s);
      if (next == learn::kNoState || known[next]) continue;
      known[next] = true;
      of[next] = of[s];
      ++of[next][grid.kind_of(p)];
      open.push_back(next);
    }
  }
  return {of.begin(), of.end()};
}

std::set<Counts> sums(const std::set<Counts>& a, const std::set<Counts>& b) {
  std::set<Counts> result;
  for (const Counts& x : a) {
    for (const Counts& y : b) {
      Counts sum{};
      for (std::size_t k = 0; k < kKinds; ++k) sum[k] = x[k] + y[k];
      result.insert(sum);
    }
  }
  return result;
}

TEST(MigBenchReference, PacksWhatBruteForcePacks) {
  const std::set<Counts> one = card_contents();
  std::set<Counts> fits = one;
  for (int cards = 1; cards <= 3; ++cards) {
    if (cards > 1) fits = sums(fits, one);
    const std::array<int, kKinds> most = {7 * cards + 1, 4 * cards + 1, 3 * cards + 1,
                                          2 * cards + 1, cards + 1,     cards + 1};
    Counts jobs{};
    std::size_t checked = 0;
    for (bool more = true; more;) {
      ASSERT_EQ(packs(jobs, cards), fits.count(jobs) > 0)
          << cards << " cards: " << jobs[0] << " " << jobs[1] << " " << jobs[2] << " " << jobs[3]
          << " " << jobs[4] << " " << jobs[5];
      ++checked;
      more = false;
      for (std::size_t k = 0; k < kKinds && !more; ++k) {
        more = ++jobs[k] <= most[k];
        if (!more) jobs[k] = 0;
      }
    }
    EXPECT_GT(checked, 1'000U);
  }
}

TEST(MigBenchProtocol, TheCardHasTheProtocolsGrid) {
  EXPECT_TRUE(validate(card_model()).has_value());
  EXPECT_EQ(card_grid().count(), 723U);
  for (std::size_t k = 0; k < kKinds; ++k) EXPECT_EQ(card_grid().slots_of(k), kSlots[k]);
}

TEST(MigBenchProtocol, RunsOfOneSeedDifferInTheRateAlone) {
  const Mix mix = named_mixes()[0];
  const Trace a = make_trace(mix, 0.8, kShort, 5);
  const Trace b = make_trace(mix, 1.2, kShort, 5);
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.life, b.life);
  EXPECT_NE(a.events, b.events);
  EXPECT_NE(a.kind, make_trace(mix, 0.8, kShort, 6).kind);
}

TEST(MigBenchProtocol, MixesAreDistributions) {
  std::vector<Mix> all = named_mixes();
  for (std::uint64_t seed = kFirstRandomMix; seed < kFirstRandomMix + 30; ++seed) {
    all.push_back(random_mix(seed));
  }
  for (const Mix& mix : all) {
    EXPECT_NEAR(std::accumulate(mix.shares.begin(), mix.shares.end(), 0.0), 1.0, 1e-12) << mix.name;
    EXPECT_GE(*std::min_element(mix.shares.begin(), mix.shares.end()), 0.0) << mix.name;
  }
}

TEST(MigBenchBaselines, FirstJobsGoWhereTheRuleSays) {
  const Mix mix = named_mixes()[0];
  // the start of the first 1g on an empty card
  const auto start_of = [&](const char* rule) {
    return static_cast<int>(baseline(rule, mix).pair[0]);  // 1g's pairs are numbered by start
  };
  EXPECT_EQ(start_of("ff"), 0);
  EXPECT_EQ(start_of("rr"), 0);
  EXPECT_EQ(start_of("bf"), 6);  // leaves 4g and both 2g of the left half open
}

TEST(MigBenchBaselines, NobodyBeatsTheReferenceByMuchOrRefusesAnEmptyFleet) {
  const Mix mix = named_mixes()[1];
  const Trace trace = make_trace(mix, 1.0, kShort, 11);
  const double reference = run_free_migration(trace, kShort).memory_time_pct();
  for (const std::string& name : baseline_names()) {
    const Score score = run_rule(baseline(name, mix), trace, kShort);
    EXPECT_GT(score.acceptance_pct(), 50) << name;
    EXPECT_LT(score.memory_time_pct(), reference + 0.5) << name;
  }
  const Trace idle = make_trace(mix, 0.1, kShort, 11);
  EXPECT_EQ(run_rule(baseline("wf", mix), idle, kShort).acceptance_pct(), 100);
}

TEST(MigBenchEngine, RunsAreRepeatableAndMovesStayInTheirBudget) {
  const Trace trace = make_trace(named_mixes()[0], 1.1, kShort, 3);
  SharedFits fits(learn::MigEffort::kQuick);
  SharedFits again(learn::MigEffort::kQuick);
  const Score first = run_engine(trace, kShort, policy_named("berth"), fits);
  EXPECT_EQ(first.moves, 0);
  EXPECT_EQ(first.memory, run_engine(trace, kShort, policy_named("berth"), again).memory);
  const Score moved = run_engine(trace, kShort, policy_named("berth_migrate"), fits);
  EXPECT_GT(moved.moves, 0);
  EXPECT_LE(static_cast<double>(moved.moves), 0.048 * moved.jobs + 32);
}

TEST(MigBenchEngine, PoliciesAreTheShippedOnes) {
  for (const char* name : {"berth", "berth_migrate"}) {
    const std::string file = std::string(BERTH_SOURCE_DIR) + "/data/policies/" + name + ".yaml";
    const auto shipped = codec::load<PolicySpec>(file);
    ASSERT_TRUE(shipped.has_value()) << name;
    EXPECT_EQ(*shipped, policy_named(name)) << name;
  }
}

TEST(MigBenchSummary, EveryRowOfTheProtocolIsThere) {
  Plan plan{{800, 100}, learn::MigEffort::kQuick, 2, 1, 1, 1};
  const Comparison comparison = compare(plan, [](const std::string&) {});
  Report report("mig");
  add_rows(comparison, report);
  std::set<std::string> cases;
  std::set<std::string> policies;
  std::set<std::string> metrics;
  for (const Row& row : report.rows()) {
    cases.insert(row.case_name);
    policies.insert(row.policy);
    metrics.insert(row.metric);
  }
  EXPECT_EQ(cases.size(), 4 * 4 + 2U);
  EXPECT_EQ(policies.size(), 10U);
  for (const char* metric : {"acceptance_pct", "memory_time_pct", "lead_fgd", "lead_fgd_se",
                             "lead_fgd_acceptance", "lead_bf", "lead_mfi", "lead_best"}) {
    EXPECT_EQ(metrics.count(metric), 1U) << metric;
  }
  EXPECT_FALSE(tables(comparison).empty());
  EXPECT_GT(targets(comparison).size(), 12U);
}

}  // namespace
}  // namespace berth::bench::mig
