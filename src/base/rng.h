// Seeded generator: the only source of randomness. One seed gives one sequence, on every machine.
// Algorithm: xoshiro256** 1.0 (Blackman and Vigna), seeded by splitmix64; both public domain
// designs. Never use it for secrets.
#pragma once

#include <cstdint>

namespace berth {

class Rng {
 public:
  explicit Rng(std::uint64_t seed) {
    for (auto& word : state_) word = split_mix(seed);
  }

  std::uint64_t next() {
    const std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  // Uniform in [0, bound), without bias (Lemire's multiply-and-reject). bound > 0.
  std::uint64_t below(std::uint64_t bound) {
    unsigned __int128 product = static_cast<unsigned __int128>(next()) * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
      const std::uint64_t threshold = (0 - bound) % bound;
      while (static_cast<std::uint64_t>(product) < threshold) {
        product = static_cast<unsigned __int128>(next()) * bound;
      }
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  // Uniform in [0, 1) with 53 bits; for simulation physics and reports, never for a decision.
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  // An independent stream for a named purpose, so that adding a draw in one place moves no other.
  Rng fork(std::uint64_t purpose) { return Rng(next() ^ (purpose * 0x9E3779B97F4A7C15ULL)); }

 private:
  static std::uint64_t rotate(std::uint64_t value, int bits) {
    return (value << bits) | (value >> (64 - bits));
  }
  static std::uint64_t split_mix(std::uint64_t& seed) {
    std::uint64_t z = (seed += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }

  std::uint64_t state_[4] = {};
};

}  // namespace berth
