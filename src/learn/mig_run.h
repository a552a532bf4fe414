// Virtual runs of a MIG fleet: arrivals of a demand mix, and how much of it a worth accepts when
// each job goes where the worth falls least (the lowest card, then the first start, on a tie).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.h"
#include "learn/mig_grid.h"

namespace berth::learn {

// Arrivals and ends in time order: i = arrival i, ~i = the end of i.
struct MigTrace {
  std::vector<std::uint8_t> kind;
  std::vector<std::int32_t> events;
};

struct MigFleet {
  static constexpr int kCards = 100;
  double load = 1.0;  // memory asked of memory there
  int arrivals = 0;
  int warm_up = 2000;  // arrivals that are not counted
};

double exponential(Rng& rng);
double normal(Rng& rng);

// Poisson arrivals of jobs of the mix (shares that add up to 1), exponential lifetimes.
MigTrace make_mig_trace(const MigGrid& grid, const std::vector<double>& mix, const MigFleet& fleet,
                        Rng& rng);

// A worth, and what it says about each kind on each state.
class MigChoices {
 public:
  // |worth| at most 2^22
  MigChoices(const MigGrid& grid, const std::vector<std::int32_t>& worth);

  struct Choice {
    std::uint16_t next = kNoState;
    std::uint8_t pair = 0;
  };
  static constexpr std::int32_t kNever = (1 << 23) + 1;  // above every loss
  // Losses of all kinds on one state lie side by side.
  const std::int32_t* losses(std::size_t state) const { return &loss_[state * kinds_]; }
  const Choice& choice(std::size_t kind, std::size_t state) const {
    return choice_[state * kinds_ + kind];
  }

 private:
  std::size_t kinds_;
  std::vector<std::int32_t> loss_;
  std::vector<Choice> choice_;
};

struct MigScore {
  double slots = 0;  // accepted of the slots asked for
  double jobs = 0;   // accepted of the jobs
};

// Each policy by itself, on the same trace; together they cost less than one after the other.
std::vector<MigScore> run_mig(const MigGrid& grid, std::span<const MigChoices> policies,
                              const MigTrace& trace, const MigFleet& fleet);

}  // namespace berth::learn
