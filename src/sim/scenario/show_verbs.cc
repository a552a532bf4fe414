// Verbs that ask and change nothing.
#include <array>
#include <utility>

#include "base/nearest.h"
#include "sim/scenario/show.h"
#include "sim/scenario/show_layouts.h"
#include "sim/scenario/show_receipts.h"
#include "sim/scenario/verbs.h"

namespace berth::sim {
namespace {

Reasons reasons_of(Session& session) {
  return [&session](JobId job) { return session.why(job); };
}

template <Lines (*show)(const engine::ClusterState& state)>
Lines of_state(Session& session) {
  return show(session.state());
}

template <Lines (*show)(const engine::ClusterState& state, TimeMs now)>
Lines of_moment(Session& session) {
  return show(session.state(), session.now());
}

Lines jobs_of(Session& session) { return show_jobs(session.state(), reasons_of(session)); }

struct Table {
  std::string_view name;
  Lines (*show)(Session& session);
};
constexpr std::array<Table, 10> kTables = {{{"nodes", &of_state<&show_nodes>},
                                            {"cards", &of_state<&show_cards>},
                                            {"queues", &of_moment<&show_queues>},
                                            {"jobs", &jobs_of},
                                            {"leases", &of_state<&show_leases>},
                                            {"order", &of_moment<&show_order>},
                                            {"reservations", &of_moment<&show_reservations>},
                                            {"receipts", &of_moment<&show_receipts>},
                                            {"layouts", &of_moment<&show_layouts>},
                                            {"policy", &of_state<&show_policy>}}};

template <typename Ask>
Step asking(Ask ask) {
  Step step;
  step.run = [ask = std::move(ask)](Session& session) -> Status {
    for (std::string& line : ask(session)) session.say(std::move(line));
    return {};
  };
  return step;
}

Step read_why(Arguments& arguments) {
  const std::string job = arguments.positional("a job");
  return asking([job](Session& session) {
    return why(session.state(), reasons_of(session), job, session.now());
  });
}

Step read_eta(Arguments& arguments) {
  const std::string name = arguments.positional("a job");
  return asking([name](Session& session) -> Lines {
    const engine::JobRecord* job = session.state().find_job(name);
    if (job == nullptr) return unknown_job(session.state(), name);
    if (!is_waiting(*job)) return {name + " does not wait"};
    return {eta_text(session.state(), name, session.eta(job->id), session.now())};
  });
}

Step read_fix(Arguments& arguments) {
  const std::string name = arguments.positional("a job");
  return asking([name](const Session& session) -> Lines {
    const engine::JobRecord* job = session.state().find_job(name);
    if (job == nullptr) return unknown_job(session.state(), name);
    Lines lines;
    for (const engine::Fix& fix : session.fixes(job->id)) {
      const bool later = fix.by == engine::FixBy::kTime || fix.taken != nullptr;
      lines.push_back(name + (later ? " would start: " : " would start now: ") +
                      fix_text(fix, session.now()));
    }
    if (lines.empty()) lines.push_back("no single change lets " + name + " start now");
    return lines;
  });
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
                    const Session& session) { return show_mig(session.state(), node, card); });
}

Step read_show(Arguments& arguments) {
  if (arguments.has_word("mig")) return read_show_mig(arguments);
  if (arguments.has_word("gauge")) {
    const std::string job = arguments.positional("a job");
    return asking([job](const Session& session) { return show_gauge(session.state(), job); });
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
    {"why", "why JOB", "Why a job waits, what a running one lacks, and by whom one was stopped.",
     &read_why},
    {"eta", "eta JOB", "When it could start, or go on, if nothing else came.", &read_eta},
    {"fix", "fix JOB", "The smallest changes that would let it start, each tried on a copy.",
     &read_fix},
    {"show",
     "show nodes|cards|queues|jobs|leases|order|reservations|receipts|layouts|policy|gauge JOB|mig "
     "NODE:CARD",
     "The state, a fragmentation gauge, or what a MIG card can make.", &read_show},
};

}  // namespace

std::span<const Verb> show_verbs() { return kVerbs; }

}  // namespace berth::sim
