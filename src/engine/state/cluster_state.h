// ClusterState: all that a decision may depend on, and nothing else. It changes by `apply` alone
// (and, inside a Trial, by take and give that are undone); equal events give equal states, byte for
// byte. It has no clock: `now` is the time of the last event.
//
// Saved are the facts; indexes (slots, shapes, pending order) are rebuilt.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/id_table.h"
#include "base/ids.h"
#include "base/lookup_map.h"
#include "engine/quota/admission.h"
#include "engine/quota/quota_tree.h"
#include "engine/sharing/sharing.h"
#include "engine/state/ask_table.h"
#include "engine/state/card_state.h"
#include "engine/state/change_log.h"
#include "engine/state/job_record.h"
#include "engine/state/ledger.h"
#include "engine/state/node_record.h"
#include "engine/state/pending_lines.h"
#include "engine/state/policies.h"
#include "engine/state/selector_table.h"
#include "engine/state/shape_table.h"
#include "engine/state/slot_table.h"
#include "engine/state/topology_tree.h"
#include "model/event.h"
#include "model/policy.h"

namespace berth::engine {

// A GPU model of the catalogue with its geometry.
struct ModelRecord {
  std::shared_ptr<const GpuModel> gpu;
  std::shared_ptr<const MigGeometry> mig;  // null: no MIG grid
};

inline constexpr std::size_t kCardKindsLimit = 60'000;  // below the width of CardKindIndex

// The bank of moves (Totals::move_credit) and what one more started job adds to it.
inline constexpr Ppm kMostMoveCredit = 32 * kPpmOne;
inline Ppm earned(Ppm credit, const PolicySpec& policy) {
  return std::min(saturating_add(credit, policy.migration_ppm), kMostMoveCredit);
}

// Counters since the first event; saved with the state.
struct Totals {
  std::uint64_t submitted = 0;
  std::uint64_t granted = 0;  // leases
  std::uint64_t ended = 0;
  std::uint64_t moved = 0;  // leases
  // Moves saved up, in millionths: each job that starts earns the policy's migration_ppm, each
  // move costs one. From 0 to kMostMoveCredit.
  Ppm move_credit = 0;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.submitted, self.granted, self.ended, self.moved, self.move_credit);
  }
  friend bool operator==(const Totals&, const Totals&) = default;
};

class ClusterState final : public QuotaNames {
 public:
  ClusterState();

  // Applies a fact. Cannot fail: an event that contradicts the state is a broken invariant.
  void apply(const Event& event);

  std::uint64_t revision() const { return revision_; }  // events applied
  TimeMs now() const { return now_; }
  std::uint64_t term() const { return term_; }
  // Raised whenever room may have appeared; a shape that found none need not be asked again before.
  std::uint64_t room_revision() const { return room_revision_; }

  // Fleet
  std::span<const NodeRecord> nodes() const { return nodes_; }
  const NodeRecord& node(NodeIndex index) const { return nodes_[index.value()]; }
  const NodeKind& node_kind(NodeKindIndex index) const { return node_kinds_[index.value()]; }
  std::size_t node_kind_count() const { return node_kinds_.size(); }
  const CardKind& card_kind(CardKindIndex index) const { return card_kinds_[index.value()]; }
  std::size_t card_kind_count() const { return card_kinds_.size(); }
  const ModelRecord& model(ModelIndex index) const { return models_[index.value()]; }
  std::size_t model_count() const { return models_.size(); }
  const SlotTable& slots() const { return slots_; }
  // Nodes in the order in which what is free on them changed; derived.
  const ChangeLog<NodeIndex>& node_log() const { return node_log_; }
  // Nodes on which room may have appeared: what found none before need look at no others; derived.
  const ChangeLog<NodeIndex>& gain_log() const { return gain_log_; }
  // For a trial that is undone: what it gave back is no gain to those who looked before it.
  void forget_gains_from(std::uint64_t position) { gain_log_.forget_from(position); }
  const TopologySpec& topology() const { return *topology_; }
  // What the job has of a role, and what it lacks; leases that are being revoked are neither.
  RoleTasks role_tasks(const JobRecord& job, std::size_t role) const;
  const TopologyTree& topology_tree() const { return topology_tree_; }
  const Ledger& ledger() const { return ledger_; }
  NodeIndex find_node(std::string_view name) const;
  ModelIndex find_model(std::string_view name) const;  // by name or alias
  std::vector<NodeIndex> nodes_by_name() const;

