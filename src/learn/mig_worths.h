// The ways to value a MIG occupancy that training compares, as integer tables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "learn/mig_grid.h"

namespace berth::learn {

// W(s) = sum per_fit[k] fits_k(s) + jobs2 jobs(s)^2 + free2 free(s)^2
struct MigWeights {
  std::vector<double> per_fit;
  double jobs2 = 0;
  double free2 = 0;
};

// Scaled so that the largest |W| is 2^22.
std::vector<std::int32_t> worth_by_weights(const MigGrid& grid, const MigWeights& weights);
// Best-fit: the fullest card, and on it the start that leaves most starts open.
std::vector<std::int32_t> worth_by_best_fit(const MigGrid& grid);
// Least new conflict between free slots and occupied ones (minimum fragmentation increment).
std::vector<std::int32_t> worth_by_conflicts(const MigGrid& grid);

// per_fit = (share / mean share)^by_share x slots of eight, with the squares given for eight slots.
MigWeights weights_by_mix(const MigGrid& grid, const std::vector<double>& mix, double by_share,
                          double jobs2, double free2);

// Weights as a point with about equal reach in every direction, of root mean square 1 (the scale of
// a worth is free), and back.
std::vector<double> to_point(const MigGrid& grid, const MigWeights& weights);
MigWeights from_point(const MigGrid& grid, const std::vector<double>& point);

}  // namespace berth::learn
