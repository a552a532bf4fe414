// Fabric: which host hangs on which leaf switch and aggregation block. A leaf is the pair of both
// names, as the names of leaf switches repeat in every block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace berth::bench::topology {

inline constexpr int kCardsPerHost = 8;  // the map counts no cards; this is assumed

struct HostRow {
  std::string name;
  std::string psw;  // aggregation block
  std::string asw;  // leaf switch, by its name within the block
};

// Hosts are numbered in the order of their rows, leaves and blocks in the order of their first
// host.
using HostIndex = std::uint32_t;
using LeafIndex = std::uint32_t;

class Fabric {
 public:
  explicit Fabric(std::vector<HostRow> rows);

  std::size_t hosts() const { return rows_.size(); }
  std::size_t leaves() const { return hosts_of_.size(); }
  std::size_t cards() const { return hosts() * kCardsPerHost; }
  const HostRow& row(HostIndex host) const { return rows_[host]; }
  LeafIndex leaf_of(HostIndex host) const { return leaf_of_[host]; }
  std::span<const HostIndex> hosts_of(LeafIndex leaf) const { return hosts_of_[leaf]; }

  // The least number of leaves that hold so many hosts, at most all there are.
  std::size_t least_leaves(std::size_t hosts) const { return least_leaves_[hosts]; }
  // Leaves that these hosts hang on.
  std::size_t leaves_spanned(std::span<const HostIndex> hosts) const;

 private:
  std::vector<HostRow> rows_;
  std::vector<LeafIndex> leaf_of_;
  std::vector<std::vector<HostIndex>> hosts_of_;
  std::vector<std::size_t> least_leaves_;  // by number of hosts
};

}  // namespace berth::bench::topology