  // Tenants
  const QuotaTree& quota() const { return quota_; }
  std::span<const QueueRecord> queues() const { return quota_.queues(); }
  QueueIndex find_queue(std::string_view name) const { return quota_.find(name); }
  std::string flavour_name(const Flavour& flavour) const override;
  MicroMoney price_per_gpu_hour(const Flavour& flavour) const override;
  PartitionIndex find_partition(std::string_view name) const;
  const PartitionSpec& partition(PartitionIndex index) const { return *partitions_[index.value()]; }
  std::vector<std::string> queue_names() const;
  std::vector<std::string> partition_names() const;
  std::size_t partition_count() const { return partitions_.size(); }
  std::vector<std::string> model_names() const;

  // Jobs that have not ended
  const JobRecord* find_job(JobId id) const { return jobs_.find(id); }
  const JobRecord* find_job(std::string_view name) const;
  const SpecRecord& spec(SpecIndex index) const { return specs_[index.value()]; }
  const SpecRecord& spec_of(const JobRecord& job) const { return specs_[job.spec.value()]; }
  const IdTable<JobId, JobRecord>& jobs() const { return jobs_; }
  const PendingLines& pending() const { return pending_; }
  // Waiting jobs that could start, but wait for a place in fewer domains.
  const std::set<JobId>& deferring() const { return deferring_; }
  // Jobs whose back-off is over by `now` stand in their lines again. Changes no fact.
  void wake(TimeMs now);
  const Lease* find_lease(LeaseId id) const { return leases_.find(id); }
  const IdTable<LeaseId, Lease>& leases() const { return leases_; }
  // Jobs of the queue that hold leases, in no particular order; derived.
  std::span<const JobId> holders(QueueIndex queue) const;
  const ShapeTable& shapes() const { return shapes_; }
  const SelectorTable& selectors() const { return selectors_; }
  const AskTable& asks() const { return asks_; }
  const Ask& ask_of(const JobRecord& job) const { return asks_.at(spec_of(job).ask); }
  JobId next_job() const { return JobId(next_job_); }
  LeaseId next_lease() const { return LeaseId(next_lease_); }
  const Totals& totals() const { return totals_; }
  // Whether this very object is the spec of a job, now or lately.
  bool knows(const JobSpecPtr& spec) const { return specs_by_pointer_.contains(spec.get()); }
  // The live jobs of the job's group, which it has.
  const std::set<JobId>& group_of(const JobRecord& job) const;
  // The live jobs of each group, by queue and name.
  const std::map<std::pair<QueueIndex, std::string>, std::set<JobId>>& groups() const {
    return groups_;
  }
  // The job that a request id made, if it was seen.
  const JobId* seen_request(std::string_view request_id) const {
    return requests_.find(request_id);
  }

  // Policy and what was learned
  const RunTimeBook& run_times() const { return run_times_; }
  // How long a job of the spec is expected to run: as declared, else the mean of its kind.
  DurationMs expected_run(const SpecRecord& spec, TimeMs now) const {
    const auto& declared = spec.spec->run_time_ms;
    return declared ? *declared : run_times_.mean(spec.kind, now);
  }
  // The one that holds in the partition in scope (PolicyScope), or else everywhere.
  const PolicySpec& policy() const { return policies_.shown(); }
  const Policies& policies() const { return policies_; }
  const FitPtr& fit() const { return fit_; }
  const Prices& prices() const { return prices_; }
  // How tenants fare against being alone; null: nothing is known.
  const StandingsPtr& standings() const { return standings_; }
  std::uint64_t prices_revision() const { return prices_revision_; }  // raised by new prices
  std::uint64_t fit_revision() const { return fit_revision_; }  // raised by each new fit or policy
  // Sightings of each shape among the submitted jobs' tasks; index = ShapeIndex.
  std::span<const std::uint64_t> sightings() const { return sightings_; }
  std::uint64_t arrivals() const { return arrivals_; }
  bool fit_due() const;
  bool prices_due() const;

