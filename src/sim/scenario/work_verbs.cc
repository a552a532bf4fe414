// Verbs of time, of the scheduler, of nodes and of what happens on them.
#include <algorithm>
#include <utility>

#include "sim/scenario/layout_words.h"
#include "sim/scenario/verbs.h"
#include "sim/scenario/wording.h"

namespace berth::sim {
namespace {

using Work = ScriptedExecutor::Work;

Step read_cycle(Arguments& /*arguments*/) {
  Step step;
  step.run = [](Session& session) { return session.run_cycle(); };
  return step;
}

Step read_advance(Arguments& arguments) {
  const std::string text = arguments.positional("a duration");
  auto timed = Arguments::split("advance by=" + text);
  const auto by = timed ? timed->duration("by") : std::nullopt;
  if (!by) arguments.refuse("'" + text + "' is not a duration; 90s, 10m or 1h30m is accepted");
  Step step;
  step.run = [by = by.value_or(0)](Session& session) { return session.advance(by); };
  return step;
}

Step set_condition(const std::vector<std::string>& nodes, NodeCondition condition) {
  Step step;
  step.run = [nodes, condition](Session& session) -> Status {
    for (const std::string& node : nodes) {
      const Command command{SetNodeCondition{node, condition}, {}, {}};
      if (auto s = session.execute(command); !s) return s;
    }
    return {};
  };
  return step;
}

// A node that is lost is found again; from any other all is taken that keeps it from work.
Step restore_nodes(const std::vector<std::string>& nodes) {
  Step step;
  step.run = [nodes](Session& session) -> Status {
    for (const std::string& name : nodes) {
      const NodeIndex node = session.state().find_node(name);
      const bool is_lost =
          !node.is_none() && session.state().node(node).condition == NodeCondition::kLost;
      const Command command = is_lost
                                  ? Command{ReportNodeBack{name}, {}, {}}
                                  : Command{SetNodeCondition{name, NodeCondition::kReady}, {}, {}};
      if (auto s = session.execute(command); !s) return s;
    }
    return {};
  };
  return step;
}

// fail|restore node N, fail|restore card N:3
Step read_health(Arguments& arguments, NodeCondition condition, CardHealth health) {
  if (arguments.has_word("node")) {
    const auto nodes = arguments.all_names("a node");
    return condition == NodeCondition::kReady ? restore_nodes(nodes)
                                              : set_condition(nodes, condition);
  }
  if (!arguments.has_word("card")) {
    arguments.refuse(arguments.verb() + " needs 'node NAME' or 'card NAME:INDEX'");
  }
  const CardName card = read_card(arguments);
  Step step;
  step.run = [card, health](Session& session) {
    return session.execute(Command{SetCardHealth{card.node, card.card, health}, {}, {}});
  };
  return step;
}

Step read_fail(Arguments& arguments) {
  return read_health(arguments, NodeCondition::kLost, CardHealth::kFailed);
}
Step read_restore(Arguments& arguments) {
  return read_health(arguments, NodeCondition::kReady, CardHealth::kHealthy);
}
Step read_drain(Arguments& arguments) {
  return set_condition(arguments.all_names("a node"), NodeCondition::kDraining);
}
Step read_cordon(Arguments& arguments) {
  return set_condition(arguments.all_names("a node"), NodeCondition::kCordoned);
}

// notice node N in=2m: the provider takes the node away then.
Step read_notice(Arguments& arguments) {
  if (!arguments.has_word("node")) arguments.refuse("notice needs 'node NAME in=DURATION'");
  const std::string node = arguments.positional("a node");
  const auto in = arguments.duration("in");
  if (!in) arguments.refuse("notice needs in=DURATION, such as in=2m");
  Step step;
  step.run = [node, in = in.value_or(0)](Session& session) {
    const TimeMs deadline = saturating_add(session.now(), in);
    return session.execute(Command{NoticeInterruption{node, deadline}, {}, {}});
  };
  return step;
}

// fault card N:3: gone from the node, and nobody but the node knows; mended with `mend`.
Step read_fault(Arguments& arguments) {
  if (!arguments.has_word("card")) arguments.refuse("fault needs 'card NAME:INDEX'");
  const CardName card = read_card(arguments);
  Step step;
  step.run = [card](Session& session) -> Status {
    session.executor().break_card(card.node, card.card);
    return {};
  };
  return step;
}
Step read_mend(Arguments& arguments) {
  if (!arguments.has_word("card")) arguments.refuse("mend needs 'card NAME:INDEX'");
  const CardName card = read_card(arguments);
  Step step;
  step.run = [card](Session& session) -> Status {
    session.executor().mend_card(card.node, card.card);
    return {};
  };
  return step;
}

Step read_executor(Arguments& arguments) {
  using Mode = ScriptedExecutor::Mode;
  const bool manual = arguments.has_word("manual");
  if (!manual && !arguments.has_word("automatic")) {
    arguments.refuse("executor needs 'manual' or 'automatic'");
  }
  const Mode mode = manual ? Mode::kManual : Mode::kAutomatic;
  Step step;
  step.run = [mode](Session& session) {
    session.executor().set_mode(mode);
    return session.settle();
  };
  return step;
}

// The tasks of a job that wait for the executor, all or the one with task=N.
struct Waiting {
  std::string job;
  std::optional<std::int64_t> task;
};

Waiting read_waiting(Arguments& arguments) {
  Waiting waiting;
  waiting.job = arguments.positional("a job");
  waiting.task = arguments.whole("task", 0, kTaskLimit);
  return waiting;
}

std::vector<ScriptedExecutor::Task> take(Session& session, Work work, const Waiting& waiting) {
  const engine::JobRecord* job = session.state().find_job(waiting.job);
  const JobId id = job == nullptr ? JobId::none() : job->id;
  const auto matches = [&](const ScriptedExecutor::Task& task) {
    return task.job == id && waiting.task.value_or(task.index) == task.index;
  };
  std::vector<ScriptedExecutor::Task> tasks = session.executor().take(work, matches);
  if (tasks.empty()) session.miss("nothing waits: " + waiting.job);
  return tasks;
}

Step answer_step(Arguments& arguments, Work work) {
  const Waiting waiting = read_waiting(arguments);
  Step step;
  step.run = [waiting, work](Session& session) -> Status {
    for (const ScriptedExecutor::Task& task : take(session, work, waiting)) {
      if (auto s = session.answer(task); !s) return s;
    }
    return {};
  };
  return step;
}
Step read_prepared(Arguments& arguments) { return answer_step(arguments, Work::kPrepare); }
Step read_returned(Arguments& arguments) { return answer_step(arguments, Work::kRevoke); }
Step read_suspended(Arguments& arguments) { return answer_step(arguments, Work::kSuspend); }

// Tasks of running jobs say that they have saved their work.
Step read_checkpoint(Arguments& arguments) {
  const std::vector<std::string> names = arguments.all_names("a job");
  Step step;
  step.run = [names](Session& session) -> Status {
    for (const std::string& name : names) {
      const engine::JobRecord* job = session.state().find_job(name);
      if (job == nullptr || job->leases.empty()) {
        session.miss("nothing runs: " + name);
        continue;
      }
      const Lease& lease = *session.state().find_lease(job->leases.front());
      const ReportCheckpoint report{lease.id, lease.epoch, name + "-saved"};
      if (auto s = session.execute(Command{report, {}, {}}); !s) return s;
    }
    return {};
  };
  return step;
}

Step read_fail_prepare(Arguments& arguments) {
  Waiting waiting = read_waiting(arguments);
  if (!waiting.task) waiting.task = 0;
  const std::string reason = arguments.text("reason").value_or("the image cannot be read");
  Step step;
  step.run = [waiting, reason](Session& session) -> Status {
    for (const ScriptedExecutor::Task& task : take(session, Work::kPrepare, waiting)) {
      const ReportPrepareFailed report{task.lease, task.epoch, reason};
      if (auto s = session.execute(Command{report, {}, {}}); !s) return s;
    }
    return {};
  };
  return step;
}

// Which running tasks end: of a job, or at a place "n1:0" or "n1:0/1g.10gb@4".
struct Ending {
  std::string what;
  std::optional<std::int64_t> task;

