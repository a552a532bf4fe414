// Verbs that ask and change nothing.
#include <array>
#include <utility>

#include "base/nearest.h"
#include "sim/scenario/show.h"
#include "sim/scenario/verbs.h"

namespace berth::sim {
namespace {

struct Table {
  std::string_view name;
  Lines (*show)(const engine::ClusterState& state);
};
constexpr std::array<Table, 5> kTables = {{{"nodes", &show_nodes},
                                           {"cards", &show_cards},
                                           {"queues", &show_queues},
                                           {"jobs", &show_jobs},
                                           {"leases", &show_leases}}};

template <typename Ask>
Step asking(Ask ask) {
  Step step;
  step.run = [ask = std::move(ask)](Session& session) -> Status {
    for (std::string& line : ask(session.state())) session.say(std::move(line));
    return {};
  };
  return step;
}

Step read_why(Arguments& arguments) {
  const std::string job = arguments.positional("a job");
  return asking([job](const engine::ClusterState& state) { return why(state, job); });
}

Step read_show_mig(Arguments& arguments) {
  const std::string text = arguments.positional("a card");
  const std::size_t colon = text.find(':');
  const auto card =
      colon == std::string::npos ? std::nullopt : whole_number(text.substr(colon + 1));
  if (!card || *card < 0 || *card >= static_cast<std::int64_t>(kCardsPerNodeLimit)) {
    arguments.refuse("'" + text + "' is not a card; NODE:INDEX such as n1:3 is accepted");
    return {};
  }
  return asking([node = text.substr(0, colon), card = static_cast<std::uint16_t>(*card)](
                    const engine::ClusterState& state) { return show_mig(state, node, card); });
}

Step read_show(Arguments& arguments) {
  if (arguments.has_word("mig")) return read_show_mig(arguments);
  if (arguments.has_word("gauge")) {
    const std::string job = arguments.positional("a job");
    return asking([job](const engine::ClusterState& state) { return show_gauge(state, job); });
  }
  const std::string what = arguments.positional("what to show");
  for (const Table& table : kTables) {
    if (table.name == what) return asking(table.show);
  }
  std::vector<std::string_view> names = {"gauge", "mig"};
  for (const Table& table : kTables) names.push_back(table.name);
  arguments.refuse("'" + what + "' cannot be shown" + suggestion(what, names));
  return {};
}

constexpr Verb kVerbs[] = {
    {"why", "why JOB", "Why a job waits.", &read_why},
    {"show", "show nodes|cards|queues|jobs|leases|gauge JOB|mig NODE:CARD",
     "The state, a fragmentation gauge, or what a MIG card can make.", &read_show},
};

}  // namespace

std::span<const Verb> show_verbs() { return kVerbs; }

}  // namespace berth::sim