  // What one task of `shape` takes of a card of `kind`, for its request number `request`.
  CardAsk ask(const Shape& shape, std::size_t request, CardKindIndex kind) const;
  // Whether the exact grants may be given on the node as it is now: it is ready, its cards are
  // usable, and there is room.
  bool fits(NodeIndex node, const Shape& shape, const CardGrants& grants) const;
  // Room alone, whatever the node's condition, the cards' health and what is promised.
  bool can_hold(NodeIndex node, const Shape& shape, const CardGrants& grants) const;
  // The instances that a card of the static regime has, whether they are offered or not: while its
  // layout changes, only what stays is (CardKind::layout).
  MigOccupancy layout_of(NodeIndex node, std::uint16_t card) const;
  // The change of its layout that is under way; null: none.
  const RegeometryState* regeometry_of(NodeIndex node, std::uint16_t card) const;
  // The placements of a card of the node by name.
  std::vector<MigInstanceSpec> instances_of(NodeIndex node,
                                            const std::vector<std::uint8_t>& placements) const;
  // The numbers of a layout's placements; refuses what the node's model cannot make, with `path`
  // before the fields of the error.
  Result<MigOccupancy> read_layout(NodeIndex node, const std::vector<MigInstanceSpec>& layout,
                                   const std::string& path) const;
  // What a node must be to join: valid by itself, its model known, its static layouts possible.
  Status check_node(const NodeSpec& node) const;
  // Takes or gives the resources of one task; exact inverses. Used by apply and by Trial.
  void take(NodeIndex node, const Shape& shape, const CardGrants& grants);
  void give(NodeIndex node, const Shape& shape, const CardGrants& grants);
  // Takes (sign 1) or gives (sign -1) countable resources of a domain and of those around it, each
  // from its owner.
  void take(DomainIndex domain, const std::vector<Countable>& resources, int sign) {
    for (const Countable& one : resources) {
      topology_tree_.take(domain, one.resource, sign * one.amount);
    }
  }
  // Promises room to one task (sign 1), or takes the promise back (-1): of CPU, memory and
  // countables what is free, and the rest as it comes free; nobody else gets onto the cards.
  void promise(NodeIndex node, const Shape& shape, const CardGrants& grants, int sign);
  // Whether a promise to the task counts against the quota: not while it holds the place from which
  // it is moved there.
  bool counts_promise(const JobRecord& job, const TaskPlacement& task) const;
  // Takes host memory for the image of a suspended task (sign 1), or gives it back.
  void take_host(NodeIndex node, Mib mib, int sign);
  // Host memory that suspending the lease takes: what its job says of an image, else its device
  // memory.
  Mib image_of(const Lease& lease) const;
  // Keeps the node's room for a job; none: for nobody. Used by apply and by Trial.
  void keep(NodeIndex node, JobId job);
  // What one task holds of the flavours of its node: of the cards, and of the CPUs where they
  // count.
  struct Charges {
    FlavourIndex cards;  // none: no card
    Charge of_cards;
    FlavourIndex cpus;  // none: they do not count
    Charge of_cpus;
  };
  Charges charges_of(const Shape& shape, NodeIndex node, const CardGrants& grants) const;
  // What the task of the lease asks for.
  const Shape& shape_of(const Lease& lease) const;
  // The same in the quota tree, for a Trial; undone with the opposite sign.
  void hold_quota(const SpecRecord& spec, const Charges& charges, int sign);

  // Canonical bytes of all facts; equal states give equal bytes.
  std::string save() const;
  static Result<ClusterState> load(std::string_view bytes);
  std::uint64_t hash() const { return stable_hash(save()); }

 private:
  friend class StateLoader;