  bool matches(const engine::ClusterState& state, const Lease& lease) const {
    if (lease.started_at == kNever || (task && *task != lease.placement.task)) return false;
    const engine::JobRecord& job = *state.find_job(lease.job);
    if (what.find(':') == std::string::npos) return job.name == what;
    for (const CardGrant& grant : lease.placement.grants) {
      TaskPlacement one = lease.placement;
      one.grants.assign(1, grant);
      if (place_text(state, {one}) == what) return true;
    }
    return false;
  }
};

Step ending_step(Arguments& arguments, EndReason reason) {
  std::vector<Ending> endings;
  const std::vector<std::string> names = arguments.all_names("a job or a place");
  const auto task = arguments.whole("task", 0, kTaskLimit);
  for (const std::string& name : names) endings.push_back({name, task});
  Step step;
  step.run = [endings, reason](Session& session) -> Status {
    for (const Ending& ending : endings) {
      std::vector<std::pair<LeaseId, std::uint64_t>> found;
      for (const LeaseId id : session.state().leases().sorted_ids()) {
        const Lease& lease = session.state().leases().at(id);
        if (ending.matches(session.state(), lease)) found.emplace_back(id, lease.epoch);
      }
      if (found.empty()) session.miss("nothing runs: " + ending.what);
      for (const auto& [lease, epoch] : found) {
        // the end of one task may have taken the others of its job with it
        if (session.state().find_lease(lease) == nullptr) continue;
        session.executor().forget(lease);
        const Command report{ReportEnded{lease, epoch, reason}, {}, {}};
        if (auto s = session.execute(report); !s) return s;
      }
    }
    return {};
  };
  return step;
}
Step read_finish(Arguments& arguments) { return ending_step(arguments, EndReason::kSucceeded); }
Step read_crash(Arguments& arguments) { return ending_step(arguments, EndReason::kFailed); }
Step read_lose(Arguments& arguments) { return ending_step(arguments, EndReason::kLost); }

constexpr Verb kVerbs[] = {
    {"cycle", "cycle", "One scheduling cycle.", &read_cycle},
    {"advance", "advance DURATION", "Lets time pass.", &read_advance},
    {"finish", "finish JOB|NODE:CARD[/PROFILE@SLOT] [task=N]", "Tasks end well.", &read_finish},
    {"crash", "crash JOB|NODE:CARD[/PROFILE@SLOT] [task=N]", "Tasks end by their own fault.",
     &read_crash},
    {"lose", "lose JOB|NODE:CARD[/PROFILE@SLOT] [task=N]",
     "Tasks are gone by no fault of their own: a node, a card.", &read_lose},
    {"executor", "executor automatic|manual",
     "Whether tasks are prepared and given back at once or when the script says so.",
     &read_executor},
    {"prepared", "prepared JOB [task=N]", "Tasks reach the start barrier.", &read_prepared},
    {"fail-prepare", "fail-prepare JOB [task=N] [reason=\"...\"]", "A task cannot be prepared.",
     &read_fail_prepare},
    {"returned", "returned JOB [task=N]", "Revoked tasks give their devices back.", &read_returned},
    {"checkpoint", "checkpoint JOB", "A running job has saved its work.", &read_checkpoint},
    {"suspended", "suspended JOB [task=N]",
     "Tasks that are to be suspended are off their cards, their memory kept on the host.",
     &read_suspended},
    {"fail", "fail node NODE | fail card NODE:CARD", "A node is lost, a card has failed.",
     &read_fail},
    {"restore", "restore node NODE | restore card NODE:CARD", "It is well again.", &read_restore},
    {"drain", "drain NODE", "No new work; what runs goes on.", &read_drain},
    {"cordon", "cordon NODE", "No new work.", &read_cordon},
    {"notice", "notice node NODE in=DURATION",
     "The provider will take the node away; who runs there leaves before.", &read_notice},
    {"fault", "fault card NODE:CARD",
     "The device is gone from the node and nobody but the node knows.", &read_fault},
    {"mend", "mend card NODE:CARD", "The device is back.", &read_mend},
};

}  // namespace

std::span<const Verb> work_verbs() { return kVerbs; }

}  // namespace berth::sim
