#include "bench/openb/bounds.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "bench/openb/closure.h"
#include "bench/openb/patterns.h"
#include "bench/openb/protocol.h"
#include "bench/openb/simplex.h"

namespace berth::bench::openb {
namespace {

constexpr double kGapPct = 1e-3;  // points of allocation; stop when the proof is this close
constexpr std::size_t kMaxRounds = 5'000;

double cores(const PodType& pod) { return static_cast<double>(pod.shape.cpu_milli) / 1000; }

double cards(const NodeType& node) { return static_cast<double>(node.gpus * node.count); }

double node_cores(const NodeType& node) {
  return static_cast<double>(node.cpu_milli * node.count) / 1000;
}

// Prices of one card and of one core of each node type, read from the duals.
struct NodePrices {
  std::vector<double> card;
  std::vector<double> core;

  // What all cards and cores together cost.
  double total(const FillProblem& problem) const {
    double sum = 0;
    for (std::size_t k = 0; k < card.size(); ++k) {
      sum += card[k] * cards(problem.nodes[k]) + core[k] * node_cores(problem.nodes[k]);
    }
    return sum;
  }
};

// What both programs share: rows 0 .. K-1 are the cards and rows K .. 2K-1 the cores of the K node
// types; the rows after them belong to the pod types, in order.
class Master {
 public:
  Master(const FillProblem& problem, PatternSearch::CpuRule rule)
      : problem_(problem), search_(problem, rule) {
    double gpus = 0;
    for (const NodeType& node : problem.nodes) gpus += cards(node);
    pct_per_gpu_ = 100 / gpus;
  }

  const FillProblem& problem() const { return problem_; }
  const PatternSearch& search() const { return search_; }
  std::size_t pod_row(std::size_t pod) const { return 2 * problem_.nodes.size() + pod; }
  std::size_t core_row(std::size_t node) const { return problem_.nodes.size() + node; }

  // Allocation, in % of the fleet, that one pod brings.
  double pod_pct(std::size_t pod) const {
    const std::int64_t milli = problem_.pods[pod].shape.total_gpu_milli();
    return pct_per_gpu_ * static_cast<double>(milli) / kMilliPerGpu;
  }

  std::vector<double> node_rhs() const {
    std::vector<double> rhs;
    for (const NodeType& node : problem_.nodes) rhs.push_back(cards(node));
    for (const NodeType& node : problem_.nodes) rhs.push_back(node_cores(node));
    return rhs;
  }

  // Rounding can leave a dual a little below 0; a price is not.
  NodePrices prices(const std::vector<double>& dual) const {
    NodePrices prices;
    for (std::size_t k = 0; k < problem_.nodes.size(); ++k) {
      prices.card.push_back(std::max(0.0, dual[k]));
      prices.core.push_back(std::max(0.0, dual[core_row(k)]));
    }
    return prices;
  }

  // The best pattern of a node type; its worth is what is left after cards and cores are paid.
  Pattern priced_pattern(std::size_t node, const NodePrices& prices,
                         const std::vector<double>& worth) const {
    std::vector<double> left = worth;
    for (std::size_t i = 0; i < left.size(); ++i) {
      left[i] -= prices.core[node] * cores(problem_.pods[i]);
    }
    Pattern pattern = search_.best(node, left);
    pattern.worth -= prices.card[node];
    return pattern;
  }

  std::vector<Simplex::Entry> node_entries(const Pattern& pattern) const {
    double used_cores = 0;
    for (const Piece& piece : pattern.pieces) {
      used_cores += piece.share * cores(problem_.pods[piece.pod]);
    }
    return {{pattern.node, 1}, {core_row(pattern.node), used_cores}};
  }

 private:
  const FillProblem& problem_;
  PatternSearch search_;
  double pct_per_gpu_ = 0;
};

// One round of a program: the columns found and what the prices prove.
struct Round {
  std::size_t added = 0;
  double proved_pct = 0;  // by duality no solution exceeds this
};

// max allocation: patterns within cards, cores and demand.
class FreeProgram {
 public:
  static Outcome<FreeProgram> create(const FillProblem& problem) {
    Master master(problem, PatternSearch::CpuRule::kIgnored);
    std::vector<double> rhs = master.node_rhs();
    for (const PodType& pod : problem.pods) rhs.push_back(pod.demand);
    Outcome<Simplex> simplex = Simplex::create(std::move(rhs));
    if (!simplex) return Failure(simplex.error());
    return FreeProgram(std::move(master), *std::move(simplex));
  }

  Simplex& simplex() { return simplex_; }

