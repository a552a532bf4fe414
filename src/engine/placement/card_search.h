// CardSearch: the exact answer to whether the cards of one node can take all devices of a task, for
// the few tasks that ask for devices of several sorts and that the greedy choice does not serve.
// Depth first over the devices, the cheapest card of each sort first, cards in equal states once.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "engine/placement/card_choice.h"
#include "engine/state/cluster_state.h"

namespace berth::engine {

class CardSearch {
 public:
  // Takings of a card that are tried before the search gives up and says no: several times what
  // sixteen cards in different states and five requests need.
  static constexpr std::uint32_t kMostSteps = 65'536;
  // Tasks of more devices are left to the greedy choice: the search goes one call deeper for each.
  static constexpr std::uint32_t kMostDevices = 512;

  CardSearch(const ClusterState& state, const Slot& slot, const Shape& shape, const CardCost& cost);

  // Whether the greedy choice can miss a way to serve the shape: devices of one sort, on distinct
  // cards or without placements, never stand in each other's way.
  static bool is_needed(const Shape& shape);

  // The first way found; requests that name the level island get one each.
  std::optional<CardChoice> run();

 private:
  // Where the devices of one request went so far. They are alike, so that only ways in ascending
  // order of card and start are tried.
  struct Progress {
    std::size_t request = 0;
    std::uint32_t done = 0;
    std::size_t position = 0;  // of the last one
    int placement = -1;        // of the last one
    std::uint32_t island = 0;  // of the first one
  };
  struct Option {
    std::int64_t cost = 0;
    CardGrant grant;
    CardState after;
  };

  bool place_from(std::size_t request);
  bool place_next(const Progress& progress);
  bool take(const Progress& progress, const Option& option);
  bool each_fits_alone(std::size_t from) const;
  bool fits_alone(std::size_t request) const;
  std::vector<Option> options(const Progress& progress) const;
  bool is_open(const Progress& progress, std::size_t position) const;
  bool is_repeat(const Progress& progress, std::size_t position) const;
  void add_options(const Progress& progress, std::size_t position,
                   std::vector<Option>& options) const;

  const ClusterState& state_;
  const Shape& shape_;
  const CardCost& cost_;
  CardList cards_;
  CardGrants grants_;
  std::int64_t total_ = 0;
  std::uint32_t steps_left_ = kMostSteps;
  std::vector<std::set<CardList>> dead_;  // by request: sorted cards from which it leads nowhere
};

}  // namespace berth::engine
