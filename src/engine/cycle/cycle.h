// Cycle: one scheduling cycle over the jobs that wait. `run` is the whole of it on one screen
// (run_cycle.cc); how a job is placed is in place_jobs.cc, what is told to those that wait in
// hold_jobs.cc.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "engine/cycle/engine.h"
#include "engine/cycle/pools.h"
#include "engine/cycle/regeometry_plan.h"
#include "engine/placement/gang_need.h"
#include "engine/quota/flavour_shares.h"
#include "engine/quota/lending.h"
#include "engine/quota/over_promise.h"
#include "engine/quota/queue_order.h"
#include "engine/reclaim/units.h"
#include "engine/state/trial.h"
#include "model/plan.h"

namespace berth::engine {

class Cycle final : private LineSource {
 public:
  Cycle(Engine& engine, TimeMs now, Pool pool = {true, {}});

  // Plans for the jobs of the pool.
  Plan run();

  // Why the job waits, when it is the first to be looked at; empty when it fits.
  Rejections why(const JobRecord& job);
  // When it could start if nothing else came.
  Eta eta(const JobRecord& job);
  // Jobs of its queue that have their turn before the job, which waits. O(lines of the queue)
  std::optional<Rejection> place_in_line(const JobRecord& job) const;
  // What a running job lacks, and why; empty when it lacks nothing.
  Rejections why_short(const JobRecord& job);

 private:
  // place_jobs.cc
  // kBehind: only with what others may claim first; it has its turn again among those that borrow.
  enum class Outcome : std::uint8_t { kPlaced, kRefused, kDeferred, kBehind };
  Outcome visit(const Turn& turn);
  Outcome visit_group(const JobRecord& job);
  using PlaceOne = std::function<bool(const JobRecord& job)>;
  enum class GroupFit : std::uint8_t { kFits, kNoRoom, kNotAdmitted };
  GroupFit place_group(const JobRecord& job, const PlaceOne& place_one);
  Outcome visit_refused(const JobRecord& job, LendingTier tier);
  Outcome visit_promised(const JobRecord& job);
  Outcome visit_running(const JobRecord& job, bool is_hole);
  Outcome visit_suspended(const JobRecord& job);
  bool repair_in_kept_room(const JobRecord& job, const std::vector<RoleNeed>& needs);
  std::optional<Rejection> admit(const JobRecord& job, const TaskCounts& tasks);
  bool has_room(const JobRecord& job);
  bool place(const JobRecord& job);
  bool search(const JobRecord& job, const std::vector<RoleNeed>& needs,
              std::span<const Anchor> anchors);
  bool make_room(const JobRecord& job);
  bool moves_may_help(ShapeIndex shape) const;
  std::vector<Anchor> anchors_of(const JobRecord& job) const;
  void admit_more(const JobRecord& job);
  TaskCounts tasks_of(const JobRecord& job, std::uint32_t more) const;
  std::vector<RoleNeed> needs_of(const JobRecord& job) const;
  std::vector<RoleNeed> missing_of(const JobRecord& job) const;
  std::optional<Turn> turn_of_short(const JobRecord& job) const;
  std::optional<Turn> next_of(const Turn& turn, Outcome outcome);

  std::optional<Rejection> left_to_others(const JobRecord& job);

  // defer_jobs.cc
  std::optional<Rejection> waits_for_better(const JobRecord& job);
  std::optional<Rejection> wider_than_needed(const Place& place);
  void defer(const JobRecord& job, Rejection why);
  void end_deferrals();

  // claim_room.cc
  struct NodeEnd {
    TimeMs at = 0;
    std::uint32_t cards = 0;
  };
  void claim_room(const JobRecord& job, LendingTier tier);
  void list_ends();
  TimeMs free_at(NodeIndex node, std::uint32_t cards) const;

