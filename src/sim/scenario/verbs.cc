#include "sim/scenario/verbs.h"

#include <vector>

#include "base/nearest.h"

namespace berth::sim {
namespace {

const Verb* find_verb(std::string_view name) {
  for (const std::span<const Verb> part :
       {fleet_verbs(), job_verbs(), work_verbs(), show_verbs()}) {
    for (const Verb& verb : part) {
      if (verb.name == name) return &verb;
    }
  }
  return nullptr;
}

std::vector<std::string_view> verb_names() {
  std::vector<std::string_view> names;
  for (const std::span<const Verb> part :
       {fleet_verbs(), job_verbs(), work_verbs(), show_verbs()}) {
    for (const Verb& verb : part) names.push_back(verb.name);
  }
  return names;
}

}  // namespace

Result<Step> parse_step(std::string_view line) {
  auto arguments = Arguments::split(line);
  if (!arguments) return tl::unexpected(arguments.error());
  const Verb* verb = find_verb(arguments->verb());
  if (verb == nullptr) {
    return invalid("'" + arguments->verb() + "' is not a command" +
                   suggestion(arguments->verb(), verb_names()));
  }
  Step step = verb->read(*arguments);
  if (auto s = arguments->finish(); !s) {
    Error error = s.error();
    error.message += " (" + std::string(verb->usage) + ")";
    return tl::unexpected(std::move(error));
  }
  return step;
}

}  // namespace berth::sim
