// Step 2 of the cycle: which lines take part. Those of asks for which there is room and that the
// quota does not refuse; whoever has no part in the order decides nothing, so that it is the same
// whether that was remembered or found out now.
#include <algorithm>

#include "engine/cycle/cycle.h"
#include "engine/placement/filters.h"

namespace berth::engine {
namespace {

// One task that may go wherever it fits: whether there is room is a question to single nodes.
bool is_lone(const Ask& ask) {
  return ask.is_single() && ask.roles.size() == 1 && !ask.roles.front().optional &&
         ask.roles.front().rules.empty() && ask.domain_resources.empty();
}

}  // namespace

void Cycle::line_up(QueueOrder& order) {
  for (const JobId id : state_.pending().short_jobs()) {
    const JobRecord& job = *state_.find_job(id);
    const auto turn = pool_.holds(state_, job) ? turn_of_short(job) : std::nullopt;
    if (!turn) continue;
    order.add(*turn);
    has_short_ = true;
  }
  std::vector<AskIndex> roomy;
  for (const AskIndex ask : state_.pending().asks()) {
    if (!pool_.holds(state_, state_.asks().at(ask))) continue;
    if (!tries_all_ && !has_room(ask)) continue;
    roomy.push_back(ask);
    if (may_be_admitted(ask)) live_.push_back(ask);
  }
  if (live_.empty() && !has_short_) return;
  is_live_.assign(state_.asks().size(), false);
  seen_at_.assign(state_.asks().size(), 0);
  for (const AskIndex ask : roomy) {
    is_live_[ask.value()] = true;
    for (const SpecIndex spec : state_.pending().of_ask(ask)) {
      order.open(state_.pending().line(spec));
      ++engine_.effort_.lines;
    }
  }
}

// The job of the line that comes after so many others of it: the oldest first, or who has had the
// least service.
JobId Cycle::job_at(SpecIndex spec, std::size_t place) {
  const PendingLine& line = state_.pending().line(spec);
  const bool by_age =
      line.served == 0 || order_inside(state_, line.queue) != berth::QueueOrder::kAttainedService;
  if (by_age) return line.jobs[place];
  if (const auto* known = by_service_.find(spec)) return (*known)[place];
  std::vector<JobId> jobs(line.jobs.begin(), line.jobs.end());
  std::stable_sort(jobs.begin(), jobs.end(), [&](JobId a, JobId b) {
    return attained_level(state_, a, now_) < attained_level(state_, b, now_);
  });
  by_service_.insert(spec, std::move(jobs));
  return (*by_service_.find(spec))[place];
}

// Whether it is not known of each of its lines that the quota refuses it.
bool Cycle::may_be_admitted(AskIndex ask) {
  const auto lines = state_.pending().of_ask(ask);
  return std::any_of(lines.begin(), lines.end(), [&](SpecIndex spec) { return !is_refused(spec); });
}

// Known to be; a job that waits for what it was promised has been admitted.
bool Cycle::is_refused(SpecIndex line) {
  return engine_.refusals_.holds(state_, line) &&
         state_.find_job(job_at(line, 0))->receipt.is_none();
}

// Whether a job of the ask fits as things stand, whatever the quota says.
bool Cycle::has_room(AskIndex ask) {
  if (is_lone(state_.asks().at(ask))) return fits_somewhere(ask);
  if (engine_.memory_.is_hopeless(state_, ask)) return false;
  return has_room(first_of(ask));
}

// The same for a single task that may go anywhere: mostly one look at a node.
bool Cycle::fits_somewhere(AskIndex ask) {
  RoomMemory& memory = engine_.memory_;
  if (memory.is_hopeless(state_, ask)) return false;
  if (memory.has_place(state_, ask)) return true;
  ++engine_.effort_.searches;
  const auto found = engine_.placer_.find(state_, state_.asks().at(ask).roles.front().shape);
  if (found) {
    memory.note_place(state_, ask, found->node);
  } else {
    memory.note_failure(state_, ask);
  }
  return found.has_value();
}

const JobRecord& Cycle::first_of(AskIndex ask) const {
  const SpecIndex spec = state_.pending().of_ask(ask).front();
  return *state_.find_job(state_.pending().line(spec).jobs.front());
}

// Room only shrinks while the cycle goes on.
bool Cycle::is_live(AskIndex ask) {
  if (!is_live_[ask.value()]) return false;
  const std::uint64_t now = state_.node_log().end();
  if (tries_all_ || seen_at_[ask.value()] == now) return true;
  const bool lone = is_lone(state_.asks().at(ask));
  const bool gone = lone ? !fits_somewhere(ask) : engine_.memory_.is_hopeless(state_, ask);
  if (gone) is_live_[ask.value()] = false;
  seen_at_[ask.value()] = now;
  return !gone;
}

// Nothing that waits can be placed any more: then the order need not be gone through to its end.
bool Cycle::is_exhausted() {
  if (has_short_ || tries_all_ || !grouped_.empty()) return false;
  while (!live_.empty() && !is_live(live_.back())) live_.pop_back();
  return live_.empty();
}

std::vector<Turn> Cycle::turns_of(QueueIndex queue) {
  std::vector<Turn> turns;
  for (const SpecIndex spec : state_.pending().of_queue(queue)) {
    const PendingLine& line = state_.pending().line(spec);
    if (!is_live_[line.ask.value()] || is_refused(spec)) continue;
    turns.push_back({line_key(state_, spec, job_at(spec, 0), now_), spec});
  }
  return turns;
}

bool Cycle::in_play(const Turn& turn) {
  const JobRecord& job = *state_.find_job(turn.key.head);
  if (job.phase != JobPhase::kPending) return true;
  const SpecRecord& spec = state_.spec_of(job);
  if (!spec.spec->group.empty() && !job.formed) return true;  // it stands for all of its group
  if (!is_live(spec.ask)) return false;
  if (!job.receipt.is_none()) return true;
  if (!spec.spec->is_protected && state_.quota().is_unlimited(spec.home.queue)) return true;
  if (!admit(job, least_tasks(state_.ask_of(job)))) return true;
  if (admission_.refusal->rule == Rule::kLendingReserve) return true;  // it may claim room
  if (may_take_inside(job)) return true;
  engine_.refusals_.note(state_, turn.spec, admission_);
  return false;
}

}  // namespace berth::engine
