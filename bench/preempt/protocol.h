// The protocol: one pool of nodes per GPU model, each with two tenants. Urgent work is promised all
// cards of the pool and asks for 0.70 of them on average: jobs come as a Poisson process whose rate
// follows a daily sine, so that between 0.50 and 0.90 of what the pool can do arrives. Spot work is
// promised nothing and comes steadily, up to a load of 1.10 in all. Sizes and run times are drawn
// together, with replacement, from the jobs of philly-sia.
//
// Each shape of nodes in a pool gets its part of the load, by cards; a job drawn for it is cut down
// to the node's size, and one that asks for more than 8 cards is workers of 8 where nodes have 8.
// When the run begins there are as many jobs, of such ages, as if arrivals had gone on for ever;
// without them the long ones would fill the pool for weeks. The first day is not counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"

namespace berth::bench::preempt {

inline constexpr std::size_t kSeeds = 5;
inline constexpr std::uint64_t kFirstSeed = 1;

inline constexpr double kUrgentLoad = 0.70;
inline constexpr double kUrgentSwing = 0.20;  // of the pool, by day
inline constexpr double kLoad = 1.10;         // with spot
inline constexpr DurationMs kDayMs = 24 * kHourMs;
inline constexpr TimeMs kCountedFrom = kDayMs;
inline constexpr TimeMs kCountedTo = 8 * kDayMs;
inline constexpr int kWorkerCards = 8;
inline constexpr double kSilentPart = 0.05;  // of the spot jobs of more than one card

// A guarantee period of a spot job: one that it runs through is a success, one in which it is
// interrupted a failure.
inline constexpr DurationMs kPeriodMs = kHourMs;
inline constexpr DurationMs kStartWithinMs = 60 * kSecondMs;  // the urgent work's SLO

// A job that may be drawn.
struct PoolJob {
  int gpus = 0;
  DurationMs run_ms = 0;
};

struct NodeShape {
  int cards = 0;
  int cpus = 0;
  std::size_t nodes = 0;

  std::size_t all_cards() const { return nodes * static_cast<std::size_t>(cards); }
};

struct Pool {
  std::string model;
  std::vector<NodeShape> shapes;

  std::size_t cards() const;
  std::size_t nodes() const;
};

struct Arrival {
  TimeMs at = 0;
  DurationMs run_ms = 0;
  int gpus = 0;
  bool urgent = false;
  bool silent = false;  // never answers when it is asked to save and leave

  friend bool operator==(const Arrival&, const Arrival&) = default;
};

// What taking back costs. kRecompute, the rules of GFS's simulator: a job saves once an hour, at no
// cost; one that is interrupted does again what came after, and pays a restart. kMeasured: it saves
// on request, at the rates measured on a card (own measurement).
enum class CostModel { kRecompute, kMeasured };

struct CaseSpec {
  std::string name;
  CostModel cost = CostModel::kRecompute;
};
std::vector<CaseSpec> cases();

// Of a job drawn for a node with so many cards.
int size_on(int gpus, int node_cards);

// The pool with at most so many nodes, each shape in proportion.
Pool part_of(const Pool& pool, std::size_t most_nodes);

// By time. What is drawn for one pool depends on the seed and on nothing else.
std::vector<Arrival> make_load(std::span<const PoolJob> jobs, const Pool& pool, TimeMs until,
                               std::uint64_t seed);

}  // namespace berth::bench::preempt
