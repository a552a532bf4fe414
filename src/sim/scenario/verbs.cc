#include "sim/scenario/verbs.h"

#include <algorithm>
#include <vector>

#include "base/nearest.h"

namespace berth::sim {
namespace {

const Verb* find_verb(std::span<const Verb> verbs, std::string_view name) {
  const auto found =
      std::find_if(verbs.begin(), verbs.end(), [&](const Verb& verb) { return verb.name == name; });
  return found == verbs.end() ? nullptr : &*found;
}

std::vector<std::string_view> names_of(std::span<const Verb> verbs) {
  std::vector<std::string_view> names;
  for (const Verb& verb : verbs) names.push_back(verb.name);
  return names;
}

}  // namespace

std::vector<Verb> all_verbs() {
  std::vector<Verb> all;
  for (const std::span<const Verb> part :
       {fleet_verbs(), job_verbs(), work_verbs(), layout_verbs(), show_verbs(), what_if_verbs()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

Result<Step> parse_step(std::string_view line) {
  auto arguments = Arguments::split(line);
  if (!arguments) return tl::unexpected(arguments.error());
  static const std::vector<Verb> kVerbs = all_verbs();
  const Verb* verb = find_verb(kVerbs, arguments->verb());
  if (verb == nullptr) {
    return invalid("'" + arguments->verb() + "' is not a command" +
                   suggestion(arguments->verb(), names_of(kVerbs)) +
                   " (all: berth scenario verbs)");
  }
  Step step = verb->read(*arguments);
  if (auto s = arguments->finish(); !s) {
    Error error = s.error();
    error.message += " (see 'berth scenario verbs " + std::string(verb->name) + "')";
    return tl::unexpected(std::move(error));
  }
  return step;
}

}  // namespace berth::sim
