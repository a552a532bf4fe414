#include "cli/play.h"

#include <charconv>
#include <chrono>
#include <cstdio>

#include "codec/file.h"
#include "codec/quantity.h"
#include "control/learner.h"
#include "journal/memory_journal.h"
#include "model/rejection.h"
#include "sim/simulation.h"

namespace berth::cli {
namespace {

using WallClock = std::chrono::steady_clock;

double seconds_since(WallClock::time_point start) {
  return std::chrono::duration<double>(WallClock::now() - start).count();
}

// "berth  41 %  09:50  12,345 jobs, 67 waiting"
std::string progress_line(const std::string& policy, const sim::Progress& progress) {
  const auto minutes = static_cast<long long>(progress.at / kMinuteMs);
  std::string part;
  if (progress.duration_ms > 0) {
    part = std::to_string(progress.at * 100 / progress.duration_ms) + " %  ";
  }
  char clock[32];
  std::snprintf(clock, sizeof clock, "%lldd %02lld:%02lld", minutes / 1440, minutes / 60 % 24,
                minutes % 60);
  return policy + "  " + part + clock + "  " +
         grouped(static_cast<std::int64_t>(progress.submitted)) + " jobs, " +
         grouped(static_cast<std::int64_t>(progress.waiting)) + " waiting";
}

void note_skipped(const sim::SkippedRows& skipped, Console& console) {
  if (skipped.count == 0) return;
  console.note("skipped " + std::to_string(skipped.count) + " bad rows; the first:");
  for (const std::string& complaint : skipped.complaints) console.note("  " + complaint);
}

}  // namespace

Result<sim::RunResult> play(const Play& what, const sim::Places& places, Console& console) {
  auto loaded = sim::load_simulation(what.path, places, what.overrides);
  if (!loaded) return tl::unexpected(loaded.error());
  note_skipped(loaded->skipped, console);
  const std::string policy = loaded->input.policy.name;
  journal::MemoryJournal journal;
  control::FitLearner learner;
  const auto start = WallClock::now();
  sim::Simulation simulation(std::move(loaded->input), {journal, learner});
  if (auto s = simulation.begin(); !s) {
    Error error = s.error();
    error.message = what.path + ": " + error.to_text();
    error.field.clear();
    return tl::unexpected(std::move(error));
  }
  auto shown = start;
  const auto show = [&](const sim::Progress& progress) {
    if (seconds_since(shown) < 0.1) return;
    shown = WallClock::now();
    console.progress(progress_line(policy, progress));
  };
  if (auto s = simulation.run(show); !s) return tl::unexpected(s.error());
  console.end_progress();
  sim::RunResult result = simulation.result();
  result.wall_s = seconds_since(start);
  if (what.journal_path) {
    if (auto s = codec::write_file(*what.journal_path, journal.bytes()); !s) {
      return tl::unexpected(s.error());
    }
  }
  return result;
}

Result<DurationMs> duration_of(const std::string& text) {
  auto duration = codec::parse_duration(codec::Document::string(text));
  if (duration) return duration;
  return invalid("is '" + text + "'; " + duration.error().message + " is accepted");
}

Result<std::uint64_t> seed_of(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (code == std::errc() && end == text.data() + text.size()) return seed;
  return invalid("is '" + text + "'; a whole number from 0 is accepted");
}

}  // namespace berth::cli
