// The heaviest closed set of a directed graph, by a minimum cut.
// Owns: the graph and the flow. Must never know what its nodes mean.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace berth::bench::openb {

struct Implication {
  std::size_t from = 0;  // whoever holds `from` must hold `to`
  std::size_t to = 0;
};

// The nodes of a set of the largest total weight among all sets that obey every implication; the
// empty set if nothing weighs more than 0. Ascending. Picard's reduction to a minimum cut, solved
// by Dinic's method.
std::vector<std::size_t> heaviest_closure(std::span<const double> weights,
                                          std::span<const Implication> implications);

}  // namespace berth::bench::openb
