// Fixes where the policy could take room back for the job and a limit of the policy is in the way,
// or where it names no right, or no grade, by which it may.
#include <algorithm>

#include "engine/cycle/fix_search.h"
#include "model/quantity_text.h"
#include "model/rejection.h"

namespace berth::engine {
namespace {

constexpr std::int64_t kMostJobs = 1'000'000;  // far above what an hour sees
constexpr Ppm kReluctanceStep = kPpmOne / 100;

using SetLimit = std::function<void(PolicySpec&, std::int64_t)>;

FixSearch::Bodies with_policy(const FixSearch& search, const SetLimit& set, std::int64_t value) {
  PolicySpec policy = search.state().policy();
  set(policy, value);
  return {SetPolicy{std::move(policy), search.pool_on_trial()}};
}

// How much is taken back is what an operator gives.
void offer_policy(FixSearch& search, const std::string& text, const SetLimit& set,
                  std::int64_t value) {
  FixSearch::Bodies bodies = with_policy(search, set, value);
  const auto outcome = search.outcome(search.now(), bodies);
  if (!outcome.starts || outcome.taken == nullptr || outcome.taken->victims.empty()) return;
  search.offer({FixBy::kOperator, cards_of_victims(*outcome.taken), text, {}}, std::move(bodies));
}

// "[share, rank]", as a policy file has it.
template <typename Word>
std::string words_text(const std::vector<Word>& words) {
  std::string text;
  for (const Word one : words) text += (text.empty() ? "[" : ", ") + std::string(word(one));
  return text + "]";
}

std::int64_t cards_of_fleet(const ClusterState& state) {
  std::int64_t cards = 0;
  for (const NodeRecord& node : state.nodes()) cards += std::ssize(node.cards);
  return cards;
}

// A limit that counts up to something; 0 is none.
struct Limit {
  std::int64_t now = 0;
  std::int64_t most = 0;
  SetLimit set;
  std::string name;  // of the policy's field
};

void raise(FixSearch& search, const Limit& limit,
           const std::function<std::string(std::int64_t)>& text) {
  const auto starts = [&](std::int64_t value) {
    return search.starts(with_policy(search, limit.set, value));
  };
  if (limit.now == 0 || !starts(0)) return;
  const auto more = search.least_that_starts(
      limit.most, [&](std::int64_t above) { return starts(limit.now + above); });
  if (!more) return;
  const std::int64_t value = limit.now + *more;
  offer_policy(search, text(value) + " (policy " + limit.name + ": " + std::to_string(value) + ")",
               limit.set, value);
}

void raise_blast_radius(FixSearch& search) {
  const CardUnits now = search.state().policy().blast_radius;
  const Limit limit{
      (now + kCard - 1) / kCard, cards_of_fleet(search.state()),
      [](PolicySpec& policy, std::int64_t cards) { policy.blast_radius = cards * kCard; },
      "blast_radius"};
  raise(search, limit, [](std::int64_t cards) {
    return "let " + grouped(cards) + (cards == 1 ? " card" : " cards") + " be taken back at once";
  });
}

void raise_evictions(FixSearch& search) {
  const PolicySpec& policy = search.state().policy();
  raise(search,
        {policy.evictions_per_hour, kMostJobs,
         [](PolicySpec& changed, std::int64_t jobs) {
           changed.evictions_per_hour = static_cast<std::uint32_t>(jobs);
         },
         "evictions_per_hour"},
        [](std::int64_t jobs) {
          return "let " + grouped(jobs) + (jobs == 1 ? " job" : " jobs") +
                 " be interrupted within an hour";
        });
  raise(search,
        {policy.evictions_per_job, kMostJobs,
         [](PolicySpec& changed, std::int64_t times) {
           changed.evictions_per_job = static_cast<std::uint32_t>(times);
         },
         "evictions_per_job"},
        [](std::int64_t times) {
          return "let a job be interrupted " + grouped(times) + (times == 1 ? " time" : " times") +
                 " a day";
        });
}

// The largest with which it starts.
void lower_min_run(FixSearch& search) {
  const auto set = [](PolicySpec& policy, std::int64_t seconds) {
    policy.min_run_ms = seconds * kSecondMs;
  };
  const std::int64_t now = (search.state().policy().min_run_ms + kSecondMs - 1) / kSecondMs;
  const auto most = search.most_that_starts(0, now, [&](std::int64_t seconds) {
    return search.starts(with_policy(search, set, seconds));
  });
  if (!most) return;
  offer_policy(search,
               "let jobs be interrupted that have run for " + ahead_text(*most * kSecondMs) +
                   " (policy min_run: " + std::to_string(*most) + "s)",
               set, *most);
}

void lower_reluctance(FixSearch& search) {
  const auto set = [](PolicySpec& policy, std::int64_t steps) {
    policy.reluctance_ppm = static_cast<Ppm>(steps * kReluctanceStep);
  };
  const std::int64_t now =
      (search.state().policy().reluctance_ppm + kReluctanceStep - 1) / kReluctanceStep;
  const auto most = search.most_that_starts(
      0, now, [&](std::int64_t steps) { return search.starts(with_policy(search, set, steps)); });
  if (!most) return;
  const std::string value = thousandths_text(*most * 10);
  offer_policy(search,
               "let room be taken back that gains " + value + " times its price (policy " +
                   "reluctance: " + value + ")",
               set, *most);
}

// One for each word that the list of the policy lacks and that would do; what takes least comes
// first. `text(word)`: what it allows.
template <typename Word, typename TextOf>
void name_another(FixSearch& search, std::vector<Word> PolicySpec::*list, const std::string& field,
                  const TextOf& text) {
  const std::vector<Word> named = search.state().policy().*list;
  const auto set = [list](PolicySpec& policy, std::int64_t value) {
    (policy.*list).push_back(static_cast<Word>(value));
  };
  for (std::size_t i = 0; i < words_of<Word>().size(); ++i) {
    const auto value = static_cast<std::int64_t>(i);
    const auto one = static_cast<Word>(i);
    if (std::find(named.begin(), named.end(), one) != named.end()) continue;
    if (!search.starts(with_policy(search, set, value))) continue;
    std::vector<Word> longer = named;
    longer.push_back(one);
    offer_policy(search, text(one) + " (policy " + field + ": " + words_text(longer) + ")", set,
                 value);
  }
}

}  // namespace

void raise_reclaim_limits(FixSearch& search) {
  if (search.state().policy().reclaim.empty()) return;
  raise_blast_radius(search);
  raise_evictions(search);
  lower_min_run(search);
  lower_reluctance(search);
}

void name_another_right(FixSearch& search) {
  name_another(search, &PolicySpec::reclaim, "reclaim", [](ReclaimRight right) -> std::string {
    if (right == ReclaimRight::kConsolidation) return "let jobs be moved to make room";
    return "let room be taken back by " + std::string(word(right));
  });
}

void name_another_grade(FixSearch& search) {
  const PolicySpec& policy = search.state().policy();
  if (policy.reclaim.empty() || policy.grades.empty()) return;
  name_another(search, &PolicySpec::grades, "grades", [](ReclaimGrade grade) {
    return "let work be taken back by grade " + std::string(word(grade));
  });
}

// The first instant at which interruptions of the last hour are so long ago that more may follow.
void wait_for_the_pace(FixSearch& search) {
  const ClusterState& state = search.state();
  if (state.policy().reclaim.empty() || state.policy().evictions_per_hour == 0) return;
  TimeMs tried = search.now();
  for (const TimeMs eviction : state.ledger().evictions) {
    const TimeMs at = saturating_add(eviction, kHourMs);
    if (at <= tried) continue;
    tried = at;
    if (!search.starts_at(at, {})) continue;
    return search.offer(
        {FixBy::kTime, 0, "wait until jobs may be interrupted again", {}, at, EndBasis::kDeclared},
        {});
  }
}

}  // namespace berth::engine