  void on(const ModelDeclared& e);
  void on(const TopologyDeclared& e);
  void on(const PartitionDeclared& e);
  void on(const QueueDeclared& e);
  void on(const PolicySet& e);
  void on(const TrialEnded& e);
  void on(const FitObserved& e);
  void on(const PricesObserved& e);
  void on(const StandingsObserved& e) { standings_ = e.standings; }
  void on(const NodeJoined& e);
  NodeCondition after_loss(NodeIndex node) const;
  void on(const NodeConditionChanged& e);
  void on(const NodeConditionWanted& e);
  void on(const CardHealthChanged& e);
  void on(const JobSubmitted& e);
  void on(const JobHeld& e);
  void on(const JobUserHold& e);
  void on(const JobResized& e);
  void on(const JobBackedOff& e);
  void on(const LeaseGranted& e);
  void on(const LeaseMoved& e);
  void on(const LeasePromised& e);
  void on(const ReceiptIssued& e);
  void on(const ReceiptEnded& e);
  void on(const LeaseSuspended& e);
  void on(const LeaseResumed& e);
  void on(const LeaseOverdue& e);
  void on(const LeasePrepared& e);
  void on(const JobStarted& e);
  void on(const LeaseRevoking& e);
  void on(const LeaseReleased& e);
  void on(const JobRequeued& e);
  void on(const JobEnded& e);
  void on(const TimePassed& e);
  void on(const RequestSeen& e);
  void on(const LeaseStarted& e);
  void on(const JobRepairing& e);
  void on(const JobRepaired& e);
  void on(const DomainTaken& e);
  void on(const PlacementDeferred& e);
  void on(const TermBegan& e) { term_ = e.term; }
  void on(const RegeometryAdvanced& e);
  void on(const CheckpointObserved& e);
  void on(const ActivityObserved& e);
  void on(const RunTimesObserved& e);
  void on(const JobReserved& e);
  void on(const ReservationEnded& e) { end_reservation(e.job); }
  void on(const TokenIssued& e) { ledger_.on(e, now_); }
  template <typename Recorded>  // what the ledger keeps and nothing else
  void on(const Recorded& e) {
    ledger_.on(e);
  }

  // The spec's record with one more reference; specs without any are kept for a while.
  SpecIndex acquire_spec(const JobSpecPtr& spec);
  void release_spec(SpecIndex index);
  void forget_spec(SpecIndex index);
  SpecHome home_of(const JobSpec& spec);
  SpecIndex intern_spec(const JobSpecPtr& spec, const SpecHome& home);
  SpecRecord make_spec_record(const JobSpecPtr& spec, const SpecHome& home);
  CardKindIndex intern_card_kind(const CardKind& kind);
  NodeKindIndex intern_node_kind(const NodeKind& kind);
  ShapeIndex intern_shape(Shape shape);
  // Gives nodes kinds that differ where a selector reads a label in which they differ.
  void tell_labels_apart();
  PartitionIndex partition_of(const JobSpec& spec) const;
  TrustDomainIndex intern_trust_domain(const std::string& name);
  CardKind card_kind_of(const NodeSpec& node, const CardSpec& card) const;
  void place_name(NodeIndex node);
  void build_topology_tree();
  void enter_slot(NodeIndex node);
  void leave_slot(NodeIndex node);
  void log_node(NodeIndex node) { node_log_.push(node, 4096 + 2 * nodes_.size()); }
  void log_gain(NodeIndex node) { gain_log_.push(node, 4096 + 2 * nodes_.size()); }
  void sight(const SpecRecord& spec);
  // The card after the grant for request number `request`; nothing when it does not fit exactly.
  std::optional<CardState> after_grant(CardState card, const Shape& shape, std::size_t request,
                                       const CardGrant& grant) const;
  static Status check_layout(const ModelRecord& model, const CardSpec& card,
                             const std::string& path);
  static Result<MigOccupancy> parse_layout(const ModelRecord& model,
                                           const std::vector<MigInstanceSpec>& layout,
                                           const std::string& path);
  // From now on new work may have these instances of the card.
  void offer_layout(NodeIndex node, std::uint16_t card, MigOccupancy layout);
  CardKindIndex kind_with_layout(CardKindIndex kind, MigOccupancy layout);
  void save_card_kinds(ByteWriter& out) const;
  void save_card(ByteWriter& out, NodeIndex node, std::uint16_t card) const;
  // False: what no state writes.
  bool load_card_kinds(ByteReader& in);
  bool load_card(ByteReader& in, CardState& card);
  bool load_regeometries();
  void save_work(ByteWriter& out) const;
  void save_usage(ByteWriter& out) const;
  // Takes (sign 1) or gives (sign -1) the resources of one task and moves the node to its slot.
  void change(NodeIndex node, const Shape& shape, const CardGrants& grants, int sign);
  void change_host(NodeRecord& node, const TaskRequest& request, int sign);
  void end_promises(JobRecord& job);
  void charge_promise_of(const JobRecord& job, const TaskPlacement& released);
  void note_evictions(const Reclaim& reclaim);
  void note_eviction(JobRecord& job);
  void note_stop(JobRecord& job, EndReason reason) const;
  // Books what one task holds under its queue; `sign` -1 when it gives it back.
  void charge(const SpecRecord& spec, const TaskPlacement& task, int sign);
  void release_domain(JobRecord& job);
  void note_lease(NodeIndex node, LeaseId lease, bool there);
  // The job does not wait for a better place any more; how long it did stays known.
  void end_deferral(JobRecord& job);
  void keep_nodes(const Reserve& reservation, JobId job);
  void end_reservation(JobId job);
  void join_group(const JobRecord& job);
  KindIndex kind_of(const JobSpec& spec, std::uint64_t cards);
  void leave_group(const JobRecord& job);
  void note_holder(JobRecord& job);
  void forget_holder(const JobRecord& job);
  // Keeps up the row of running jobs that lack tasks.
  void note_short(const JobRecord& job);
  QuotaTree::Entries entries_of(const QueueSpec& queue) const;
  void count_capacity(const NodeRecord& node, int sign);
  void count_cpus();
  void leave_line(const JobRecord& job) { pending_.remove(job); }
  void join_line(const JobRecord& job) { pending_.add(job, spec_of(job), now_); }

