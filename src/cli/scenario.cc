// `berth scenario run PATH...`
#include <algorithm>
#include <filesystem>

#include "cli/commands.h"
#include "cli/environment.h"
#include "codec/file.h"
#include "codec/gpu_model_codec.h"
#include "sim/scenario/runner.h"
#include "sim/scenario/verbs.h"

namespace berth::cli {
namespace {

namespace fs = std::filesystem;

// Files as they are named; of a folder all *.scn below it, sorted.
Result<std::vector<std::string>> scenario_files(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code failed;
    if (!fs::is_directory(path, failed)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(path, failed)) {
      if (entry.path().extension() == ".scn") found.push_back(entry.path().string());
    }
    if (failed || found.empty()) {
      return fail(ErrorCode::kNotFound, "'" + path + "' holds no .scn file");
    }
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

class Runner {
 public:
  Runner(const sim::ScenarioSetting& setting, const Arguments& arguments, Console& console)
      : setting_(setting), console_(console), updates_(arguments.has("--update")) {}

  void run(const std::string& path) {
    const auto text = codec::read_file(path);
    if (!text) return unusable(path + ": " + text.error().to_text());
    const auto outcome = sim::run_scenario(*text, path, setting_);
    if (!outcome) return unusable(outcome.error().to_text());
    if (!outcome->broken.empty()) {
      console_.out() << (outcome->matches ? "" : path + ":\n" + outcome->diff);
      return failed(path, outcome->broken);
    }
    if (outcome->matches) {
      ++passed_;
      return;
    }
    if (updates_) return update(path, outcome->updated);
    console_.out() << path << ":\n" << outcome->diff;
    ++failed_;
  }

  int finish() const {
    console_.out() << passed_ << " of " << passed_ + failed_ << " scenarios passed";
    if (updated_ > 0) console_.out() << ", " << updated_ << " of them rewritten";
    console_.out() << '\n';
    if (unusable_ > 0) return kUsage;
    return failed_ == 0 ? kDone : kDiffers;
  }

 private:
  // A file that cannot be run at all; the error names it.
  void unusable(const std::string& error) {
    ++failed_;
    ++unusable_;
    console_.error(error);
  }

  void failed(const std::string& path, const std::string& why) {
    ++failed_;
    console_.error(path + ": " + why);
  }

  void update(const std::string& path, const std::string& text) {
    if (sim::refuses_update(fs::path(path).filename().string())) {
      return failed(path, "differs; files named case-* say what must hold and are not rewritten");
    }
    if (auto s = codec::write_file(path, text); !s) return failed(path, s.error().to_text());
    ++passed_;
    ++updated_;
  }

  const sim::ScenarioSetting& setting_;
  Console& console_;
  bool updates_;
  std::size_t passed_ = 0;
  std::size_t failed_ = 0;
  std::size_t unusable_ = 0;  // of the failed ones
  std::size_t updated_ = 0;
};

int run(const Arguments& arguments, Console& console) {
  const auto places = find_places();
  if (!places) return report(console, places.error());
  auto catalog = codec::load_gpu_catalog(places->data + "/gpus");
  if (!catalog) return report(console, catalog.error().to_error());
  const auto files = scenario_files(arguments.values("PATH"));
  if (!files) return report(console, files.error());
  sim::ScenarioSetting setting;
  setting.catalog = std::move(*catalog);
  Runner runner(setting, arguments, console);
  for (const std::string& file : *files) runner.run(file);
  return runner.finish();
}

// The commands of a scenario, or what is to be known of one.
int run_verbs(const Arguments& arguments, Console& console) {
  const auto name = arguments.value("VERB");
  for (const sim::Verb& verb : sim::all_verbs()) {
    if (name && *name != verb.name) continue;
    console.out() << (name ? "" : "  ") << verb.usage << "\n      " << verb.text << "\n";
  }
  if (!name) console.out() << "\nWhat a line means, and the answers: docs/scenarios.md\n";
  return kDone;
}

CommandSpec verbs_command() {
  CommandSpec spec;
  spec.name = "verbs";
  spec.text = "Lists the commands that a scenario may hold, or shows one.";
  std::vector<std::string> names;
  for (const sim::Verb& verb : sim::all_verbs()) names.emplace_back(verb.name);
  spec.arguments = {{"VERB", "One of them", ArgumentSpec::Count::kOptional, std::move(names)}};
  spec.run = run_verbs;
  return spec;
}

}  // namespace

CommandSpec scenario_command() {
  CommandSpec run_spec;
  run_spec.name = "run";
  run_spec.text = "Runs scenarios and shows where the answers differ from the expected ones.";
  run_spec.arguments = {
      {"PATH", "Scenario files, or folders of them", ArgumentSpec::Count::kMany, {}}};
  run_spec.options = {{"--update", "", "Write what happens now as the expectation", {}, {}}};
  run_spec.run = run;
  CommandSpec spec;
  spec.name = "scenario";
  spec.text = "Scripts of commands with the answers that must come.";
  spec.subcommands = {run_spec, verbs_command()};
  return spec;
}

}  // namespace berth::cli
