// What Kueue's own performance runs come to: the means in the comments of the range files
// (kubernetes-sigs/kueue, test/performance/scheduler/configs/*/rangespec.yaml, commit ff69552e79).
#pragma once

#include <span>
#include <string_view>

namespace berth::bench::quota {

struct PublishedAdmission {
  std::string_view class_name;
  double mean_s = 0;
};

struct Published {
  std::string_view case_name;
  int runs = 0;
  double wall_s = 0;          // run time of the controller
  double quota_held_pct = 0;  // quota held from admission to the write of the end, of all quota
  std::span<const PublishedAdmission> admission;
};

// Null: nothing is published of the case.
const Published* published(std::string_view case_name);

}  // namespace berth::bench::quota
