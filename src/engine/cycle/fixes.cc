#include "engine/cycle/fixes.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "engine/cycle/fix_search.h"
#include "engine/decide_trials.h"
#include "engine/reclaim/units.h"
#include "engine/reserve/end_book.h"

namespace berth::engine {
namespace {

// THE table. Kinds that need few trials come first, so that they have them; fixes that are equally
// small are offered in this order: a job that is resized keeps its place, one with another spec
// does not.
constexpr std::array kFixKinds = {
    &release_the_job,      &relax_rules,        &loosen_devices,         &accept_other_models,
    &leave_selectors_out,  &drop_protection,    &change_partition,       &take_a_lower_class,
    &declare_a_run_time,   &uncordon_nodes,     &wait_for_the_pace,      &wait_for_an_end,
    &raise_reclaim_limits, &name_another_right, &name_another_grade,     &raise_budgets,
    &raise_limits,         &raise_lending,      &start_with_fewer_tasks, &lower_the_least,
    &ask_smaller_profiles, &ask_fewer_devices,  &ask_smaller_shares,     &ask_fewer_countables,
    &ask_less_of_the_node, &change_a_layout};

std::size_t most_of(FixBy by) {
  if (by == FixBy::kRequest) return kMostRequestFixes;
  return by == FixBy::kOperator ? kMostOperatorFixes : 1;
}

std::vector<Fix> smallest(std::vector<Fix> found) {
  std::stable_sort(found.begin(), found.end(), [](const Fix& a, const Fix& b) {
    const bool a_takes = a.taken != nullptr;
    const bool b_takes = b.taken != nullptr;
    return std::tie(a.by, a_takes, a.change) < std::tie(b.by, b_takes, b.change);
  });
  std::vector<Fix> offered;
  for (Fix& fix : found) {
    const auto of_kind = std::count_if(offered.begin(), offered.end(),
                                       [&](const Fix& known) { return known.by == fix.by; });
    if (static_cast<std::size_t>(of_kind) < most_of(fix.by)) offered.push_back(std::move(fix));
  }
  return offered;
}

// Departures that are played until the instant of a trial.
constexpr int kMostRounds = 64;

// A copy of the state on which something is tried.
class FixTrial {
 public:
  explicit FixTrial(const ClusterState& state) : engine_(ClusterState(state)) {}

  const ClusterState& state() const { return engine_.state(); }

  // Whether all of them are accepted.
  bool carry_out(const FixSearch::Bodies& bodies, TimeMs at) {
    return std::all_of(bodies.begin(), bodies.end(), [&](const CommandBody& body) {
      const auto events = engine_.decide({body, {}, {}}, at);
      if (!events) return false;
      for (const Event& event : *events) engine_.apply(event);
      return true;
    });
  }
  // Nodes have carried out what they are asked for by changes of layouts among the commands; false
  // where an instance that goes is still in use.
  bool answer_layouts(const FixSearch::Bodies& bodies, TimeMs at) {
    return std::all_of(bodies.begin(), bodies.end(), [&](const CommandBody& body) {
      const auto* change = std::get_if<ChangeLayout>(&body);
      if (change == nullptr) return true;
      const RegeometryState* stands =
          state().regeometry_of(state().find_node(change->node), change->card);
      return stands != nullptr && stands->is_asked() &&
             carry_out({ReportLayout{change->node, change->card, stands->ask, change->layout, {}}},
                       at);
    });
  }
  void cycle(TimeMs at) {
    for (const Event& event : engine_.commit(engine_.plan(at), at).events) engine_.apply(event);
  }
  // Who is leaving goes at its deadline, and whoever has waited for that starts.
  bool let_go(TimeMs until) {
    for (int rounds = 0; rounds < kMostRounds; ++rounds) {
      const LeavingLeases leaving = leaving_leases(state());
      TimeMs next = kNever;
      for (const auto& [id, how] : leaving) next = std::min(next, how.until);
      if (next > until) return true;
      FixSearch::Bodies ends;
      for (const auto& [id, how] : leaving) {
        if (how.until == next) ends.push_back(report_of_end(state(), *state().find_lease(id)));
      }
      const TimeMs then = std::max(next, state().now());
      if (!carry_out(ends, then)) return false;
      cycle(then);
    }
    return false;
  }

