// Ways to fill one card, priced by a knapsack: the columns of the bounds' linear programs.
// Owns: which pod types run on which node types, and the search for the pattern worth most.
// Must never know what the worth of a pod stands for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/openb/bounds.h"

namespace berth::bench::openb {

struct Piece {
  std::size_t pod = 0;  // index of its type
  double share = 0;     // pods of this type on the card; 1/n for each GPU of an n-GPU pod
};

struct Pattern {
  std::size_t node = 0;  // index of its type
  double worth = 0;
  std::vector<Piece> pieces;
};

class PatternSearch {
 public:
  enum class CpuRule { kIgnored, kFitsOneNode };

  // `problem` must outlive the search.
  PatternSearch(const FillProblem& problem, CpuRule rule);

  // On an empty node; no GPUs, no card patterns.
  bool runs_on(std::size_t pod, std::size_t node) const { return runs_[pod][node] != 0; }

  // Wherever `harder` could run on an empty node, `easier` could, and needs no more of anything.
  bool fits_wherever(std::size_t easier, std::size_t harder) const;

  // The multiset of pods of the largest total worth that fits one card of the node type. Exact:
  // sizes are counted in their greatest common divisor.
  Pattern best(std::size_t node, std::span<const double> worth_per_pod) const;

 private:
  const FillProblem& problem_;
  std::vector<std::vector<char>> runs_;  // by pod, then node
  std::size_t capacity_ = 1;             // of a card, in grains
  std::vector<std::size_t> grains_;      // of one GPU of each pod type; 0 for a CPU-only pod
};

}  // namespace berth::bench::openb