  Outcome<Round> add_columns(const std::vector<double>& dual) {
    const FillProblem& problem = master_.problem();
    const NodePrices prices = master_.prices(dual);
    Round round{0, prices.total(problem)};
    std::vector<double> worth;
    for (std::size_t i = 0; i < problem.pods.size(); ++i) {
      const double price = std::max(0.0, dual[master_.pod_row(i)]);
      round.proved_pct += price * problem.pods[i].demand;
      worth.push_back(master_.pod_pct(i) - price);
    }
    for (std::size_t node = 0; node < problem.nodes.size(); ++node) {
      const Pattern pattern = master_.priced_pattern(node, prices, worth);
      if (pattern.worth <= 0) continue;
      round.proved_pct += pattern.worth * cards(problem.nodes[node]);
      const Outcome<std::size_t> column = add(pattern);
      if (!column) return Failure(column.error());
      ++round.added;
    }
    return round;
  }

 private:
  FreeProgram(Master master, Simplex simplex)
      : master_(std::move(master)), simplex_(std::move(simplex)) {}

  Outcome<std::size_t> add(const Pattern& pattern) {
    std::vector<Simplex::Entry> entries = master_.node_entries(pattern);
    double pct = 0;
    for (const Piece& piece : pattern.pieces) {
      entries.push_back({master_.pod_row(piece.pod), piece.share});
      pct += piece.share * master_.pod_pct(piece.pod);
    }
    return simplex_.add_column(pct, entries);
  }

  Master master_;
  Simplex simplex_;
};

// The accepted shares f of a policy that refuses nothing: f_easier >= f_harder. Every such f is a
// mixture, with weights that sum to at most 1, of sets that contain with a type all easier ones. So
// the program mixes such sets, the patterns must supply what the mixture accepts, and a new set is
// found as a heaviest closure. That keeps one row a type instead of one a pair of types.
class GreedyProgram {
 public:
  static Outcome<GreedyProgram> create(const FillProblem& problem) {
    Master master(problem, PatternSearch::CpuRule::kFitsOneNode);
    std::vector<double> rhs = master.node_rhs();
    rhs.resize(rhs.size() + problem.pods.size(), 0.0);
    rhs.push_back(1);
    Outcome<Simplex> simplex = Simplex::create(std::move(rhs));
    if (!simplex) return Failure(simplex.error());
    GreedyProgram program(std::move(master), *std::move(simplex));
    const Outcome<std::size_t> seeded = program.seed();
    if (!seeded) return Failure(seeded.error());
    return program;
  }

  Simplex& simplex() { return simplex_; }

  Outcome<Round> add_columns(const std::vector<double>& dual) {
    const FillProblem& problem = master_.problem();
    const NodePrices prices = master_.prices(dual);
    std::vector<double> worth;
    std::vector<double> weight;
    for (std::size_t i = 0; i < problem.pods.size(); ++i) {
      worth.push_back(pod_worth(i, prices, dual));
      weight.push_back((master_.pod_pct(i) - worth[i]) * problem.pods[i].demand);
    }
    Round round{0, prices.total(problem)};
    for (std::size_t node = 0; node < problem.nodes.size(); ++node) {
      const Pattern pattern = master_.priced_pattern(node, prices, worth);
      if (pattern.worth <= 0) continue;
      round.proved_pct += pattern.worth * cards(problem.nodes[node]);
      const Outcome<std::size_t> column = add_pattern(pattern);
      if (!column) return Failure(column.error());
      ++round.added;
    }
    const std::vector<std::size_t> set = heaviest_closure(weight, easier_);
    double gain = 0;
    for (const std::size_t i : set) gain += weight[i];
    round.proved_pct += std::max(0.0, gain);
    if (gain <= dual.back()) return round;
    const Outcome<std::size_t> column = add_set(set);
    if (!column) return Failure(column.error());
    ++round.added;
    return round;
  }

 private:
  GreedyProgram(Master master, Simplex simplex)
      : master_(std::move(master)), simplex_(std::move(simplex)) {
    const std::size_t pods = master_.problem().pods.size();
    for (std::size_t i = 0; i < pods; ++i) {
      for (std::size_t j = 0; j < pods; ++j) {
        if (i != j && master_.search().fits_wherever(i, j)) easier_.push_back({j, i});
      }
    }
  }

  // What supplying one pod earns. That of a CPU-only pod is held below its cheapest cores: its
  // columns stand in the program from the start, and rounding must not make them look worth more.
  double pod_worth(std::size_t i, const NodePrices& prices, const std::vector<double>& dual) const {
    const PodType& pod = master_.problem().pods[i];
    double worth = std::max(0.0, dual[master_.pod_row(i)]) / pod.demand;
    for (std::size_t k = 0; pod.shape.num_gpu == 0 && k < prices.core.size(); ++k) {
      if (master_.search().runs_on(i, k)) worth = std::min(worth, prices.core[k] * cores(pod));
    }
    return worth;
  }

