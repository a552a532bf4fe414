// Stranding: how much of a node's free card worth its free CPU cannot feed, in expectation over the
// demand mix. Convex and piecewise linear in (worth, CPU).
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "model/policy.h"

namespace berth::engine {

class Stranding {
 public:
  explicit Stranding(const std::vector<StrandingLine>& lines) : lines_(lines) {}

  // Both in units of kCardWorth a card; the result is from 0 to `worth`. O(log lines).
  std::int64_t stranded(std::int64_t worth, CpuMilli cpu_free) const;

 private:
  std::int64_t value(std::size_t line, std::int64_t worth, CpuMilli cpu_free) const {
    return (worth * lines_[line].worth_weight - cpu_free * lines_[line].cpu_weight) / 65536;
  }
  std::vector<StrandingLine> lines_;
};

}  // namespace berth::engine