 private:
  Engine engine_;
};

// What has to leave before the room is there: its victims, and others on its nodes.
LeavingLeases awaited(const ClusterState& state, const Reclaim& reclaim) {
  LeavingLeases leaving = leaving_leases(state);
  std::erase_if(leaving, [&](const auto& one) {
    const Lease& lease = *state.find_lease(one.first);
    const bool beside =
        std::any_of(reclaim.placement.begin(), reclaim.placement.end(),
                    [&](const TaskPlacement& task) { return task.node == lease.placement.node; });
    return !beside && lease.receipt != reclaim.receipt;
  });
  return leaving;
}

// Whoever starts in room that others have freed takes nothing.
std::shared_ptr<const Reclaim> if_any(std::shared_ptr<const Reclaim> taken) {
  return taken == nullptr || taken->victims.empty() ? nullptr : taken;
}

// When the last of it leaves.
TimeMs last_deadline(const ClusterState& state, const Reclaim& reclaim, TimeMs now) {
  TimeMs last = now;
  for (const auto& [id, how] : awaited(state, reclaim)) {
    if (how.until != kNever) last = std::max(last, how.until);
  }
  return last;
}

// Where room is being taken back for the job already: that it comes.
std::optional<Fix> wait_for_receipt(const FixSearch& search) {
  const ReceiptId id = search.job().receipt;
  if (id.is_none()) return std::nullopt;
  const FixSearch::Outcome found = search.outcome(search.now(), {});
  if (!found.starts || found.taken == nullptr || found.taken->receipt != id) return std::nullopt;
  Fix fix{FixBy::kTime, 0, "wait for receipt " + std::to_string(id.value()), {}, found.at};
  for (CommandBody& body : reports_of_victims(search.state(), *found.taken)) {
    fix.commands.push_back({std::move(body), {}, {}});
  }
  fix.taken = if_any(found.taken);
  return fix;
}

}  // namespace

FixSearch::Bodies reports_of_victims(const ClusterState& state, const Reclaim& reclaim) {
  FixSearch::Bodies bodies;
  for (const auto& [id, how] : awaited(state, reclaim)) {
    bodies.push_back(report_of_end(state, *state.find_lease(id)));
  }
  return bodies;
}

bool FixSearch::starts_at(TimeMs at, const Bodies& bodies) {
  if (trials_ == kMostFixTrials) return false;
  ++trials_;
  return outcome(at, bodies).starts;
}

std::string FixSearch::pool_on_trial() const {
  const PartitionIndex partition = state_.spec_of(job_).home.partition;
  return state_.policies().trials().contains(partition) ? pool_name(state_, partition) : "";
}

FixSearch::Outcome FixSearch::outcome(TimeMs at, const Bodies& bodies) const {
  FixTrial trial(state_);
  if (at > now_ && !trial.let_go(at)) return {};
  if (!trial.carry_out(bodies, at) || !trial.answer_layouts(bodies, at)) return {};
  trial.cycle(at);
  const JobRecord* after = trial.state().find_job(job_.name);
  if (after == nullptr) return {};
  if (after->phase != JobPhase::kPending) return {true, at, {}};
  const auto& receipts = trial.state().ledger().receipts;
  const auto receipt = receipts.find(after->receipt);
  if (receipt == receipts.end()) return {};
  const std::shared_ptr<const Reclaim> taken = receipt->second.reclaim;
  const TimeMs gone = last_deadline(trial.state(), *taken, at);
  if (!trial.let_go(gone)) return {};
  trial.cycle(gone);
  after = trial.state().find_job(job_.name);
  if (after == nullptr || after->phase == JobPhase::kPending) return {};
  return {true, gone, taken};
}

FixSearch::Bodies FixSearch::resubmitted(const Change& change) const {
  auto changed = std::make_shared<JobSpec>(spec());
  change(*changed);
  Bodies bodies = {CancelJob{job_.name}, SubmitJob{job_.name, std::move(changed)}};
  // what lets it sleep is no fault of its request and stays
  if (job_.user_held || job_.backoff_until > now_) bodies.emplace_back(HoldJob{job_.name});
  return bodies;
}

std::optional<std::int64_t> FixSearch::most_that_starts(
    std::int64_t least, std::int64_t asked, const std::function<bool(std::int64_t)>& starts) {
  if (asked <= least || !starts(least)) return std::nullopt;
  std::int64_t low = least;
  std::int64_t high = asked;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (starts(middle) ? low : high) = middle;
  }
  return low;
}

std::optional<std::int64_t> FixSearch::least_that_starts(
    std::int64_t most, const std::function<bool(std::int64_t)>& starts) {
  if (starts(0)) return 0;
  std::int64_t low = 0;
  std::int64_t high = std::min<std::int64_t>(1, most);
  while (high > low && !starts(high)) {
    low = high;
    high = std::min(most, saturating_mul(high, 2));
  }
  if (high == low) return std::nullopt;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (starts(middle) ? high : low) = middle;
  }
  return high;
}

void FixSearch::offer(Fix fix, Bodies bodies) {
  const auto same = [&](const Fix& known) { return known.text == fix.text; };
  if (std::any_of(found_.begin(), found_.end(), same)) return;
  if (fix.by != FixBy::kTime) fix.at = now_;
  fix.taken = if_any(outcome(fix.at, bodies).taken);
  for (CommandBody& body : bodies) fix.commands.push_back({std::move(body), {}, {}});
  found_.push_back(std::move(fix));
}

void FixSearch::offer_request(const std::string& text, const Change& change, std::int64_t asked,
                              std::int64_t kept) {
  offer({FixBy::kRequest, given_up(asked, kept), text, {}}, resubmitted(change));
}

std::int64_t given_up(std::int64_t asked, std::int64_t kept) {
  return asked == 0 ? 0 : saturating_mul(asked - kept, kPpmOne) / asked;
}

std::string role_note(const JobSpec& spec, std::size_t role) {
  return spec.roles.size() == 1 ? "" : " (role " + spec.roles[role].name + ")";
}

std::vector<Fix> find_fixes(const Engine& engine, JobId id, TimeMs now) {
  const JobRecord* job = engine.state().find_job(id);
  if (job == nullptr || job->phase != JobPhase::kPending) return {};
  const PolicyScope scope(engine.state().policies(), engine.state().spec_of(*job).home.partition);
  FixSearch search(engine, *job, now);
  if (auto fix = wait_for_receipt(search)) return {std::move(*fix)};
  if (const auto next = search.outcome(now, {}); next.starts) {
    return {{FixBy::kTime,
             0,
             "wait for the next cycle",
             {},
             now,
             EndBasis::kDeclared,
             if_any(next.taken)}};
  }
  for (const auto& find : kFixKinds) find(search);
  return smallest(search.found());
}

}  // namespace berth::engine
