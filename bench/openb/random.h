// The random order of the openb comparison: the same seed gives the same order on every platform.
// Owns: the generator's state. Must never be seeded by a clock or device, nor be replaced by
// <random>, whose distributions differ between standard libraries.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace berth::bench {

// xoshiro256** 1.0 of Blackman and Vigna (2018), state filled by splitmix64 as they advise; the
// constants are those of their definitions.
class Xoshiro256 {
 public:
  explicit Xoshiro256(std::uint64_t seed) {
    for (std::uint64_t& word : state_) {
      seed += 0x9e3779b97f4a7c15U;
      std::uint64_t mixed = seed;
      mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
      mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
      word = mixed ^ (mixed >> 31U);
    }
  }

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // Uniform in 0 .. bound - 1, bound > 0. Draws below 2^64 mod bound are rejected, so that every
  // value has the same number of preimages.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t reject = (0 - bound) % bound;
    std::uint64_t draw = next();
    while (draw < reject) draw = next();
    return draw % bound;
  }

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace berth::bench
