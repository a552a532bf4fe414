// The plain rules. All take the host with the fewest free cards that hold a job up to 8 GPUs, but
// the first:
//
//   random                a random host that holds it; gangs on random whole free hosts
//   first_free            the first such host in the order of the map; gangs on the first hosts
//   leaf_bestfit          the same; gangs in the leaf that holds them with the fewest whole free
//                         hosts, else the leaves with most of them first
//   leaf_bestfit_small    the same; jobs up to 8 GPUs in the leaf with the fewest whole free hosts
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bench/topology/floor.h"
#include "bench/topology/protocol.h"

namespace berth::bench::topology {

enum class Baseline : std::uint8_t { kRandom, kFirstFree, kLeafBestFit, kLeafBestFitSmall };

// By the order of the values.
const std::vector<std::string>& baseline_names();

// Whole hosts first, then the one of the remainder.
using Hosts = std::vector<HostIndex>;

class BaselinePlacer {
 public:
  BaselinePlacer(Baseline rule, const Floor& floor, std::uint64_t seed)
      : rule_(rule), floor_(floor), random_(seed) {}

  // Nothing where the job does not fit now.
  std::optional<Hosts> find(const Arrival& job);

 private:
  bool fits(const Arrival& job) const;
  Hosts find_random(const Arrival& job);
  HostIndex one_host(int cards) const;
  Hosts first_hosts(const Arrival& job) const;
  Hosts leaf_hosts(const Arrival& job) const;
  bool holds(LeafIndex leaf, const Arrival& job) const;
  void take_leaf(LeafIndex leaf, std::size_t most, Hosts& hosts) const;
  void take_leaves(std::size_t wanted, Hosts& hosts) const;
  HostIndex host_of_rest(const Hosts& whole, int cards) const;

  Baseline rule_;
  const Floor& floor_;
  std::mt19937_64 random_;
};

}  // namespace berth::bench::topology
