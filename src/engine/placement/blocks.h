// Blocks: whole free cards of a node that jobs of 2, 4 or 8 cards could still take, in expectation
// over the jobs of that size in the mix (their CPU, their models).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/placement/demand.h"

namespace berth::engine {

using BlockWorth = std::array<std::int64_t, kBlockSizes>;

class Blocks {
 public:
  Blocks(const std::vector<DemandType>& demand, std::size_t models);

  // For size number `size`: its cards, in kCardWorth a card, times the expected number of jobs of
  // that size that fit.
  std::int64_t of(std::size_t size, ModelIndex model, std::int32_t whole_cards,
                  CpuMilli cpu_free) const {
    if (whole_cards < kBlockCards[size] || model.is_none()) return 0;
    return of_enough(size, model, whole_cards, cpu_free);
  }
  BlockWorth all(ModelIndex model, std::int32_t whole_cards, CpuMilli cpu_free) const;

 private:
  std::int64_t of_enough(std::size_t size, ModelIndex model, std::int32_t whole_cards,
                         CpuMilli cpu_free) const;
  struct Step {
    CpuMilli cpu_milli = 0;
    std::int64_t below = 0;  // worth of one block for the jobs that ask at most this much CPU
  };
  static std::vector<Step> steps_of(const std::vector<DemandType>& demand, std::size_t size,
                                    ModelIndex model);
  static std::int64_t worth_of(const std::vector<Step>& steps, std::int64_t copies,
                               CpuMilli cpu_free);

  std::size_t models_ = 0;
  std::vector<std::vector<Step>> steps_;  // [size * models_ + model]
};

}  // namespace berth::engine