  Outcome<std::size_t> seed() {
    const FillProblem& problem = master_.problem();
    for (std::size_t i = 0; i < problem.pods.size(); ++i) {
      for (std::size_t k = 0; k < problem.nodes.size(); ++k) {
        if (!master_.search().runs_on(i, k)) continue;
        const Outcome<std::size_t> column =
            problem.pods[i].shape.num_gpu == 0 ? add_cpu_pod(i, k) : add_pattern(uniform(i, k));
        if (!column) return column;
      }
      const Outcome<std::size_t> set = add_set(with_easier(i));
      if (!set) return set;
    }
    return simplex_.columns();
  }

  // A card filled with one pod type.
  Pattern uniform(std::size_t pod, std::size_t node) const {
    const PodShape& shape = master_.problem().pods[pod].shape;
    const auto pieces = static_cast<double>(kMilliPerGpu / shape.gpu_milli);
    return {node, 0, {{pod, pieces / static_cast<double>(shape.num_gpu)}}};
  }

  std::vector<std::size_t> with_easier(std::size_t pod) const {
    std::vector<std::size_t> set{pod};
    for (const Implication& rule : easier_) {
      if (rule.from == pod) set.push_back(rule.to);
    }
    return set;
  }

  Outcome<std::size_t> add_pattern(const Pattern& pattern) {
    std::vector<Simplex::Entry> entries = master_.node_entries(pattern);
    for (const Piece& piece : pattern.pieces) {
      const double demand = master_.problem().pods[piece.pod].demand;
      entries.push_back({master_.pod_row(piece.pod), -piece.share / demand});
    }
    return simplex_.add_column(0, entries);
  }

  Outcome<std::size_t> add_cpu_pod(std::size_t pod, std::size_t node) {
    const PodType& type = master_.problem().pods[pod];
    return simplex_.add_column(
        0, std::vector<Simplex::Entry>{{master_.core_row(node), cores(type)},
                                       {master_.pod_row(pod), -1 / type.demand}});
  }

  Outcome<std::size_t> add_set(const std::vector<std::size_t>& set) {
    double pct = 0;
    std::vector<Simplex::Entry> entries{{simplex_.rows() - 1, 1}};
    for (const std::size_t i : set) {
      entries.push_back({master_.pod_row(i), 1});
      pct += master_.pod_pct(i) * master_.problem().pods[i].demand;
    }
    return simplex_.add_column(pct, entries);
  }

  Master master_;
  Simplex simplex_;
  std::vector<Implication> easier_;  // from a type to every type that is at least as easy
};

template <class Program>
Outcome<Bound> solve(Outcome<Program> program) {
  if (!program) return Failure(program.error());
  Bound bound;
  bound.alloc_pct = HUGE_VAL;
  while (bound.rounds < kMaxRounds) {
    const Outcome<Simplex::Solution> solution = program->simplex().solve();
    if (!solution) return Failure(solution.error());
    const Outcome<Round> round = program->add_columns(solution->dual);
    if (!round) return Failure(round.error());
    ++bound.rounds;
    bound.columns = program->simplex().columns();
    bound.alloc_pct = std::min(bound.alloc_pct, round->proved_pct);
    bound.gap_pct = std::max(0.0, bound.alloc_pct - solution->objective);
    if (bound.gap_pct <= kGapPct || round->added == 0) return bound;
  }
  return Failure("the bound is open by " + std::to_string(bound.gap_pct) + " points after " +
                 std::to_string(kMaxRounds) + " rounds");
}

}  // namespace

Outcome<FillProblem> fill_problem(std::span<const Node> nodes, std::span<const Pod> pods,
                                  double arrived_pct) {
  if (!std::isfinite(arrived_pct) || arrived_pct <= 0) {
    return Failure("arrivals are " + std::to_string(arrived_pct) + " %, expected more than 0");
  }
  std::int64_t asked_milli = 0;
  for (const Pod& pod : pods) asked_milli += pod.shape.total_gpu_milli();
  const std::int64_t capacity_milli = gpu_capacity_milli(nodes);
  if (asked_milli == 0 || capacity_milli == 0) {
    return Failure("the pods ask for " + std::to_string(asked_milli) +
                   " GPU milli and the nodes have " + std::to_string(capacity_milli) +
                   ", expected both above 0");
  }
  FillProblem problem;
  std::map<std::tuple<std::string, std::int64_t, std::int64_t>, std::int64_t> counts;
  for (const Node& node : nodes) ++counts[{node.model, node.gpus, node.cpu_milli}];
  for (const auto& [key, count] : counts) {
    problem.nodes.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), count});
  }
  const double copies =
      arrived_pct / 100 * static_cast<double>(capacity_milli) / static_cast<double>(asked_milli);
  for (const TypicalPod& type : pod_shapes(pods)) {
    problem.pods.push_back({type.shape, copies * static_cast<double>(type.count)});
  }
  return problem;
}

Outcome<Bound> lp_bound(const FillProblem& problem) { return solve(FreeProgram::create(problem)); }

Outcome<Bound> greedy_bound(const FillProblem& problem) {
  return solve(GreedyProgram::create(problem));
}

}  // namespace berth::bench::openb
