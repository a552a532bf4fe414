#include "bench/topology/fabric.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace berth::bench::topology {

Fabric::Fabric(std::vector<HostRow> rows) : rows_(std::move(rows)) {
  std::map<std::pair<std::string, std::string>, LeafIndex> known;
  for (HostIndex host = 0; host < rows_.size(); ++host) {
    const auto next = static_cast<LeafIndex>(known.size());
    const auto [it, is_new] = known.try_emplace({rows_[host].psw, rows_[host].asw}, next);
    if (is_new) hosts_of_.emplace_back();
    leaf_of_.push_back(it->second);
    hosts_of_[it->second].push_back(host);
  }
  std::vector<std::size_t> sizes;
  for (const auto& hosts : hosts_of_) sizes.push_back(hosts.size());
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  least_leaves_ = {0};
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    least_leaves_.insert(least_leaves_.end(), sizes[k], k + 1);
  }
}

std::size_t Fabric::leaves_spanned(std::span<const HostIndex> hosts) const {
  std::vector<LeafIndex> leaves;
  for (const HostIndex host : hosts) leaves.push_back(leaf_of_[host]);
  std::sort(leaves.begin(), leaves.end());
  return static_cast<std::size_t>(std::unique(leaves.begin(), leaves.end()) - leaves.begin());
}

}  // namespace berth::bench::topology
