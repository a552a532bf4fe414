// What a search for the tasks of a job is asked, and what it answers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "model/lease.h"
#include "model/rejection.h"

namespace berth::engine {

// Tasks of one role that want a place: at least `least` of them, in this order.
struct RoleNeed {
  std::vector<std::uint32_t> tasks;
  std::uint32_t least = 0;
};

// What a search for all tasks of a job came to.
struct Shortfall {
  ShapeIndex shape;              // of the first task without a place
  std::int64_t fitted = 0;       // of the least that is needed, so many had a place together
  std::optional<Rejection> why;  // what no single task shows
};

struct GangPlace {
  std::vector<TaskPlacement> tasks;
  DomainIndex domain;  // the lowest whose countable resources it takes; none: it asks for none
};

// A task of the job that has its place already.
struct Anchor {
  std::uint16_t role = 0;
  std::uint32_t task = 0;
  NodeIndex node;
};

}  // namespace berth::engine
