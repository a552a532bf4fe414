// Outlook: when a job that waits will start, or a suspended one go on, if nothing else comes. Time
// is played ahead on a copy of the state: what runs ends as it is expected to, and the cycle
// decides in between as it would, so that whoever goes first, room that is kept, quotas and
// back-offs are all in it.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/cycle/engine.h"
#include "engine/reserve/eta.h"

namespace berth::engine {

struct Outlook {
  // kNever: it does not start by waiting alone.
  TimeMs at = kNever;
  bool at_earliest = false;              // it was not looked further ahead than `at`
  std::uint32_t before = 0;              // jobs that wait now and start before it
  JobId last;                            // whose end lets it start; none: it starts at once
  EndBasis basis = EndBasis::kDeclared;  // the weakest of the ends up to then
  bool is_held = false;                  // by its owner: the rest says nothing
  // Of the room that it starts in, where that is taken back for it; null: nothing is. `at` is then
  // the latest: victims may be gone before.
  std::shared_ptr<const Reclaim> taken;
};

// Of a job that waits or is suspended; of another one a default value.
Outlook look_ahead(const Engine& engine, JobId job, TimeMs now);

}  // namespace berth::engine
