// `berth replay JOURNAL --policy NEW`: what a cluster went through, once more under other policies.
#include "sim/replay/replay.h"

#include <algorithm>
#include <filesystem>

#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/output.h"
#include "cli/play.h"
#include "codec/file.h"
#include "codec/quantity.h"
#include "codec/writer.h"
#include "control/controller.h"
#include "journal/sqlite_journal.h"
#include "sim/recorder.h"
#include "sim/report/format.h"
#include "sim/report/html.h"
#include "sim/report/text_grid.h"

namespace berth::cli {
namespace {

using codec::Document;
using sim::FiguresByTenant;
using sim::Ink;
using sim::TenantFigures;

constexpr const char* kRecordedName = "as recorded";

struct Run {
  std::string name;
  FiguresByTenant figures;
};

double prompt_share(const TenantFigures& of) {
  return of.prompt_of == 0 ? 0 : static_cast<double>(of.prompt) / static_cast<double>(of.prompt_of);
}

double money_of(const TenantFigures& of) { return static_cast<double>(of.cost) / 1e6; }

// A column of the table: what is compared, how it is written, and which way is better.
struct Figure {
  const char* title;
  const char* key;  // in JSON
  double (*value)(const TenantFigures& of);
  std::string (*text)(double value);
  int better;  // -1: less, 1: more, 0: neither
};

std::string hours_text(double hours) { return sim::number_text(hours, 1); }
std::string whole_text(double value) { return sim::count_text(static_cast<std::int64_t>(value)); }
std::string share_text(double share) { return sim::percent_text(share, 1); }
std::string money_text(double money) { return sim::number_text(money, 2); }

const std::vector<Figure>& figures() {
  static const std::vector<Figure> kFigures = {
      {"jobs", "jobs", [](const TenantFigures& f) { return static_cast<double>(f.jobs); },
       whole_text, 0},
      {"wait mean", "wait_mean_ms",
       [](const TenantFigures& f) { return sim::wait_stats(f.waits).mean_ms; }, sim::duration_text,
       -1},
      {"wait p99", "wait_p99_ms",
       [](const TenantFigures& f) { return static_cast<double>(sim::wait_stats(f.waits).p99_ms); },
       sim::duration_text, -1},
      {"evictions", "evictions",
       [](const TenantFigures& f) { return static_cast<double>(f.evictions); }, whole_text, -1},
      {"lost GPU-h", "lost_gpu_hours", [](const TenantFigures& f) { return f.lost_gpu_hours; },
       hours_text, -1},
      {"SLO met", "slo_met", prompt_share, share_text, 1},
      {"GPU-h", "gpu_hours", [](const TenantFigures& f) { return f.gpu_hours; }, hours_text, 0},
      {"cost", "cost", money_of, money_text, 0}};
  return kFigures;
}

std::vector<std::string> tenants_of(const std::vector<Run>& runs) {
  std::vector<std::string> names;
  for (const Run& run : runs) {
    for (const auto& [name, figures] : run.figures) {
      if (figures.jobs == 0) continue;  // a queue above others, or one without work
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

TenantFigures figures_of(const Run& run, const std::string& tenant) {
  const auto found = run.figures.find(tenant);
  return found == run.figures.end() ? TenantFigures{} : found->second;
}

bool is_empty(const Figure& figure, const TenantFigures& of) {
  return figure.value == prompt_share && of.prompt_of == 0;
}

std::vector<sim::TextCell> row_of(const std::string& tenant, const std::string& run,
                                  const TenantFigures& of) {
  std::vector<sim::TextCell> row = {tenant, {run, Ink::kFaint}};
  for (const Figure& figure : figures()) {
    row.emplace_back(is_empty(figure, of) ? "-" : figure.text(figure.value(of)));
  }
  return row;
}

std::vector<sim::TextCell> difference_row(const TenantFigures& of, const TenantFigures& to) {
  std::vector<sim::TextCell> row = {sim::TextCell(), {"difference", Ink::kFaint}};
  for (const Figure& figure : figures()) {
    const double change = figure.value(to) - figure.value(of);
    const std::string text = figure.text(change < 0 ? -change : change);
    const bool is_none = figure.text(0) == text;
    const bool is_good = change * figure.better > 0;
    const Ink ink = is_none || figure.better == 0 ? Ink::kFaint : is_good ? Ink::kGood : Ink::kBad;
    row.emplace_back(is_none ? "=" : sim::signed_text(change, text), ink);
  }
  return row;
}

// For each tenant a row for each run; the last line is the last policy against the first played.
std::string table_of(const std::vector<Run>& runs, sim::Colours colours) {
  sim::TextGrid grid;
  std::vector<sim::TextCell> head = {{"tenant", Ink::kStrong}, {"policy", Ink::kStrong}};
  for (const Figure& figure : figures()) head.emplace_back(figure.title, Ink::kStrong);
  grid.add(std::move(head));
  for (const std::string& tenant : tenants_of(runs)) {
    for (const Run& run : runs) {
      const bool is_first = &run == &runs.front();
      grid.add(row_of(is_first ? tenant : "", run.name, figures_of(run, tenant)));
    }
    grid.add(difference_row(figures_of(runs[1], tenant), figures_of(runs.back(), tenant)));
  }
  return grid.to_text(colours);
}

Document document_of(const std::vector<Run>& runs) {
  Document all = Document::list();
  for (const std::string& tenant : tenants_of(runs)) {
    for (const Run& run : runs) {
      Document row = Document::map();
      row.add("tenant", Document::string(tenant));
      row.add("policy", Document::string(run.name));
      const TenantFigures of = figures_of(run, tenant);
      for (const Figure& figure : figures()) {
        row.add(figure.key,
                is_empty(figure, of) ? Document() : codec::number_document(figure.value(of)));
      }
      all.append(std::move(row));
    }
  }
  return all;
}

Result<engine::ClusterState> state_before(const journal::SqliteJournal& journal) {
  const auto snapshot = journal.oldest();
  if (!snapshot) return tl::unexpected(snapshot.error());
  if (!*snapshot) return engine::ClusterState();
  return control::Controller::state_of(**snapshot);
}

Result<sim::Recorded> read_journal(const std::string& path, DurationMs objective_ms) {
  if (!std::filesystem::is_regular_file(path)) {
    return fail(ErrorCode::kNotFound, path + " is no file; the journal of a server is one",
                "JOURNAL");
  }
  const auto journal = journal::SqliteJournal::open_to_read(path);
  if (!journal) return tl::unexpected(journal.error());
  auto from = state_before(**journal);
  if (!from) return tl::unexpected(from.error());
  auto recorded = sim::read_recorded(**journal, std::move(*from), objective_ms);
  if (!recorded) recorded.error().message = path + ": " + recorded.error().message;
  return recorded;
}

void say_what(const sim::Recorded& recorded, Console& console) {
  console.note(sim::count_text(static_cast<std::int64_t>(recorded.load.jobs())) + " jobs in " +
               sim::duration_text(static_cast<double>(recorded.load.duration(recorded.end))) +
               " on " + sim::count_text(static_cast<std::int64_t>(recorded.end.nodes().size())) +
               " nodes");
  if (recorded.load.withdrawn() > 0) {
    console.note(sim::count_text(recorded.load.withdrawn()) +
                 " more were withdrawn before they started; they are left out");
  }
  if (recorded.load.node_changes() > 0) {
    console.note("nodes came, went or changed " + sim::count_text(recorded.load.node_changes()) +
                 " times; the replay has those of the end throughout");
  }
}

Result<std::vector<PolicySpec>> policies_of(const Arguments& arguments, const PolicySpec& now) {
  const auto places = find_places();
  if (!places) return tl::unexpected(places.error());
  std::vector<PolicySpec> policies = {now};
  for (const std::string& name : arguments.values("--policy")) {
    auto policy = sim::load_policy(name, *places);
    if (!policy) return tl::unexpected(policy.error());
    if (policy->name == now.name) policy->name += " (new)";
    policies.push_back(std::move(*policy));
  }
  return policies;
}

sim::ProgressSink progress_of(const std::string& policy, Console& console) {
  return [policy, &console, last = std::int64_t{-1}](const sim::Progress& at) mutable {
    const std::int64_t percent = at.duration_ms > 0 ? at.at * 100 / at.duration_ms : 0;
    if (percent == last) return;
    last = percent;
    console.progress(policy + "  " + std::to_string(percent) + " %  " +
                     sim::count_text(static_cast<std::int64_t>(at.submitted)) + " jobs");
  };
}

int write_outcome(const std::vector<Run>& runs, const std::vector<sim::RunResult>& results,
                  const Arguments& arguments, Console& console) {
  if (arguments.value_or("--output", "table") == "json") {
    console.out() << codec::write_json(document_of(runs));
  } else {
    const auto colours = console.out_has_colours() ? sim::Colours::kAnsi : sim::Colours::kOff;
    console.out() << table_of(runs, colours);
  }
  const auto path = arguments.value("--report");
  if (!path) return kDone;
  if (auto s = codec::write_file(*path, sim::html_report(results)); !s) {
    return report(console, s.error());
  }
  console.note("report: " + *path);
  return kDone;
}

int run(const Arguments& arguments, Console& console) {
  if (auto s = check_outputs(arguments); !s) return report(console, s.error());
  const auto objective = duration_of(arguments.value_or("--slo", "1m"));
  if (!objective) return report(console, objective.error());
  if (*objective <= 0) return wrong_value(console, "--slo", "must be more than 0, such as 1m");
  const auto recorded = read_journal(arguments.value_or("JOURNAL", ""), *objective);
  if (!recorded) return report(console, recorded.error());
  const auto policies = policies_of(arguments, *recorded->end.policies().everywhere());
  if (!policies) return report(console, policies.error());
  say_what(*recorded, console);
  std::vector<Run> runs = {{kRecordedName, recorded->figures}};
  std::vector<sim::RunResult> results;
  for (const PolicySpec& policy : *policies) {
    auto played =
        sim::play_recorded(*recorded, policy, *objective, progress_of(policy.name, console));
    console.end_progress();
    if (!played) return report(console, played.error());
    runs.push_back({played->policy, std::move(played->figures)});
    results.push_back(std::move(played->result));
  }
  return write_outcome(runs, results, arguments, console);
}

}  // namespace

CommandSpec replay_command() {
  CommandSpec spec;
  spec.name = "replay";
  spec.text = "Plays what a journal recorded under other policies, and compares the tenants.";
  spec.arguments = {
      {"JOURNAL", "A server's SQLite file, or a backup of it", ArgumentSpec::Count::kOne, {}}};
  spec.options = {
      {"--policy",
       "NEW",
       "Name or file of a policy; several times",
       {},
       {},
       {},
       OptionSpec::Times::kMany},
      {"--slo", "TIME", "Wait within which inference and interactive jobs should start", "1m", {}},
      {"--output", "FORMAT", "How it is written", "table", {"table", "json"}},
      report_option()};
  spec.run = run;
  return spec;
}

}  // namespace berth::cli
