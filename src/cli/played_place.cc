#include "cli/played_place.h"

#include <utility>

#include "cli/environment.h"
#include "cli/output.h"
#include "cli/play.h"
#include "cli/remote/asking.h"
#include "cli/sim_commands.h"
#include "codec/file.h"
#include "codec/gpu_model_codec.h"
#include "codec/writer.h"
#include "control/learner.h"
#include "journal/memory_journal.h"
#include "sim/load.h"
#include "sim/scenario/script.h"
#include "sim/scenario/session.h"
#include "sim/simulation.h"

namespace berth::cli {
namespace {

using Seen = std::function<Result<bool>(const std::string& job)>;

// `Place`: what answers why, eta and fixes, and has a state and a time.
template <typename Place>
Result<server::Told> ask_there(Place& place, const Seen& has_seen,
                               const std::vector<GpuModel>& catalog, const sim::Moment& moment,
                               const Ask& ask) {
  return ask({place.state(), place.now(), [&](JobId job) { return place.why(job); },
              [&](JobId job) { return place.eta(job); },
              [&](JobId job) { return place.fixes(job); }, has_seen, catalog, moment});
}

Result<bool> was_submitted(const journal::MemoryJournal& journal, const std::string& job) {
  bool seen = false;
  const Status read = journal.replay(0, [&](const EventBatch& events) -> Status {
    for (const Event& event : events) {
      const auto* submitted = std::get_if<JobSubmitted>(&event.body);
      seen = seen || (submitted != nullptr && submitted->name == job);
    }
    return {};
  });
  if (!read) return tl::unexpected(read.error());
  return seen;
}

// Plays the commands of a scenario; the transcripts that it expects are not looked at.
Result<server::Told> in_scenario(const std::string& path, const sim::Places& places,
                                 const Ask& ask) {
  const auto catalog = codec::load_gpu_catalog(places.data + "/gpus");
  if (!catalog) return tl::unexpected(catalog.error().to_error());
  const auto in_file = [&](Error error, int line) {
    const std::string at = line > 0 ? ":" + std::to_string(line) : "";
    error.message = path + at + ": " + error.message;
    error.line = 0;  // it is told beside the file
    return tl::unexpected(std::move(error));
  };
  const auto text = codec::read_file(path);
  if (!text) return in_file(text.error(), 0);
  const auto script = sim::parse_script(*text);
  if (!script) return in_file(script.error(), script.error().line);
  sim::Session session(*catalog);
  for (const sim::ScriptBlock& block : script->blocks) {
    for (const sim::ScriptCommand& command : block.commands) {
      if (auto s = session.run_line(command.text); !s) return in_file(s.error(), command.line);
    }
  }
  const Seen has_seen = [&](const std::string& job) -> Result<bool> {
    return session.has_seen(job);
  };
  return ask_there(session, has_seen, *catalog, session.moment(), ask);
}

Result<server::Told> in_simulation(const std::string& path, const Arguments& arguments,
                                   const sim::Places& places, const Ask& ask) {
  auto overrides = play_overrides(arguments);
  if (!overrides) return tl::unexpected(overrides.error());
  const auto catalog = codec::load_gpu_catalog(places.data + "/gpus");
  if (!catalog) return tl::unexpected(catalog.error().to_error());
  auto loaded = sim::load_simulation(path, places, *overrides);
  if (!loaded) return tl::unexpected(loaded.error());
  const control::FastPath fast_path = loaded->input.settings.planner.fast_path;
  journal::MemoryJournal journal;
  control::FitLearner learner;
  sim::Simulation simulation(std::move(loaded->input), {journal, learner});
  if (auto s = simulation.begin(); !s) return tl::unexpected(s.error());
  if (auto s = simulation.run({}); !s) return tl::unexpected(s.error());
  const Seen has_seen = [&](const std::string& job) { return was_submitted(journal, job); };
  const sim::Moment moment{simulation.state(), simulation.now(), learner, fast_path, nullptr};
  return ask_there(simulation, has_seen, *catalog, moment, ask);
}

}  // namespace

int ask_place(const Arguments& arguments, Console& console, const Request& request,
              const Ask& ask) {
  const auto scenario = arguments.value("--scn");
  const auto simulation = arguments.value("--sim");
  if (!scenario && !simulation) {
    return ask_server(arguments, console, [&](Client& client) -> Status {
      const auto told = client.send(request);
      if (!told) return tl::unexpected(told.error());
      print_told(*told, arguments, console);
      return {};
    });
  }
  const auto places = find_places();
  if (!places) return report(console, places.error());
  if (scenario && simulation) {
    return wrong_value(console, "--scn", "is given, and --sim too; one of them is accepted");
  }
  if (scenario) {
    if (auto s = check_unplayed(arguments, "--sim only; a scenario is played up to its end"); !s) {
      return report(console, s.error());
    }
  }
  const Result<server::Told> told = scenario ? in_scenario(*scenario, *places, ask)
                                             : in_simulation(*simulation, arguments, *places, ask);
  if (!told) return report(console, told.error());
  const bool as_json = arguments.value_or("--output", "text") == "json";
  console.out() << (as_json ? codec::write_json(told->document) : told->text);
  return kDone;
}

std::vector<OptionSpec> place_options() {
  std::vector<OptionSpec> options = {
      {"--scn", "FILE", "Asks a scenario that is played up to its end", "the server", {}},
      {"--sim", "FILE", "Asks a simulation that is played up to --until", "the server", {}}};
  for (OptionSpec& option : play_options()) options.push_back(std::move(option));
  options.push_back({"--output", "FORMAT", "How to print it", "text", {"text", "json"}});
  options.back().letter = "-o";
  return server_options(std::move(options));
}

}  // namespace berth::cli
