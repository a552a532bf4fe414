// `berth why JOB --scn FILE`: why a job waits, when it could start, and what would let it start
// now.
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/output.h"
#include "cli/play.h"
#include "cli/sim_commands.h"
#include "codec/file.h"
#include "codec/gpu_model_codec.h"
#include "control/learner.h"
#include "journal/memory_journal.h"
#include "sim/load.h"
#include "sim/scenario/script.h"
#include "sim/scenario/session.h"
#include "sim/scenario/show.h"
#include "sim/simulation.h"

namespace berth::cli {
namespace {

// What there is to say of one job.
struct Answer {
  std::string job;
  std::string phase;
  std::vector<std::string> reasons;  // the primary one first
  std::string eta;
  std::vector<std::string> fixes;
};

template <typename Place>  // what answers why, eta and fixes, and has a state and a time
Result<Answer> ask(Place& place, const std::string& name) {
  const engine::JobRecord* job = place.state().find_job(name);
  if (job == nullptr) {
    return fail(ErrorCode::kNotFound, "'" + name + "' is not a job that waits or runs there",
                "JOB");
  }
  Answer answer{name, std::string(word(job->phase)), {}, {}, {}};
  for (const Rejection& reason : place.why(job->id)) answer.reasons.push_back(reason.to_text());
  if (job->phase != JobPhase::kPending) return answer;
  answer.eta = sim::eta_text(place.state(), name, place.eta(job->id), place.now());
  for (const engine::Fix& fix : place.fixes(job->id)) answer.fixes.push_back(fix.text);
  return answer;
}

void print(const Answer& answer, Console& console) {
  console.out() << answer.job << " is " << answer.phase << "\n";
  for (std::size_t i = 0; i < answer.reasons.size(); ++i) {
    console.out() << (i == 0 ? "  because: " : "  also:    ") << answer.reasons[i] << "\n";
  }
  if (answer.phase != word(JobPhase::kPending)) return;
  console.out() << "  eta:     " << answer.eta << "\n";
  for (const std::string& fix : answer.fixes) {
    console.out() << "  fix:     " << fix << "\n";
  }
  if (answer.fixes.empty()) console.out() << "  fix:     no single change lets it start now\n";
}

void print_json(const Answer& answer, Console& console) {
  const nlohmann::ordered_json json = {{"job", answer.job},
                                       {"phase", answer.phase},
                                       {"reasons", answer.reasons},
                                       {"eta", answer.eta},
                                       {"fixes", answer.fixes}};
  console.out() << json.dump(2) << "\n";
}

// Plays the commands of a scenario; the transcripts that it expects are not looked at.
Result<Answer> ask_scenario(const std::string& path, const std::string& job,
                            const sim::Places& places) {
  const auto catalog = codec::load_gpu_catalog(places.data + "/gpus");
  if (!catalog) return tl::unexpected(catalog.error().to_error());
  const auto in_file = [&](Error error) {
    error.message = path + ": " + error.message;
    return tl::unexpected(std::move(error));
  };
  const auto text = codec::read_file(path);
  if (!text) return in_file(text.error());
  const auto script = sim::parse_script(*text);
  if (!script) return in_file(script.error());
  sim::Session session(*catalog);
  for (const sim::ScriptBlock& block : script->blocks) {
    for (const sim::ScriptCommand& command : block.commands) {
      if (auto s = session.run_line(command.text); !s) {
        Error error = s.error();
        error.message = path + ":" + std::to_string(command.line) + ": " + error.message;
        return tl::unexpected(std::move(error));
      }
    }
  }
  return ask(session, job);
}

Result<Answer> ask_simulation(const std::string& path, const Arguments& arguments,
                              const std::string& job, const sim::Places& places) {
  auto overrides = play_overrides(arguments);
  if (!overrides) return tl::unexpected(overrides.error());
  auto loaded = sim::load_simulation(path, places, *overrides);
  if (!loaded) return tl::unexpected(loaded.error());
  journal::MemoryJournal journal;
  control::FitLearner learner;
  sim::Simulation simulation(std::move(loaded->input), {journal, learner});
  if (auto s = simulation.begin(); !s) return tl::unexpected(s.error());
  if (auto s = simulation.run({}); !s) return tl::unexpected(s.error());
  return ask(simulation, job);
}

int run(const Arguments& arguments, Console& console) {
  const auto places = find_places();
  if (!places) return report(console, places.error());
  const std::string job = *arguments.value("JOB");
  const auto scenario = arguments.value("--scn");
  const auto simulation = arguments.value("--sim");
  if (scenario.has_value() == simulation.has_value()) {
    return wrong_value(console, "--scn",
                       "one of --scn FILE and --sim FILE is needed: where the job waits");
  }
  const auto answer = scenario ? ask_scenario(*scenario, job, *places)
                               : ask_simulation(*simulation, arguments, job, *places);
  if (!answer) return report(console, answer.error());
  if (arguments.value_or("--output", "text") == "json") {
    print_json(*answer, console);
  } else {
    print(*answer, console);
  }
  return kDone;
}

}  // namespace

CommandSpec why_command() {
  CommandSpec spec;
  spec.name = "why";
  spec.text = "Why a job waits, when it could start, and the smallest changes that would start it.";
  spec.arguments = {{"JOB", "Name of the job", ArgumentSpec::Count::kOne, {}}};
  spec.options = {{"--scn", "FILE", "Scenario that is played up to its end", {}, {}},
                  {"--sim", "FILE", "Simulation that is played up to --until", {}, {}}};
  for (OptionSpec& option : play_options()) spec.options.push_back(std::move(option));
  spec.options.push_back({"--output", "FORMAT", "How to print it", "text", {"text", "json"}});
  spec.run = run;
  return spec;
}

}  // namespace berth::cli
