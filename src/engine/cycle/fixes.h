// Fixes: the smallest changes that would let a waiting job start. Each one that is offered has been
// tried: what it does was carried out on a copy of the state, and the next cycle started the job,
// or took room back for it in which it started once the victims had gone; then it says from whom.
// Nothing but what the policy allows is taken. Repairs of cards are not among them: nobody can
// order one; that cards are not healthy is told as a reason.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/cycle/engine.h"
#include "model/command.h"

namespace berth::engine {

// Whose change it is, the least first.
enum class FixBy : std::uint8_t {
  kOwner,    // a word of the job's owner, who gives up nothing
  kTime,     // nobody's: another job ends, or gives way
  kRequest,  // the owner's, who asks for less or for something else
  kOperator  // of the quota or of the fleet
};

struct Fix {
  FixBy by = FixBy::kOwner;
  // By how much, among those of one kind: of a request the part of it that is given up, in
  // millionths; of an operator the card units that are given.
  std::int64_t change = 0;
  std::string text;                           // "give queue a 2 cards more (limit 6)"
  std::vector<Command> commands;              // what does it; of time: the reports that will come
  TimeMs at = 0;                              // when they come; but for time: at once
  EndBasis basis = EndBasis::kDeclared;       // what `at` rests on
  std::shared_ptr<const Reclaim> taken = {};  // what it takes from others; null: nothing
  JobId awaited = {};                         // of time: the job whose end it is; none: no job's
};

// Offered at most: of each kind the smallest, what is equal in the order of the kinds of fixes
// (fixes.cc).
inline constexpr std::size_t kMostRequestFixes = 4;
inline constexpr std::size_t kMostOperatorFixes = 2;
// Copies of the state on which something is tried, each for one cycle. What would need more is not
// found.
inline constexpr std::size_t kMostFixTrials = 240;

// By whose change it is; what takes nothing from anybody before what does, the smallest first.
// Empty when the job does not wait or no single change helps. O(kMostFixTrials x (state + cycle)).
std::vector<Fix> find_fixes(const Engine& engine, JobId job, TimeMs now);

}  // namespace berth::engine
