#include "bench/openb/simplex.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/rng.h"
#include "bench/openb/closure.h"

namespace berth::bench::openb {
namespace {

using Entry = Simplex::Entry;

struct Program {
  std::vector<double> rhs;
  std::vector<double> objective;
  std::vector<std::vector<Entry>> columns;
};

Simplex make(const Program& program) {
  Simplex simplex = *Simplex::create(program.rhs);
  for (std::size_t j = 0; j < program.columns.size(); ++j) {
    EXPECT_TRUE(simplex.add_column(program.objective[j], program.columns[j]));
  }
  return simplex;
}

// Feasible on both sides with equal values: then both are optimal, whatever found them.
void expect_optimal(const Program& program, const Simplex::Solution& solution) {
  constexpr double kClose = 1e-6;
  std::vector<double> used(program.rhs.size());
  double primal = 0;
  double dual = 0;
  for (std::size_t j = 0; j < program.columns.size(); ++j) {
    EXPECT_GE(solution.primal[j], 0);
    primal += program.objective[j] * solution.primal[j];
    double price = 0;
    for (const Entry& entry : program.columns[j]) {
      used[entry.row] += entry.value * solution.primal[j];
      price += entry.value * solution.dual[entry.row];
    }
    EXPECT_GE(price, program.objective[j] - kClose);
  }
  for (std::size_t i = 0; i < program.rhs.size(); ++i) {
    EXPECT_LE(used[i], program.rhs[i] + kClose);
    EXPECT_GE(solution.dual[i], -kClose);
    dual += solution.dual[i] * program.rhs[i];
  }
  EXPECT_NEAR(primal, dual, kClose * (1 + std::abs(dual)));
  EXPECT_NEAR(solution.objective, primal, kClose);
}

double uniform(Rng& random) { return static_cast<double>(random.below(1000)) / 1000; }

// Bounded, because every column has a positive entry in row 0. With `zero_every` k, each k-th
// right-hand side is 0, which makes the program degenerate.
Program random_program(std::uint64_t seed, std::size_t zero_every) {
  Rng random(seed);
  Program program;
  const std::size_t rows = 1 + random.below(12);
  const std::size_t columns = 1 + random.below(25);
  for (std::size_t i = 0; i < rows; ++i) {
    const bool zero = i > 0 && i % zero_every == 0;
    program.rhs.push_back(zero ? 0 : 1 + 10 * uniform(random));
  }
  for (std::size_t j = 0; j < columns; ++j) {
    std::vector<Entry> column{{0, 0.1 + uniform(random)}};
    for (std::size_t i = 1; i < rows; ++i) {
      if (random.below(2) == 0) column.push_back({i, 2 * uniform(random) - 0.7});
    }
    program.columns.push_back(column);
    program.objective.push_back(2 * uniform(random) - 0.5);
  }
  return program;
}

TEST(Simplex, SolvesATextbookProgram) {
  // max 3x + 5y, x <= 4, 2y <= 12, 3x + 2y <= 18: x = 2, y = 6, duals 0, 3/2, 1.
  const Program program{{4, 12, 18}, {3, 5}, {{{0, 1}, {2, 3}}, {{1, 2}, {2, 2}}}};
  const auto solution = make(program).solve();
  ASSERT_TRUE(solution) << solution.error();
  EXPECT_NEAR(solution->objective, 36, 1e-9);
  EXPECT_NEAR(solution->primal[0], 2, 1e-9);
  EXPECT_NEAR(solution->primal[1], 6, 1e-9);
  EXPECT_NEAR(solution->dual[1], 1.5, 1e-9);
  EXPECT_NEAR(solution->dual[2], 1, 1e-9);
}

TEST(Simplex, DoesNotCycleOnBealesProgram) {
  // Beale 1955: the largest-coefficient rule with lowest-row ties cycles. Optimum 1/20.
  const Program program{{0, 0, 1},
                        {0.75, -150, 0.02, -6},
                        {{{0, 0.25}, {1, 0.5}},
                         {{0, -60}, {1, -90}},
                         {{0, -0.04}, {1, -0.02}, {2, 1}},
                         {{0, 9}, {1, 3}}}};
  const auto solution = make(program).solve();
  ASSERT_TRUE(solution) << solution.error();
  EXPECT_NEAR(solution->objective, 0.05, 1e-9);
}

TEST(Simplex, IsStronglyDualOnRandomPrograms) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Program program = random_program(seed, seed % 2 == 0 ? 2 : 1000);
    const auto solution = make(program).solve();
    ASSERT_TRUE(solution) << "seed " << seed << ": " << solution.error();
    expect_optimal(program, *solution);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

// Long enough to compute the inverse afresh many times, and highly degenerate: an assignment
// problem has n positive values in 2n rows.
TEST(Simplex, SolvesALargeAssignmentProblem) {
  constexpr std::size_t kSize = 60;
  Rng random(5);
  Program program{std::vector<double>(2 * kSize, 1), {}, {}};
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t j = 0; j < kSize; ++j) {
      program.objective.push_back(static_cast<double>(random.below(20)));
      program.columns.push_back({{i, 1}, {kSize + j, 1}});
    }
  }
  const auto solution = make(program).solve();
  ASSERT_TRUE(solution) << solution.error();
  expect_optimal(program, *solution);
  EXPECT_NEAR(solution->objective, std::round(solution->objective), 1e-6);
}

