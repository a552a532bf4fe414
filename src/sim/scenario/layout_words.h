// Layouts of MIG cards as scenarios write them: "3g.40gb@4,1g.10gb@0".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/fleet.h"
#include "sim/scenario/arguments.h"

namespace berth::sim {

// The instances of the option; errors are remembered in the arguments.
std::vector<MigInstanceSpec> read_instances(Arguments& arguments, const std::string& key);

// "n1:3"
struct CardName {
  std::string node;
  std::uint16_t card = 0;
};
CardName read_card(Arguments& arguments);

}  // namespace berth::sim