  // hold_jobs.cc
  std::optional<Rejection> why_asleep(const JobRecord& job) const;
  void explain_held();
  std::size_t first_left(SpecIndex spec) const;
  void explain_line(const JobRecord& head);
  std::optional<Rejection> why_not_yet(const JobRecord& job);
  Rejections shortage(const JobRecord& job);
  Rejections search_shortage(const JobRecord& job);
  Rejections shortage_beside(const JobRecord& job);
  RejectionsPtr shortage_of_ask(const JobRecord& job);
  RejectionsPtr with_own(const JobRecord& job, RejectionsPtr reasons);
  static RejectionsPtr or_its_turn(Rejections reasons);
  Rejection too_few(const JobRecord& job) const;
  // A job that holds leases, as far as those who wait behind it are told of it.
  struct Holder {
    JobId job;
    JobClass job_class;
    std::int64_t priority;
  };
  std::optional<Rejection> overtaken(const JobRecord& job);
  const std::vector<Holder>& holders_of(QueueIndex queue);
  void tell_kept_room(Rejections& reasons) const;
  void add_health(Rejections& reasons) const;
  void add_own(const JobRecord& job, Rejections& reasons);
  bool has_guarantee_left() const;
  std::optional<Rejection> broken_promise(const JobRecord& job);
  void add_borrowers(const JobRecord& job, Rejections& reasons) const;
  void hold(const JobRecord& job, RejectionsPtr reasons);
  std::optional<Rejection> lacks_group(const JobRecord& job) const;
  bool forms_group(const JobRecord& job) const;
  std::vector<JobId> forming(const JobRecord& job) const;
  Rejections group_shortage(const JobRecord& job);

  // reserve_room.cc
  void review_reservations();
  void reserve_room(const JobRecord& job);
  bool may_still_use(const JobRecord& job);
  bool can_be_used(const Reserve& reservation) const;
  void give_up_room(JobId job);
  bool reserve_for(const JobRecord& job);
  bool is_kept_for(JobId job) const;
  JobId holder_of(const JobRecord& job) const;
  bool place_in_own_room(const JobRecord& job);
  bool backfill(const JobRecord& job);
  void open_own_room(const JobRecord& job);

  // reclaim_room.cc
  void review_receipts();
  bool is_sound(const Reclaim& reclaim) const;
  bool waits_for_victims(const Reclaim& reclaim) const;
  bool use_promise_now(const JobRecord& job, const Reclaim& reclaim);
  bool may_wait(const JobRecord& job, const Reclaim& reclaim) const;
  bool waits_for_others(const Reclaim& reclaim) const;
  bool use_promise(const JobRecord& job, const Reclaim& reclaim);
  void end_receipt(const JobRecord& job, ReceiptOutcome outcome);
  bool takes_by_share() const;
  const Reclaim& promised_to(const JobRecord& job) const;  // which has an open receipt
  void waits_for_promise(const JobRecord& job);
  bool reclaim(const JobRecord& job);
  bool reclaim_by(const JobRecord& job, ReclaimRight right);
  bool may_take_inside(const JobRecord& job) const;
  std::optional<Rejection> why_not_reclaimed(const JobRecord& job);
  std::optional<Reclaim> find_victims(const JobRecord& job, ReclaimRight right, Budgets budgets);
  std::optional<Reclaim> find_victims(const JobRecord& job, ReclaimRight right, Floor floor,
                                      Budgets budgets);
  LeavingLeases leaving_now();
  const LeavingLeases& leaving_before();
  std::optional<Rejection> limit_of(const Reclaim& reclaim);
  bool is_worth_it(const JobRecord& job, Reclaim& reclaim);
  MicroMoney gain_of(const JobRecord& job, const Reclaim& reclaim);
  void promise(const JobRecord& job, Reclaim reclaim);
  Rejections reclaiming(const Reclaim& reclaim) const;
  std::vector<RoleNeed> least_needs(const JobRecord& job) const;

  // reclaim_reasons.cc
  void add_reclaim(const JobRecord& job, Rejections& reasons);
  void add_stuck(const JobRecord& job, Rejections& reasons) const;
  bool is_of_use(const JobRecord& job, NodeIndex node) const;
  std::optional<Rejection> fair_share_of(const JobRecord& job);
  CardUnits smallest_unit(QueueIndex queue, FlavourIndex flavour) const;
  std::optional<Rejection> kept_by_owner(const JobRecord& job);
  std::optional<Rejection> budget_of_victims(const JobRecord& job);
  void add_best_after(const JobRecord& job, Rejections& reasons);
  Rejections lacks_after_all(const JobRecord& job, const JobAdmission::Attempt& attempt,
                             ReclaimRight right);

  // regeometry_plan.cc
  void change_layouts();
  std::vector<WaitingTasks> waiting_for_instances();
  bool waits_for_instances(const JobRecord& job) const;
  std::uint64_t admissible(const JobRecord& head, std::uint64_t jobs);
  void tell_layouts(Rejections& reasons) const;

