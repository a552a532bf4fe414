// What is measured of one run.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/error.h"
#include "bench/topology/fabric.h"
#include "bench/topology/protocol.h"

namespace berth::bench::topology {

struct Figures {
  double leaves_over_min = 0;  // mean over gangs of leaves spanned / least possible
  double in_one_leaf_pct = 0;  // of gangs
  double gang_wait_mean_s = 0;
  double gang_wait_max_s = 0;
  double other_wait_mean_s = 0;  // of jobs up to 8 GPUs
};

class Tally {
 public:
  Tally(const Fabric& fabric, const Sample& sample) : fabric_(fabric), sample_(sample) {}

  // Each job once; `hosts` names none twice.
  void start(std::size_t job, TimeMs now, std::span<const HostIndex> hosts);
  std::size_t started() const { return started_; }
  // An error while some job has not started.
  Result<Figures> figures() const;

 private:
  const Fabric& fabric_;
  const Sample& sample_;
  std::size_t started_ = 0;
  std::size_t gangs_ = 0;
  std::size_t others_ = 0;
  std::size_t in_one_leaf_ = 0;
  double ratios_ = 0;
  double gang_wait_s_ = 0;
  double gang_wait_max_s_ = 0;
  double other_wait_s_ = 0;
};

}  // namespace berth::bench::topology
