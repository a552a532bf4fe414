#include "bench/openb/bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "bench/openb/patterns.h"
#include "bench/openb/simplex.h"

namespace berth::bench::openb {
namespace {

constexpr double kClose = 2e-3;  // points; bounds are proved to 1e-3

PodType pod(std::int64_t cpu_milli, std::int64_t num_gpu, std::int64_t gpu_milli, double demand,
            std::vector<std::string> models = {}) {
  return {{cpu_milli, num_gpu, gpu_milli, std::move(models)}, demand};
}

void expect_bounds(const FillProblem& problem, double lp_pct, double greedy_pct) {
  const auto lp = lp_bound(problem);
  const auto greedy = greedy_bound(problem);
  ASSERT_TRUE(lp) << lp.error();
  ASSERT_TRUE(greedy) << greedy.error();
  EXPECT_NEAR(lp->alloc_pct, lp_pct, kClose);
  EXPECT_NEAR(greedy->alloc_pct, greedy_pct, kClose);
}

TEST(Bounds, OneShareACardLeavesTheRest) {
  // Two cards take one pod of 600 each.
  expect_bounds({{{"A", 2, 10'000, 1}}, {pod(0, 1, 600, 10)}}, 60, 60);
}

TEST(Bounds, MixedSharesFillTheCardsTheyCan) {
  // Four halves fill two of four cards, the others take one pod of 600 each: 3.2 of 4 cards.
  expect_bounds({{{"A", 4, 10'000, 1}}, {pod(0, 1, 500, 4), pod(0, 1, 600, 9)}}, 80, 80);
}

TEST(Bounds, CpuIsSharedByTheCards) {
  // Ten cores feed two of four cards.
  expect_bounds({{{"A", 4, 10'000, 1}}, {pod(5000, 1, 1000, 9)}}, 50, 50);
}

TEST(Bounds, OnlyTheGreedyOneKnowsThatAPodNeedsOneNode) {
  // Six cores in two nodes of three: poured together they feed 1.5 pods of four cores, apart none.
  expect_bounds({{{"A", 1, 3000, 2}}, {pod(4000, 1, 1000, 9)}}, 75, 0);
}

TEST(Bounds, AGreedyPolicyCannotRefuseTheEasierPod) {
  // Ten cards, ten whole pods, ten of 600. Refusing the latter fills everything; else both shares
  // are 1/2, as each pod takes a card: 5 + 3 of 10.
  expect_bounds({{{"A", 10, 100'000, 1}}, {pod(0, 1, 1000, 10), pod(0, 1, 600, 10)}}, 100, 80);
}

TEST(Bounds, AGreedyPolicyCannotRefuseCpuPods) {
  // Ten cores, two GPU pods and two CPU pods of five cores each: half of each kind.
  expect_bounds({{{"A", 2, 10'000, 1}}, {pod(5000, 1, 1000, 2), pod(5000, 0, 0, 2)}}, 100, 50);
}

TEST(Bounds, APodThatNeedsMoreOfSomethingMayBeRefused) {
  // The smaller share needs more CPU, so neither type is easier.
  expect_bounds({{{"A", 10, 100'000, 1}}, {pod(0, 1, 1000, 10), pod(1, 1, 600, 10)}}, 100, 100);
}

TEST(Bounds, ModelListsHold) {
  expect_bounds({{{"A", 1, 9000, 1}, {"B", 1, 9000, 1}}, {pod(0, 1, 1000, 9, {"B"})}}, 50, 50);
  expect_bounds({{{"A", 1, 9000, 1}}, {pod(0, 1, 1000, 9, {"B"})}}, 0, 0);
}

TEST(Bounds, AWideNodeIsNeededForAWidePod) {
  // Two nodes of one card can't hold a pod of two; the node of two cards can.
  expect_bounds({{{"A", 1, 9000, 2}, {"A", 2, 9000, 1}}, {pod(0, 2, 1000, 9)}}, 50, 50);
}

TEST(Bounds, DemandLimits) {
  expect_bounds({{{"A", 4, 9000, 1}}, {pod(0, 2, 1000, 1), pod(0, 1, 500, 1)}}, 62.5, 62.5);
}

TEST(Bounds, FillProblemScalesTheTraceToTheFleet) {
  const std::vector<Node> nodes{
      {"n1", 8000, 1, 2, "A"}, {"n2", 8000, 1, 2, "A"}, {"n3", 9000, 1, 2, "A"}};
  const std::vector<Pod> pods{{"p1", {1, 1, 500, {}}, 1, {}},
                              {"p2", {1, 1, 500, {}}, 7, {}},
                              {"p3", {1, 1, 1000, {}}, 1, {}}};
  const auto problem = fill_problem(nodes, pods, 130);
  ASSERT_TRUE(problem) << problem.error();
  ASSERT_EQ(problem->nodes.size(), 2U);
  EXPECT_EQ(problem->nodes[0].count, 2);
  ASSERT_EQ(problem->pods.size(), 2U);
  EXPECT_DOUBLE_EQ(problem->pods[0].demand, 1.3 * 3 * 2);  // 6 cards asked, the trace has 2
  EXPECT_FALSE(fill_problem(nodes, {}, 100));
  EXPECT_FALSE(fill_problem({}, pods, 100));
  EXPECT_FALSE(fill_problem(nodes, pods, 0));
  EXPECT_FALSE(fill_problem(nodes, pods, NAN));
}

// The greedy program written out in full: f_i as variables, one row a pair of comparable types,
// and every way to fill a card as a column.
class WrittenOut {
 public:
  explicit WrittenOut(const FillProblem& problem)
      : problem_(problem), search_(problem, PatternSearch::CpuRule::kFitsOneNode) {}

  double alloc_pct() {
    const std::size_t pods = problem_.pods.size();
    std::vector<double> rhs;
    double gpus = 0;
    for (const NodeType& node : problem_.nodes) {
      rhs.push_back(static_cast<double>(node.gpus * node.count));
      rhs.push_back(static_cast<double>(node.cpu_milli * node.count) / 1000);
      gpus += static_cast<double>(node.gpus * node.count);
    }
    first_pod_row_ = rhs.size();
    rhs.resize(rhs.size() + pods, 0);
    const std::size_t first_share_row = rhs.size();
    rhs.resize(rhs.size() + pods, 1);
    std::vector<std::vector<Simplex::Entry>> share_columns(pods);
    for (std::size_t i = 0; i < pods; ++i) {
      share_columns[i] = {{first_pod_row_ + i, problem_.pods[i].demand}, {first_share_row + i, 1}};
    }
    for (std::size_t i = 0; i < pods; ++i) {
      for (std::size_t j = 0; j < pods; ++j) {
        if (i == j || !search_.fits_wherever(i, j)) continue;
        share_columns[j].push_back({rhs.size(), 1});
        share_columns[i].push_back({rhs.size(), -1});
        rhs.push_back(0);
      }
    }
    Simplex simplex = *Simplex::create(rhs);
    for (std::size_t i = 0; i < pods; ++i) {
      const PodType& type = problem_.pods[i];
      const auto milli = static_cast<double>(type.shape.total_gpu_milli());
      EXPECT_TRUE(simplex.add_column(type.demand * milli / 10 / gpus, share_columns[i]));
    }
    for (std::size_t k = 0; k < problem_.nodes.size(); ++k) {
      fill_card(simplex, k, 0, kMilliPerGpu, std::vector<double>(pods));
    }
    const auto solution = simplex.solve();
    EXPECT_TRUE(solution) << solution.error();
    return solution ? solution->objective : NAN;
  }

 private:
  void add(Simplex& simplex, std::size_t node, const std::vector<double>& share, double cards) {
    std::vector<Simplex::Entry> entries{{2 * node, cards}};
    for (std::size_t i = 0; i < share.size(); ++i) {
      if (share[i] == 0) continue;
      const double cores = static_cast<double>(problem_.pods[i].shape.cpu_milli) / 1000;
      entries.push_back({2 * node + 1, share[i] * cores});
      entries.push_back({first_pod_row_ + i, -share[i]});
    }
    EXPECT_TRUE(simplex.add_column(0, entries));
  }

  void fill_card(Simplex& simplex, std::size_t node, std::size_t next, std::int64_t free_milli,
                 std::vector<double> share) {
    if (next == share.size()) return add(simplex, node, share, 1);
    fill_card(simplex, node, next + 1, free_milli, share);
    const PodShape& shape = problem_.pods[next].shape;
    if (!search_.runs_on(next, node)) return;
    if (shape.num_gpu == 0) {
      std::vector<double> alone(share.size());
      alone[next] = 1;
      return add(simplex, node, alone, 0);
    }
    while (free_milli >= shape.gpu_milli) {
      free_milli -= shape.gpu_milli;
      share[next] += 1 / static_cast<double>(shape.num_gpu);
      fill_card(simplex, node, next + 1, free_milli, share);
    }
  }

  const FillProblem& problem_;
  PatternSearch search_;
  std::size_t first_pod_row_ = 0;
};

FillProblem random_problem(std::uint64_t seed) {
  Rng random(seed);
  const auto draw = [&random](std::uint64_t bound) {
    return static_cast<std::int64_t>(random.below(bound));
  };
  FillProblem problem;
  for (const char* model : {"A", "B"}) {
    problem.nodes.push_back({model, 1 + draw(4), 1000 * (2 + draw(8)), 1 + draw(5)});
  }
  const std::size_t pods = 1 + random.below(6);
  while (problem.pods.size() < pods) {
    const std::int64_t num_gpu = draw(3);
    const std::int64_t milli = num_gpu == 0 ? 0 : num_gpu == 2 ? 1000 : 150 * (2 + draw(5));
    std::vector<std::string> models;
    if (random.below(3) == 0) models.emplace_back(random.below(2) == 0 ? "A" : "B");
    problem.pods.push_back(
        pod(500 * draw(8), num_gpu, milli, static_cast<double>(1 + draw(12)), models));
  }
  return problem;
}

TEST(GreedyBound, AgreesWithTheProgramWrittenOut) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const FillProblem problem = random_problem(seed);
    const auto bound = greedy_bound(problem);
    ASSERT_TRUE(bound) << "seed " << seed << ": " << bound.error();
    const double exact = WrittenOut(problem).alloc_pct();
    EXPECT_GE(bound->alloc_pct, exact - 1e-6) << "seed " << seed;
    EXPECT_LE(bound->alloc_pct - bound->gap_pct, exact + 1e-6) << "seed " << seed;
    EXPECT_LE(bound->gap_pct, kClose) << "seed " << seed;
  }
}

TEST(GreedyBound, IsAtMostTheLpBound) {
  for (std::uint64_t seed = 200; seed < 300; ++seed) {
    const FillProblem problem = random_problem(seed);
    const auto lp = lp_bound(problem);
    const auto greedy = greedy_bound(problem);
    ASSERT_TRUE(lp && greedy) << "seed " << seed;
    EXPECT_LE(greedy->alloc_pct, lp->alloc_pct + kClose) << "seed " << seed;
  }
}

TEST(PatternSearch, AgreesWithEnumeration) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Rng random(seed);
    FillProblem problem{{{"A", 1, 1000, 1}}, {}};
    std::vector<double> worth;
    for (std::size_t i = 0; i < 4; ++i) {
      problem.pods.push_back(pod(0, 1, 70 + static_cast<std::int64_t>(random.below(900)), 1));
      worth.push_back(static_cast<double>(random.below(100)) - 20);
    }
    std::function<double(std::size_t, std::int64_t)> best = [&](std::size_t i, std::int64_t room) {
      if (i == worth.size()) return 0.0;
      double most = -HUGE_VAL;
      for (std::int64_t n = 0; n * problem.pods[i].shape.gpu_milli <= room; ++n) {
        const double rest = best(i + 1, room - n * problem.pods[i].shape.gpu_milli);
        most = std::max(most, rest + static_cast<double>(n) * worth[i]);
      }
      return most;
    };
    const PatternSearch search(problem, PatternSearch::CpuRule::kIgnored);
    const Pattern pattern = search.best(0, worth);
    EXPECT_NEAR(pattern.worth, best(0, kMilliPerGpu), 1e-9) << "seed " << seed;
    double total = 0;
    for (const Piece& piece : pattern.pieces) total += piece.share * worth[piece.pod];
    EXPECT_NEAR(total, pattern.worth, 1e-9) << "seed " << seed;
  }
}

}  // namespace
}  // namespace berth::bench::openb