  // forecast.cc
  Eta soonest(const JobRecord& job);
  // A task that is expected to end, and what comes free with it.
  struct Freed {
    TimeMs at = 0;
    EndBasis basis = EndBasis::kDeclared;
    JobId job;
    const TaskPlacement* task = nullptr;
    DomainIndex domain;  // whose countable resources the job gives back then; none: of nobody
    bool is_charged = true;
  };
  struct Coming {
    std::vector<Freed> ends;
    std::deque<TaskPlacement> planned;  // that `ends` point to
  };
  Coming coming_free() const;
  DomainIndex domain_of(const JobRecord& job) const;
  bool fits_after(const JobRecord& job, std::span<const Freed> ended);
  void note_nodes(std::size_t from);

  // run_cycle.cc
  // Where the cycle stands. What is tried from there on, decisions and earned credit included, can
  // be taken back.
  struct Mark {
    Trial::Checkpoint trial = 0;
    std::size_t decisions = 0;
    Ppm credit = 0;
  };
  Mark mark() const { return {trial_.checkpoint(), plan_.decisions.size(), credit_}; }
  void back_to(const Mark& mark);

  // line_up.cc
  void line_up(QueueOrder& order);
  bool may_be_admitted(AskIndex ask);
  bool is_refused(SpecIndex line);
  JobId job_at(SpecIndex line, std::size_t place);
  bool has_room(AskIndex ask);
  bool fits_somewhere(AskIndex ask);
  const JobRecord& first_of(AskIndex ask) const;
  bool is_live(AskIndex ask);
  bool is_exhausted();
  std::vector<Turn> turns_of(QueueIndex queue) override;
  bool in_play(const Turn& turn) override;

  static RejectionsPtr only(Rejection why) {
    return std::make_shared<const Rejections>(1, std::move(why));
  }

  Engine& engine_;
  const ClusterState& state_;
  Trial trial_;
  TimeMs now_;
  Pool pool_;
  // Lines take part whether there is room or not: moves may make some, and who finds none may have
  // some kept or claim some.
  bool tries_all_;
  Plan plan_;
  std::vector<bool> is_live_;   // by ask: its lines take part, unless it has lost its room since
  std::vector<AskIndex> live_;  // of them, those that may have room and be admitted
  std::vector<std::uint64_t> seen_at_;        // by ask: end of the log of nodes when it had room
  bool has_short_ = false;                    // running jobs that lack tasks take part
  JobAdmission admission_;                    // of the job that was looked at last
  std::uint32_t most_more_ = UINT32_MAX;      // tasks of its elastic roles beyond the least
  LookupMap<SpecIndex, std::size_t> passed_;  // jobs of each line: placed or deferred
  LookupMap<SpecIndex, std::vector<JobId>> by_service_;   // lines whose jobs don't go by age
  LookupMap<JobId, std::vector<std::uint32_t>> granted_;  // tasks of running jobs, by role
  std::set<JobId> deferred_;                              // could start, wait for a better place
  LookupMap<JobId, bool> grouped_;                        // jobs whose group has had its turn
  Ppm credit_;                                            // in the bank of moves
  std::vector<LeaseId> moved_;                            // leases that this cycle moves
  LookupMap<ShapeIndex, bool> no_moves_;
  std::vector<std::shared_ptr<const Reserve>> kept_;  // reservations that stand
  std::uint32_t tried_to_reserve_ = 0;                // jobs that found no room
  std::vector<NodeIndex> last_nodes_;                 // of the last forecast
  Shortfall failed_;                                  // of the last search
  struct Explained {
    std::vector<JobAdmission::Attempt> attempts;
    RejectionsPtr reasons;
  };
  LookupMap<AskIndex, std::vector<Explained>> explained_;   // at the end of the cycle
  LookupMap<QueueIndex, std::vector<Holder>> holders_;      // by queue, as far as asked for
  std::optional<std::vector<OverPromised>> over_promised_;  // once asked for
  FreeRoom free_;  // of `free_flavour_`, at `free_position_`
  FlavourIndex free_flavour_;
  std::uint64_t free_position_ = 0;
  std::vector<std::vector<NodeEnd>> ends_;  // by node, soonest first; empty: not listed yet
  bool claimed_overdue_ = false;
  FlavourShares shares_;
  ServiceLevels levels_;
  LeavingLeases taken_;                        // by reclaims of this cycle
  std::optional<LeavingLeases> leaving_;       // by those before, once asked for
  std::set<JobId> given_up_;                   // whose receipt has ended
  std::set<JobId> settled_;                    // started in the room that was promised to them
  LookupMap<AskIndex, bool> settled_asks_;     // for which no consolidation makes room
  LookupMap<JobId, Rejection> reclaim_limit_;  // why nothing was taken for the job
};

}  // namespace berth::engine
