// Upper bounds on the GPU allocation that any policy can reach in the fill protocol.
// Owns: the two linear programs and their column generation. Must never report less than what it
// has proved: a bound is the dual value of its program, not the primal one.
//
// Both programs are clairvoyant and take expected counts, so that they bound the mean over seeds;
// the pods that one seed happens to draw move its own bound by about 0.1 points. Both pour CPU and
// GPUs of equal nodes together and leave memory out. That can only raise lp_bound; greedy_bound
// thereby takes a pod for easier that asks for more memory. Telling pods apart by memory as well
// raises it by at most 0.012 points on the seventeen openb traces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/openb/outcome.h"
#include "bench/openb/trace.h"

namespace berth::bench::openb {

// Nodes of equal model, GPU count and CPU.
struct NodeType {
  std::string model;
  std::int64_t gpus = 0;
  std::int64_t cpu_milli = 0;
  std::int64_t count = 0;
};

struct PodType {
  PodShape shape;
  double demand = 0;  // expected number of arrivals, > 0
};

struct FillProblem {
  std::vector<NodeType> nodes;
  std::vector<PodType> pods;
};

// The pods that have arrived when their GPU request is `arrived_pct` % of the fleet's GPUs.
Outcome<FillProblem> fill_problem(std::span<const Node> nodes, std::span<const Pod> pods,
                                  double arrived_pct);

struct Bound {
  double alloc_pct = 0;  // no schedule allocates more, in % of the fleet's GPUs
  double gap_pct = 0;    // the program's exact value is at most this far below
  std::size_t rounds = 0;
  std::size_t columns = 0;
};

// Bounds every schedule, also one that refuses pods: cards are cut into patterns of GPU shares,
// each node type has so many cards and so much CPU, each pod type so many pods. CPU-only pods are
// left out.
Outcome<Bound> lp_bound(const FillProblem& problem);

// Bounds every policy that places a pod whenever it fits somewhere, as the protocol demands: such
// a policy can't accept a smaller share of an easier pod type than of a harder one. Adds that, the
// CPU-only pods, and that a pod's CPU must fit one node.
Outcome<Bound> greedy_bound(const FillProblem& problem);

}  // namespace berth::bench::openb
