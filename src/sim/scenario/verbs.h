// The commands of a scenario: one explicit table of verbs, each with its usage and its reader.
// Reading a line needs no cluster, so a whole file is checked before anything runs.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario/arguments.h"
#include "sim/scenario/session.h"

namespace berth::sim {

// Declarations may be told in another order without changing what follows.
enum class StepKind : std::uint8_t { kNode, kQueue, kOther };

struct Step {
  StepKind kind = StepKind::kOther;
  std::vector<std::string> names;  // of what is declared
  std::string parent;              // of a declared queue
  std::function<Status(Session&)> run;
};

struct Verb {
  std::string_view name;
  std::string_view usage;
  std::string_view text;
  Step (*read)(Arguments& arguments);  // errors are remembered in the arguments
};

// The parts of the table, each in its own file.
std::span<const Verb> fleet_verbs();
std::span<const Verb> job_verbs();
std::span<const Verb> work_verbs();
std::span<const Verb> layout_verbs();
std::span<const Verb> show_verbs();
std::span<const Verb> what_if_verbs();

// The whole table.
std::vector<Verb> all_verbs();

// Refuses unknown verbs, words and values.
Result<Step> parse_step(std::string_view line);

}  // namespace berth::sim
