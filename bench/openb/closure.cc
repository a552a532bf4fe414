#include "bench/openb/closure.h"

#include <algorithm>
#include <cmath>

namespace berth::bench::openb {
namespace {

constexpr std::size_t kUnseen = static_cast<std::size_t>(-1);

class FlowNetwork {
 public:
  explicit FlowNetwork(std::size_t nodes) : out_(nodes), level_(nodes), next_(nodes) {}

  void add_edge(std::size_t from, std::size_t to, double capacity) {
    out_[from].push_back(edges_.size());
    edges_.push_back({to, capacity});
    out_[to].push_back(edges_.size());
    edges_.push_back({from, 0});
  }

  // Flows below `negligible` are not pushed: they are rounding, and would never end.
  void saturate(std::size_t source, std::size_t sink, double negligible) {
    negligible_ = negligible;
    while (label(source), level_[sink] != kUnseen) {
      std::fill(next_.begin(), next_.end(), std::size_t{0});
      while (push(source, sink, HUGE_VAL) > negligible_) {
      }
    }
  }

  // Valid after saturate(): on the source's side of the cut.
  bool reached(std::size_t node) const { return level_[node] != kUnseen; }

 private:
  struct Edge {
    std::size_t to;
    double room;
  };

  void label(std::size_t source) {
    std::fill(level_.begin(), level_.end(), kUnseen);
    level_[source] = 0;
    std::vector<std::size_t> queue{source};
    for (std::size_t head = 0; head < queue.size(); ++head) {
      for (const std::size_t e : out_[queue[head]]) {
        const std::size_t to = edges_[e].to;
        if (edges_[e].room <= negligible_ || level_[to] != kUnseen) continue;
        level_[to] = level_[queue[head]] + 1;
        queue.push_back(to);
      }
    }
  }

  // Depth first along rising levels; the depth is at most the number of nodes.
  double push(std::size_t node, std::size_t sink, double most) {
    if (node == sink) return most;
    for (; next_[node] < out_[node].size(); ++next_[node]) {
      const std::size_t e = out_[node][next_[node]];
      Edge& edge = edges_[e];
      if (edge.room <= negligible_ || level_[edge.to] != level_[node] + 1) continue;
      const double pushed = push(edge.to, sink, std::min(most, edge.room));
      if (pushed <= negligible_) continue;
      edge.room -= pushed;
      edges_[e ^ 1U].room += pushed;
      return pushed;
    }
    return 0;
  }

  std::vector<Edge> edges_;  // an edge and its reverse stand side by side
  std::vector<std::vector<std::size_t>> out_;
  std::vector<std::size_t> level_;
  std::vector<std::size_t> next_;
  double negligible_ = 0;
};

}  // namespace

std::vector<std::size_t> heaviest_closure(std::span<const double> weights,
                                          std::span<const Implication> implications) {
  const std::size_t source = weights.size();
  const std::size_t sink = source + 1;
  FlowNetwork network(sink + 1);
  double largest = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    largest = std::max(largest, std::abs(weights[i]));
    if (weights[i] > 0) network.add_edge(source, i, weights[i]);
    if (weights[i] < 0) network.add_edge(i, sink, -weights[i]);
  }
  for (const Implication& rule : implications) network.add_edge(rule.from, rule.to, HUGE_VAL);
  network.saturate(source, sink, 1e-13 * largest);

  std::vector<std::size_t> closure;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (network.reached(i)) closure.push_back(i);
  }
  return closure;
}

}  // namespace berth::bench::openb
