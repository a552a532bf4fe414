// The answer to a what-if as lines of text.
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "sim/report/format.h"
#include "sim/scenario/what_if.h"
#include "sim/scenario/wording.h"

namespace berth::sim {
namespace {

constexpr std::size_t kMostJobs = 30;  // told one by one; programs get all

std::string cards_text(double cards) { return number_text(cards, 1); }

// "12 -> 16"; one number where nothing changes.
std::string change_text(const std::string& before, const std::string& after) {
  return before == after ? before : before + " -> " + after;
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, text.size()) + 2, ' ');
}

// "12 jobs start earlier, 3 min 20 s on average"
void add_shifts(const WhatIf& answer, int sign, Lines& lines) {
  std::int64_t jobs = 0;
  DurationMs sum = 0;
  for (const JobChange& change : answer.jobs) {
    const DurationMs shift = sign * change.shift();
    if (shift <= 0) continue;
    ++jobs;
    sum += shift;
  }
  if (jobs < 2) return;
  lines.push_back(std::to_string(jobs) + " jobs start " + (sign > 0 ? "later, " : "earlier, ") +
                  duration_text(static_cast<double>(sum / jobs)) + " on average");
}

void add_jobs(const WhatIf& answer, Lines& lines) {
  const std::size_t shown = std::min(kMostJobs, answer.jobs.size());
  const std::span<const JobChange> jobs(answer.jobs.data(), shown);
  std::size_t width = 0;
  for (const JobChange& change : jobs) width = std::max(width, change.after.name.size());
  for (const JobChange& change : jobs) {
    std::string name = change.after.name;
    for (const std::string& text : change.texts) {
      lines.push_back("  " + padded(name, width) + text);
      name.clear();
    }
  }
  if (answer.jobs.empty()) lines.emplace_back("  no job fares differently");
  if (shown < answer.jobs.size()) {
    lines.push_back("  and " + std::to_string(answer.jobs.size() - shown) + " more");
  }
  if (answer.elsewhere == 0) return;
  lines.push_back("  " + std::to_string(answer.elsewhere) +
                  (answer.elsewhere == 1 ? " job starts" : " jobs start") +
                  " at the same time in another place");
}

// "taken back from 0 -> 1 job, lost 0.00 -> 0.12 GPU-hours", of jobs and hours before and after.
void add_lost(const std::string& what, std::pair<std::int64_t, std::int64_t> jobs,
              std::pair<double, double> hours, Lines& lines) {
  if (jobs.first + jobs.second == 0) return;
  lines.push_back(what + change_text(std::to_string(jobs.first), std::to_string(jobs.second)) +
                  (jobs.second == 1 ? " job" : " jobs") + ", lost " +
                  change_text(number_text(hours.first, 2), number_text(hours.second, 2)) +
                  " GPU-hours");
}

void add_amounts(const WhatIf& answer, Lines& lines) {
  const Amounts& before = answer.before;
  const Amounts& after = answer.after;
  lines.push_back(
      "cards allocated: " + change_text(cards_text(before.cards), cards_text(after.cards)) +
      " of " + cards_text(answer.fleet_cards) + ", mean " +
      change_text(cards_text(before.mean_cards), cards_text(after.mean_cards)));
  lines.push_back("jobs waiting: " +
                  change_text(std::to_string(before.waiting), std::to_string(after.waiting)));
  if (before.suspended + after.suspended > 0) {
    lines.push_back("jobs suspended: " +
                    change_text(std::to_string(before.suspended), std::to_string(after.suspended)));
  }
  add_lost("taken back from ", {before.interrupted, after.interrupted},
           {before.lost_gpu_hours, after.lost_gpu_hours}, lines);
  add_lost("otherwise stopped ", {before.stopped, after.stopped},
           {before.stopped_gpu_hours, after.stopped_gpu_hours}, lines);
}

// Only those whose cards or share change.
void add_queues(const WhatIf& answer, Lines& lines) {
  for (const QueueChange& queue : answer.queues) {
    const std::string held =
        change_text(cards_text(queue.held_before), cards_text(queue.held_after));
    const std::string fair =
        change_text(cards_text(queue.fair_before), cards_text(queue.fair_after));
    if (held.find('>') == std::string::npos && fair.find('>') == std::string::npos) continue;
    lines.push_back("queue " + queue.name + ": holds " + held + ", fair share " + fair);
  }
}

constexpr TimeMs kSimulatedTimes = 20LL * 365 * 24 * kHourMs;

}  // namespace

Lines what_if_lines(const WhatIf& answer) {
  // A time of the wall clock says nothing as a duration.
  const std::string at = answer.at < kSimulatedTimes ? "at " + duration_text(answer.at) + ", " : "";
  Lines lines = {"what if, " + at + "played " + duration_text(answer.played) + " ahead:"};
  add_jobs(answer, lines);
  add_shifts(answer, -1, lines);
  add_shifts(answer, 1, lines);
  add_amounts(answer, lines);
  add_queues(answer, lines);
  if (answer.guessed_ends > 0) {
    lines.push_back(std::to_string(answer.guessed_ends) +
                    (answer.guessed_ends == 1 ? " end is" : " ends are") +
                    " a guess: how long such jobs run is not known");
  }
  if (answer.was_cut_short) lines.emplace_back("too much happens: it was not played to the end");
  return lines;
}

}  // namespace berth::sim
