// FixSearch: what the kinds of fixes have in common: a job that waits, changes that are tried on
// copies of the state, and those that helped.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/cycle/fixes.h"

namespace berth::engine {

class FixSearch {
 public:
  using Bodies = std::vector<CommandBody>;
  using Change = std::function<void(JobSpec&)>;

  FixSearch(const Engine& engine, const JobRecord& job, TimeMs now)
      : state_(engine.state()), job_(job), now_(now) {}

  const ClusterState& state() const { return state_; }
  const JobRecord& job() const { return job_; }
  const JobSpec& spec() const { return *state_.spec_of(job_).spec; }
  TimeMs now() const { return now_; }
  // Where the policy that the job is planned by is on trial; empty: it holds everywhere.
  std::string pool_on_trial() const;

  // Whether the job starts in the cycle after the commands, or in room that this cycle takes back
  // for it, on a copy. Never once all trials are used up.
  bool starts(const Bodies& bodies) { return starts_at(now_, bodies); }
  bool starts_at(TimeMs at, const Bodies& bodies);
  bool starts_as(const Change& change) { return starts(resubmitted(change)); }

  // The job again with another spec. It loses its place in the queue; one that sleeps is held.
  Bodies resubmitted(const Change& change) const;

  // The largest value from `least` to below `asked` with which the job starts, by halving: less
  // that is asked never hinders.
  std::optional<std::int64_t> most_that_starts(std::int64_t least, std::int64_t asked,
                                               const std::function<bool(std::int64_t)>& starts);
  // The smallest value from 0 to `most`, by doubling, then halving: much that is given may let
  // others in before it.
  std::optional<std::int64_t> least_that_starts(std::int64_t most,
                                                const std::function<bool(std::int64_t)>& starts);

  // What came of a trial.
  struct Outcome {
    bool starts = false;
    TimeMs at = kNever;                    // when
    std::shared_ptr<const Reclaim> taken;  // for it; null: nothing
  };
  Outcome outcome(TimeMs at, const Bodies& bodies) const;

  // What has been seen to help; a text that is known already adds nothing.
  void offer(Fix fix, Bodies bodies);
  // Of a request that gives up the part from `kept` to `asked`.
  void offer_request(const std::string& text, const Change& change, std::int64_t asked = 0,
                     std::int64_t kept = 0);

  const std::vector<Fix>& found() const { return found_; }

 private:
  const ClusterState& state_;
  const JobRecord& job_;
  TimeMs now_;
  std::size_t trials_ = 0;
  std::vector<Fix> found_;
};

// The part that is given up of what is asked, in millionths.
std::int64_t given_up(std::int64_t asked, std::int64_t kept);

// " (role ps)"; empty for the only role.
std::string role_note(const JobSpec& spec, std::size_t role);

// What is reported when the leases leave that a receipt takes back, each at its deadline at the
// latest; those that have left say nothing.
FixSearch::Bodies reports_of_victims(const ClusterState& state, const Reclaim& reclaim);

// Kinds of fixes: each offers what it finds.
// fixes_request.cc
void relax_rules(FixSearch& search);
void loosen_devices(FixSearch& search);
void accept_other_models(FixSearch& search);
void leave_selectors_out(FixSearch& search);
void drop_protection(FixSearch& search);
void change_partition(FixSearch& search);
void take_a_lower_class(FixSearch& search);
void declare_a_run_time(FixSearch& search);
// fixes_amount.cc
void start_with_fewer_tasks(FixSearch& search);
void lower_the_least(FixSearch& search);
void ask_fewer_devices(FixSearch& search);
void ask_smaller_shares(FixSearch& search);
void ask_smaller_profiles(FixSearch& search);
void ask_less_of_the_node(FixSearch& search);
void ask_fewer_countables(FixSearch& search);
// fixes_quota.cc
void raise_limits(FixSearch& search);
void raise_budgets(FixSearch& search);
void raise_lending(FixSearch& search);
// fixes_reclaim.cc
void raise_reclaim_limits(FixSearch& search);
void wait_for_the_pace(FixSearch& search);
void name_another_right(FixSearch& search);
void name_another_grade(FixSearch& search);
// fixes_layout.cc
void change_a_layout(FixSearch& search);
// fixes_fleet.cc
void release_the_job(FixSearch& search);
void wait_for_an_end(FixSearch& search);
void uncordon_nodes(FixSearch& search);

}  // namespace berth::engine
