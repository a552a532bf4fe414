// Fixes: the smallest changes that would let a waiting job start now, without taking anything from
// anybody. Each one that is offered has been tried: its commands were carried out on a copy of the
// state, and the next cycle started the job.
#pragma once

#include <string>
#include <vector>

#include "engine/cycle/engine.h"
#include "model/command.h"

namespace berth::engine {

struct Fix {
  std::string text;               // "give queue a 2 cards more (limit 6)"
  std::vector<Command> commands;  // what does it
};

// Smallest first: what only the owner has to say, then what the job asks, then the quota. Empty
// when the job does not wait or no single change helps.
std::vector<Fix> find_fixes(const Engine& engine, JobId job, TimeMs now);

}  // namespace berth::engine
