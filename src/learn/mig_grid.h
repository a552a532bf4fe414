// MigGrid: the occupancies of a MIG card and the steps between them, laid out for many virtual
// runs. Derived from a model's profiles alone; state numbers are those of engine::MigGeometry where
// all profiles are kept.
#pragma once

#include <cstdint>
#include <vector>

#include "model/gpu_model.h"

namespace berth::learn {

inline constexpr std::uint16_t kNoState = 0xFFFF;

class MigGrid {
 public:
  // Of the profiles that `kept` names (indexes of mig_profiles, ascending). Empty (count() == 0)
  // when there are more than kMostStates states.
  MigGrid(const GpuModel& model, const std::vector<int>& kept);
  static constexpr std::size_t kMostStates = 20'000;

  std::size_t count() const { return members_.size(); }
  std::size_t kinds() const { return profiles_.size(); }
  std::size_t pairs() const { return pairs_.size(); }
  int slots() const { return slots_; }
  int slots_of(std::size_t kind) const { return profiles_[kind].memory_slots; }
  std::size_t kind_of(std::size_t pair) const { return pairs_[pair].kind; }

  // The state with one more or one less instance; kNoState where that is impossible.
  std::uint16_t put(std::size_t pair, std::size_t state) const {
    return put_[pair * count() + state];
  }
  std::uint16_t take(std::size_t pair, std::size_t state) const {
    return take_[pair * count() + state];
  }

  int jobs(std::size_t state) const { return facts_[state].jobs; }
  int free_slots(std::size_t state) const { return facts_[state].free_slots; }
  int open_pairs(std::size_t state) const { return facts_[state].open_pairs; }
  // How many more of the kind fit, placed greedily in start order.
  int fits(std::size_t state, std::size_t kind) const { return fits_[state * kinds() + kind]; }
  // Slots of the starts that an occupied slot blocks, over the kinds that would fit by count.
  int blocked(std::size_t state) const { return facts_[state].blocked; }

 private:
  static constexpr std::size_t kEngineKinds = 4;  // decoders, encoders, JPEG, optical flow
  struct Profile {
    int memory_slots = 0;
    int max = 0;
    int load[1 + kEngineKinds] = {};  // compute slices and media engines
  };
  struct Pair {
    std::size_t kind = 0;
    std::uint32_t slots = 0;
  };
  struct Facts {
    int jobs = 0, free_slots = 0, open_pairs = 0, blocked = 0;
  };
  struct Use {
    std::uint32_t slots = 0;
    int load[1 + kEngineKinds] = {};
    std::vector<int> of;  // instances of each kind
  };

  void add_profiles(const GpuModel& model, const std::vector<int>& kept);
  void enumerate();
  void link();
  void describe();
  Use use_of(std::uint64_t members) const;
  void add(Use& use, std::size_t pair) const;
  bool can_add(const Use& use, std::size_t pair) const;
  int count_fits(Use use, std::size_t kind) const;

  int slots_ = 0;
  int limit_[1 + kEngineKinds] = {};
  std::vector<Profile> profiles_;
  std::vector<Pair> pairs_;
  std::vector<std::uint64_t> members_;  // ascending; one bit a pair
  std::vector<std::uint16_t> put_, take_;
  std::vector<Facts> facts_;
  std::vector<int> fits_;
};

}  // namespace berth::learn
