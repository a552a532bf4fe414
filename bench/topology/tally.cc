#include "bench/topology/tally.h"

#include <algorithm>
#include <string>

namespace berth::bench::topology {

void Tally::start(std::size_t job, TimeMs now, std::span<const HostIndex> hosts) {
  ++started_;
  if (job < first_counted(sample_)) return;
  const Arrival& arrival = sample_[job];
  const double wait_s = static_cast<double>(now - arrival.at) / kSecondMs;
  if (!arrival.is_gang()) {
    ++others_;
    other_wait_s_ += wait_s;
    return;
  }
  ++gangs_;
  gang_wait_s_ += wait_s;
  gang_wait_max_s_ = std::max(gang_wait_max_s_, wait_s);
  const std::size_t leaves = fabric_.leaves_spanned(hosts);
  if (leaves == 1) ++in_one_leaf_;
  ratios_ += static_cast<double>(leaves) / static_cast<double>(fabric_.least_leaves(hosts.size()));
}

Result<Figures> Tally::figures() const {
  if (started_ != sample_.size()) {
    return fail(ErrorCode::kConflict, std::to_string(sample_.size() - started_) + " of " +
                                          std::to_string(sample_.size()) + " jobs never started");
  }
  const auto gangs = static_cast<double>(std::max<std::size_t>(1, gangs_));
  const auto others = static_cast<double>(std::max<std::size_t>(1, others_));
  return Figures{ratios_ / gangs, 100 * static_cast<double>(in_one_leaf_) / gangs,
                 gang_wait_s_ / gangs, gang_wait_max_s_, other_wait_s_ / others};
}

}  // namespace berth::bench::topology
