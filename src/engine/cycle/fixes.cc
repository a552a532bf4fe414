#include "engine/cycle/fixes.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "engine/cycle/fix_search.h"

namespace berth::engine {
namespace {

// THE table. Kinds that need few trials come first, so that they have them; fixes that are equally
// small are offered in this order: a job that is resized keeps its place, one with another spec
// does not.
constexpr std::array kFixKinds = {&release_the_job,      &relax_rules,
                                  &loosen_devices,       &accept_other_models,
                                  &drop_protection,      &change_partition,
                                  &take_a_lower_class,   &declare_a_run_time,
                                  &uncordon_nodes,       &wait_for_an_end,
                                  &raise_budgets,        &raise_limits,
                                  &raise_lending,        &start_with_fewer_tasks,
                                  &lower_the_least,      &ask_smaller_profiles,
                                  &ask_fewer_devices,    &ask_smaller_shares,
                                  &ask_fewer_countables, &ask_less_of_the_node};

std::size_t most_of(FixBy by) {
  if (by == FixBy::kRequest) return kMostRequestFixes;
  return by == FixBy::kOperator ? kMostOperatorFixes : 1;
}

std::vector<Fix> smallest(std::vector<Fix> found) {
  std::stable_sort(found.begin(), found.end(), [](const Fix& a, const Fix& b) {
    return std::tie(a.by, a.change) < std::tie(b.by, b.change);
  });
  std::vector<Fix> offered;
  for (Fix& fix : found) {
    const auto of_kind = std::count_if(offered.begin(), offered.end(),
                                       [&](const Fix& known) { return known.by == fix.by; });
    if (static_cast<std::size_t>(of_kind) < most_of(fix.by)) offered.push_back(std::move(fix));
  }
  return offered;
}

}  // namespace

bool FixSearch::starts_at(TimeMs at, const Bodies& bodies) {
  if (trials_ == kMostFixTrials) return false;
  ++trials_;
  Engine trial{ClusterState(state_)};
  for (const CommandBody& body : bodies) {
    const auto events = trial.decide({body, {}, {}}, at);
    if (!events) return false;
    for (const Event& event : *events) trial.apply(event);
  }
  for (const Event& event : trial.commit(trial.plan(at), at).events) trial.apply(event);
  const JobRecord* after = trial.state().find_job(job_.name);
  return after != nullptr && after->phase != JobPhase::kPending;
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
  for (CommandBody& body : bodies) fix.commands.push_back({std::move(body), {}, {}});
  if (fix.by != FixBy::kTime) fix.at = now_;
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
  FixSearch search(engine, *job, now);
  if (search.starts({})) return {{FixBy::kTime, 0, "wait for the next cycle", {}, now}};
  for (const auto& find : kFixKinds) find(search);
  return smallest(search.found());
}

}  // namespace berth::engine