TEST(Simplex, GoesOnFromAnOptimumWhenColumnsAreAdded) {
  for (std::uint64_t seed = 1000; seed < 1100; ++seed) {
    const Program program = random_program(seed, 3);
    Simplex simplex = *Simplex::create(program.rhs);
    Simplex::Solution last;
    double objective = 0;
    for (std::size_t j = 0; j < program.columns.size(); ++j) {
      ASSERT_TRUE(simplex.add_column(program.objective[j], program.columns[j]));
      const auto solution = simplex.solve();
      ASSERT_TRUE(solution) << "seed " << seed << ": " << solution.error();
      EXPECT_GE(solution->objective, objective - 1e-7);
      objective = solution->objective;
      last = *solution;
    }
    expect_optimal(program, last);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(Simplex, WithoutColumnsIsZero) {
  const auto solution = Simplex::create({1, 2})->solve();
  ASSERT_TRUE(solution) << solution.error();
  EXPECT_EQ(solution->objective, 0);
}

TEST(Simplex, ReportsAnUnboundedObjective) {
  Simplex simplex = *Simplex::create({1});
  ASSERT_TRUE(simplex.add_column(1, std::vector<Entry>{{0, -1}}));
  const auto solution = simplex.solve();
  ASSERT_FALSE(solution);
  EXPECT_NE(solution.error().find("unbounded"), std::string::npos);
}

TEST(Simplex, RefusesBadNumbers) {
  EXPECT_FALSE(Simplex::create({1, -1}));
  EXPECT_FALSE(Simplex::create({NAN}));
  Simplex simplex = *Simplex::create({1});
  EXPECT_FALSE(simplex.add_column(NAN, std::vector<Entry>{}));
  EXPECT_FALSE(simplex.add_column(1, std::vector<Entry>{{0, HUGE_VAL}}));
  EXPECT_FALSE(simplex.add_column(1, std::vector<Entry>{{1, 1}}));
}

double heaviest_by_enumeration(const std::vector<double>& weights,
                               const std::vector<Implication>& rules) {
  double best = 0;
  for (std::size_t set = 0; set < (std::size_t{1} << weights.size()); ++set) {
    const auto holds = [set](std::size_t i) { return (set >> i & 1U) != 0; };
    double weight = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) weight += holds(i) ? weights[i] : 0;
    for (const Implication& rule : rules) {
      if (holds(rule.from) && !holds(rule.to)) weight = -HUGE_VAL;
    }
    best = std::max(best, weight);
  }
  return best;
}

TEST(HeaviestClosure, AgreesWithEnumeration) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng random(seed);
    std::vector<double> weights(1 + random.below(9));
    for (double& weight : weights) weight = 2 * uniform(random) - 1;
    std::vector<Implication> rules(random.below(12));
    for (Implication& rule : rules) {
      rule = {random.below(weights.size()), random.below(weights.size())};
    }
    const std::vector<std::size_t> set = heaviest_closure(weights, rules);
    std::vector<char> holds(weights.size());
    double weight = 0;
    for (const std::size_t i : set) {
      holds[i] = 1;
      weight += weights[i];
    }
    for (const Implication& rule : rules) EXPECT_LE(holds[rule.from], holds[rule.to]);
    EXPECT_NEAR(weight, heaviest_by_enumeration(weights, rules), 1e-12) << "seed " << seed;
  }
}

}  // namespace
}  // namespace berth::bench::openb
