// WhatIf: what a list of commands would change, against the same time without them. Both are played
// on copies of one moment (future.h), by the product's own decisions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario/future.h"
#include "sim/scenario/show.h"

namespace berth::sim {

// A command and where it stands: "COMMAND 2", "drain.txt:7".
struct WhatIfCommand {
  std::string where;
  std::string text;
};

// The lines of a text, without comments and blank ones; "NAME:LINE" is where each stands.
std::vector<WhatIfCommand> what_if_commands(const std::string& name, std::string_view text);
// Refuses what cannot be read, and verbs that ask or answer for an executor.
Status check_what_if(std::span<const WhatIfCommand> commands);

// Unless told otherwise, it is played until nothing is on its way any more, at most so long.
inline constexpr DurationMs kQuietWithin = kHourMs;

// One job, without the commands (none: it is submitted by them) and with them.
struct JobChange {
  std::optional<JobFate> before;
  JobFate after;
  Rejections reasons;  // why it waits at the end, with the commands
  std::string eta;     // of a new job that waits then
  Lines texts;         // what is different, the most important first

  // How much later it starts; 0 where it does not start in both.
  DurationMs shift() const {
    if (!before || before->started_at == kNever || after.started_at == kNever) return 0;
    return after.started_at - before->started_at;
  }
};

struct QueueChange {
  std::string name;
  double held_before = 0;  // cards, at the end
  double held_after = 0;
  double fair_before = 0;
  double fair_after = 0;
};

struct Amounts {
  double cards = 0;       // held at the end
  double mean_cards = 0;  // over the time
  std::int64_t waiting = 0;
  std::int64_t suspended = 0;  // for their cards
  double lost_gpu_hours = 0;   // by receipts of the time, as they count it
  std::int64_t interrupted = 0;
  double stopped_gpu_hours = 0;  // work that other stops of the time lost
  std::int64_t stopped = 0;      // jobs
};

struct WhatIf {
  TimeMs at = 0;                // of the question
  DurationMs played = 0;        // advances of the commands included
  double fleet_cards = 0;       // healthy or not, with the commands
  std::vector<JobChange> jobs;  // those with a difference: new ones, those that run less, the rest
  std::int64_t elsewhere = 0;   // start at the same time in another place
  std::vector<QueueChange> queues;
  Amounts before;
  Amounts after;
  std::int64_t guessed_ends = 0;
  bool was_cut_short = false;
};

// `horizon`: how long it is played after the commands; none: until nothing is on its way. An error
// names the command. The moment is left as it is.
Result<WhatIf> what_if(const std::vector<GpuModel>& catalog, const Moment& from,
                       std::span<const WhatIfCommand> commands, std::optional<DurationMs> horizon);

// For people.
Lines what_if_lines(const WhatIf& answer);

}  // namespace berth::sim