  std::uint64_t revision_ = 0;
  std::uint64_t room_revision_ = 0;
  std::uint64_t fit_revision_ = 0;
  std::uint64_t term_ = 0;
  TimeMs now_ = 0;

  std::vector<ModelRecord> models_;
  NameMap<ModelIndex> models_by_name_;
  std::shared_ptr<const TopologySpec> topology_;
  TopologyTree topology_tree_;
  std::vector<std::shared_ptr<const PartitionSpec>> partitions_;
  NameMap<PartitionIndex> partitions_by_name_;
  QuotaTree quota_;
  std::vector<std::string> trust_domains_;
  NameMap<TrustDomainIndex> trust_domains_by_name_;

  std::vector<NodeRecord> nodes_;
  std::map<std::string, NodeIndex, std::less<>> nodes_by_name_;
  std::vector<CardKind> card_kinds_;
  std::vector<NodeKind> node_kinds_;
  std::map<NodeKind, NodeKindIndex> node_kinds_by_value_;
  SlotTable slots_;
  ChangeLog<NodeIndex> node_log_;
  ChangeLog<NodeIndex> gain_log_;

  Policies policies_;
  FitPtr fit_;
  Prices prices_;
  std::uint64_t prices_revision_ = 1;
  StandingsPtr standings_;
  std::vector<std::uint64_t> sightings_;
  std::uint64_t arrivals_ = 0;
  std::uint64_t fitted_at_ = 0;  // arrivals_ at the last fit
  std::uint64_t priced_at_ = 0;  // arrivals_ at the last prices

  SelectorTable selectors_;
  ShapeTable shapes_;
  AskTable asks_;
  std::vector<SpecRecord> specs_;
  std::vector<std::uint32_t> free_specs_;
  std::deque<SpecIndex> idle_specs_;  // without references, oldest first
  NameMap<SpecIndex> specs_by_bytes_;
  LookupMap<const JobSpec*, SpecIndex> specs_by_pointer_;  // of pointers that specs_ keeps alive
  IdTable<JobId, JobRecord> jobs_;
  NameMap<JobId> jobs_by_name_;
  PendingLines pending_;
  std::set<JobId> deferring_;
  IdTable<LeaseId, Lease> leases_;
  std::vector<std::vector<JobId>> holders_;  // by queue
  std::uint64_t next_job_ = 1;
  std::uint64_t next_lease_ = 1;
  std::map<std::pair<QueueIndex, std::string>, std::set<JobId>> groups_;  // live jobs
  NameMap<JobId> requests_;
  std::deque<std::string> request_order_;  // oldest first; bounded
  Totals totals_;
  RunTimeBook run_times_;
  Ledger ledger_;
};

}  // namespace berth::engine
