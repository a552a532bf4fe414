// Canonical bytes of the facts of a state, and back. Indexes are rebuilt from the facts, so a
// loaded state is one that replaying the events would have made.
#include <algorithm>

#include "base/check.h"
#include "engine/placement/score.h"
#include "engine/state/cluster_state.h"
#include "engine/state/ledger_sound.h"
#include "model/format.h"
#include "model/serial.h"

namespace berth::engine {
namespace {

template <typename... Values>
void put(ByteWriter& out, const Values&... values) {
  (serial::write(out, values), ...);
}
template <typename... Values>
void get(ByteReader& in, Values&... values) {
  (serial::read(in, values), ...);
}

void put_job(ByteWriter& out, const JobRecord& job, std::size_t spec) {
  put(out, job.id, job.name, static_cast<std::uint64_t>(spec), job.phase, job.user_held, job.ending,
      job.requeue, job.attempts, job.prepared, job.ended, job.submitted_at, job.started_at,
      job.backoff_until, job.deferred_since, job.deferred_ms, job.attained, job.formed, job.repairs,
      job.domain_level, job.domain_name, job.receipt, job.evictions, job.saved_ms, job.base_ms,
      job.checkpoint_at, job.stop);
  put(out, job.reasons == nullptr ? Rejections{} : *job.reasons);
  out.u8(job.reasons == nullptr ? 0 : 1);
}

std::uint64_t get_job(ByteReader& in, JobRecord& job) {
  std::uint64_t spec = 0;
  get(in, job.id, job.name, spec, job.phase, job.user_held, job.ending, job.requeue, job.attempts,
      job.prepared, job.ended, job.submitted_at, job.started_at, job.backoff_until,
      job.deferred_since, job.deferred_ms, job.attained, job.formed, job.repairs, job.domain_level,
      job.domain_name, job.receipt, job.evictions, job.saved_ms, job.base_ms, job.checkpoint_at,
      job.stop);
  auto reasons = std::make_shared<Rejections>();
  get(in, *reasons);
  if (in.u8() == 1) job.reasons = std::move(reasons);
  return spec;
}

}  // namespace

std::string ClusterState::save() const {
  ByteWriter out;
  put(out, kFormat, revision_, room_revision_, fit_revision_, term_, now_, *topology_);
  policies_.save(out);
  out.varint(models_.size());
  for (const ModelRecord& model : models_) put(out, *model.gpu);
  out.varint(partitions_.size());
  for (const auto& partition : partitions_) put(out, *partition);
  put(out, trust_domains_);
  out.varint(queues().size());
  for (const QueueRecord& queue : queues()) put(out, *queue.spec);
  save_card_kinds(out);
  out.varint(nodes_.size());
  for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
    const NodeRecord& node = nodes_[n];
    put(out, *node.spec, node.condition, node.condition_since, node.otherwise);
    for (std::uint16_t c = 0; c < node.cards.size(); ++c) save_card(out, NodeIndex(n), c);
  }
  out.u8(fit_ == nullptr ? 0 : 1);
  if (fit_ != nullptr) put(out, *fit_);
  put(out, prices_, arrivals_, fitted_at_, priced_at_);
  out.u8(standings_ == nullptr ? 0 : 1);
  if (standings_ != nullptr) put(out, *standings_);
  out.varint(shapes_.size());
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const Shape& shape = shapes_.at(ShapeIndex(static_cast<std::uint32_t>(i)));
    put(out, shape.request, shape.share_mode, shape.domain, shape.partition,
        i < sightings_.size() ? sightings_[i] : std::uint64_t{0});
  }
  save_work(out);
  return out.take();
}

void ClusterState::save_work(ByteWriter& out) const {
  const std::vector<JobId> ids = jobs_.sorted_ids();
  std::vector<SpecIndex> used;
  LookupMap<SpecIndex, std::size_t> number;
  for (const JobId id : ids) {
    const SpecIndex spec = jobs_.at(id).spec;
    if (number.insert(spec, used.size())) used.push_back(spec);
  }
  out.varint(used.size());
  for (const SpecIndex spec : used) {
    put(out, *specs_[spec.value()].spec, specs_[spec.value()].home);
  }
  out.varint(ids.size());
  for (const JobId id : ids) {
    const JobRecord& job = jobs_.at(id);
    put_job(out, job, *number.find(job.spec));
  }
  const std::vector<LeaseId> leases = leases_.sorted_ids();
  out.varint(leases.size());
  for (const LeaseId id : leases) put(out, leases_.at(id));
  put(out, next_job_, next_lease_, totals_, ledger_);
  save_usage(out);
  run_times_.save(out);
  out.varint(request_order_.size());
  for (const std::string& id : request_order_) put(out, id, *requests_.find(id));
}

// What queues held so far; what they hold now follows from the leases.
void ClusterState::save_usage(ByteWriter& out) const {
  for (const QueueRecord& queue : queues()) {
    // what has never been booked is nothing that the leases do not say
    const auto booked = [](const FlavourUsage& usage) { return usage.since > 0; };
    out.varint(
        static_cast<std::uint64_t>(std::count_if(queue.usage.begin(), queue.usage.end(), booked)));
    for (const FlavourUsage& usage : queue.usage) {
      if (booked(usage)) put(out, usage);
    }
  }
}

// Rebuilds a state part by part; the reader is asked for malformed bytes after each. Bytes that
// Berth has not written are refused, whatever they say: what is accepted of the present format
// writes the same bytes.
class StateLoader {
 public:
  explicit StateLoader(std::string_view bytes) : bytes_(bytes), in_(bytes) {}

  Result<ClusterState> load() {
    if (auto s = read_format(in_, "the state"); !s) return tl::unexpected(s.error());
    std::uint64_t counters[4] = {};
    TimeMs now = 0;
    auto topology = std::make_shared<TopologySpec>();
    get(in_, counters[0], counters[1], counters[2], counters[3], now, *topology);
    state_.policies_.load(in_);
    if (auto s = good(); !s) return tl::unexpected(s.error());
    if (auto s = validate(*topology); !s) return tl::unexpected(s.error());
    if (!state_.policies_.all_of(usable)) return tl::unexpected(contradiction("a policy").error());
    state_.topology_ = std::move(topology);
    state_.build_topology_tree();
    Status (StateLoader::*const parts[])() = {&StateLoader::load_tenants, &StateLoader::load_nodes,
                                              &StateLoader::load_learned, &StateLoader::load_jobs,
                                              &StateLoader::load_leases,  &StateLoader::load_ends};
    for (const auto part : parts) {
      if (auto s = (this->*part)(); !s) return tl::unexpected(s.error());
    }
    state_.revision_ = counters[0];
    state_.room_revision_ = counters[1];
    state_.fit_revision_ = counters[2];
    state_.term_ = counters[3];
    state_.now_ = now;
    for (const auto& [job, reservation] : state_.ledger_.reservations) {
      state_.keep_nodes(*reservation, job);
    }
    state_.room_revision_ = counters[1];
    if (auto s = check_domains(); !s) return tl::unexpected(s.error());
    state_.build_topology_tree();  // without the removed nodes, with what jobs take of domains
    for (const JobId id : state_.jobs_.sorted_ids()) {
      const JobRecord& job = state_.jobs_.at(id);
      if (job.phase == JobPhase::kPending) state_.join_line(job);
      state_.note_short(job);
      state_.join_group(job);
      if (job.deferred_since != kNever) state_.deferring_.insert(id);
    }
    if (auto s = in_.finish(); !s) return tl::unexpected(s.error());
    if (auto s = check_whole(); !s) return tl::unexpected(s.error());
    return std::move(state_);
  }

 private:
  Status good() const {
    if (in_.ok()) return {};
    return fail(ErrorCode::kCorrupt, "malformed state at byte " + std::to_string(in_.position()));
  }
  static Status contradiction(const std::string& what) {
    return fail(ErrorCode::kCorrupt, "the state contradicts itself: " + what);
  }

  static bool usable(const PolicySpec& policy) {
    const auto known = [](const ScoreWeight& wanted) {
      return make_score(wanted.score) != nullptr;
    };
    return validate(policy).has_value() &&
           std::all_of(policy.scores.begin(), policy.scores.end(), known);
  }

  Status load_tenants() {
    for (std::size_t i = in_.count(); i > 0 && in_.ok(); --i) {
      if (auto s = load_model(); !s) return s;
    }
    for (std::size_t i = in_.count(); i > 0 && in_.ok(); --i) {
      auto partition = std::make_shared<PartitionSpec>();
      get(in_, *partition);
      if (auto s = validate(*partition); !s) return s;
      if (!state_.find_partition(partition->name).is_none()) return contradiction("a partition");
      state_.on(PartitionDeclared{std::move(partition)});
    }
    std::vector<std::string> domains;
    get(in_, domains);
    for (const std::string& name : domains) state_.intern_trust_domain(name);
    for (std::size_t i = in_.count(); i > 0 && in_.ok(); --i) {
      if (auto s = load_queue(); !s) return s;
    }
    return good();
  }

  Status load_model() {
    auto model = std::make_shared<GpuModel>();
    get(in_, *model);
    if (auto s = validate(*model); !s) return s;
    if (model->has_mig() && !MigGeometry::create(*model)) return contradiction("a MIG grid");
    bool known = !state_.find_model(model->name).is_none();
    for (const std::string& alias : model->aliases) {
      known = known || !state_.find_model(alias).is_none();
    }
    if (known) return contradiction("a GPU model");
    state_.on(ModelDeclared{std::move(model)});
    return {};
  }

  // A parent is declared before its children and stays their parent.
  Status load_queue() {
    auto queue = std::make_shared<QueueSpec>();
    get(in_, *queue);
    if (auto s = validate(*queue); !s) return s;
    const bool orphan = !queue->parent.empty() && state_.find_queue(queue->parent).is_none();
    if (orphan || !state_.find_queue(queue->name).is_none()) return contradiction("a queue");
    state_.on(QueueDeclared{std::move(queue)});
    return {};
  }

  Status load_nodes() {
    if (!state_.load_card_kinds(in_)) return contradiction("a kind of card");
    const std::size_t count = in_.count();
    for (std::size_t i = 0; i < count && in_.ok(); ++i) {
      auto spec = std::make_shared<NodeSpec>();
      NodeCondition condition = NodeCondition::kReady;
      TimeMs since = 0;
      NodeCondition otherwise = NodeCondition::kReady;
      get(in_, *spec, condition, since);
      if (in_.format() >= 8) get(in_, otherwise);
      const bool is_lost = condition == NodeCondition::kLost;
      if (is_gone(otherwise) || (!is_lost && otherwise != NodeCondition::kReady)) {
        return contradiction("a node's condition");
      }
      if (auto s = state_.check_node(*spec); !s) return s;
      if (!state_.find_node(spec->name).is_none()) return contradiction("a node");
      const NodeIndex node(static_cast<std::uint32_t>(i));
      state_.on(NodeJoined{node, std::move(spec)});
      state_.leave_slot(node);
      NodeRecord& record = state_.nodes_[i];
      record.condition = condition;
      record.condition_since = since;
      record.otherwise = otherwise;
      if (condition == NodeCondition::kRemoved) {
        state_.nodes_by_name_.erase(record.spec->name);
        state_.count_capacity(record, -1);
      }
      for (CardState& card : record.cards) {
        if (!state_.load_card(in_, card)) return contradiction("a card's layout");
      }
      state_.enter_slot(node);
    }
    return good();
  }

  Status load_learned() {
    if (in_.u8() == 1) {
      auto fit = std::make_shared<Fit>();
      get(in_, *fit);
      if (auto s = validate(*fit); !s) return s;
      state_.fit_ = std::move(fit);
    }
    get(in_, state_.prices_, state_.arrivals_, state_.fitted_at_, state_.priced_at_);
    if (in_.u8() == 1) {
      auto standings = std::make_shared<Standings>();
      get(in_, *standings);
      for (const QueueStanding& one : standings->queues) {
        if (one.queue.value() >= state_.queues().size()) return contradiction("a standing");
      }
      state_.standings_ = std::move(standings);
    }
    const std::size_t count = in_.count();
    for (std::size_t i = 0; i < count && in_.ok(); ++i) {
      Shape shape;
      std::uint64_t seen = 0;
      get(in_, shape.request, shape.share_mode, shape.domain, shape.partition, seen);
      const bool known_domain =
          shape.domain.is_none() || shape.domain.value() < state_.trust_domains_.size();
      const bool known_partition =
          shape.partition.is_none() || shape.partition.value() < state_.partitions_.size();
      if (!known_domain || !known_partition) return contradiction("a shape");
      if (state_.intern_shape(std::move(shape)).value() != i) return contradiction("a shape");
      state_.sightings_.push_back(seen);
    }
    return good();
  }

  bool is_home(const JobSpec& spec, const SpecHome& home) const {
    return !home.queue.is_none() && home.queue == state_.find_queue(spec.queue) &&
           (home.partition.is_none() || home.partition.value() < state_.partitions_.size()) &&
           home.trust_domain.value() < state_.trust_domains_.size();
  }

  Status load_jobs() {
    struct Known {
      JobSpecPtr spec;
      SpecHome home;
    };
    std::vector<Known> specs;
    for (std::size_t i = in_.count(); i > 0 && in_.ok(); --i) {
      auto spec = std::make_shared<JobSpec>();
      SpecHome home;
      get(in_, *spec, home);
      if (auto s = validate(*spec); !s) return s;
      if (!is_home(*spec, home)) return contradiction("where a job belongs");
      specs.push_back({std::move(spec), home});
    }
    for (std::size_t i = in_.count(); i > 0 && in_.ok(); --i) {
      JobRecord job;
      const std::uint64_t spec = get_job(in_, job);
      if (spec >= specs.size() || job.id.is_none() || state_.find_job(job.id) != nullptr) {
        return contradiction("a job");
      }
      if (job.deferred_since != kNever && job.phase != JobPhase::kPending) {
        return contradiction("a job that waits for a better place");
      }
      job.spec = state_.intern_spec(specs[spec].spec, specs[spec].home);
      if (!state_.jobs_by_name_.insert(job.name, job.id)) return contradiction("a job's name");
      state_.jobs_.insert(std::move(job));
    }
    return good();
  }

  Status load_leases() {
    for (std::size_t i = in_.count(); i > 0 && in_.ok(); --i) {
      Lease lease;
      get(in_, lease);
      JobRecord* job = state_.jobs_.find(lease.job);
      if (job == nullptr || lease.id.is_none() || state_.find_lease(lease.id) != nullptr) {
        return contradiction("a lease");
      }
      const SpecRecord& spec = state_.spec_of(*job);
      const TaskPlacement& where = lease.placement;
      if (where.role >= spec.shapes.size() || where.node.value() >= state_.nodes_.size() ||
          (where.task >= spec.spec->roles[where.role].count &&
           lease.state != LeaseState::kRevoking)) {
        return contradiction("a lease's place");
      }
      Status held = lease.state == LeaseState::kPromised ? hold_promise(lease, *job)
                                                         : hold_lease(lease, *job);
      if (!held) return held;
      state_.leases_.insert(std::move(lease));
    }
    return good();
  }

  Status hold_lease(const Lease& lease, JobRecord& job) {
    if (job.phase == JobPhase::kPending) return contradiction("a lease of a waiting job");
    const SpecRecord& spec = state_.spec_of(job);
    const TaskPlacement& where = lease.placement;
    const Shape& shape = state_.shapes_.at(spec.shapes[where.role]);
    if (lease.lateness != Lateness::kInTime && lease.state != LeaseState::kRevoking) {
      return contradiction("a lease that is late");
    }
    if (lease.image_mib < 0 || lease.image_mib > kAmountLimit) return contradiction("an image");
    if (lease.off_cards) {
      state_.take_host(where.node, shape.request.memory_mib, 1);
    } else {
      if (!state_.can_hold(where.node, shape, where.grants)) return contradiction("capacity");
      state_.take(where.node, shape, where.grants);
      if (lease.is_charged()) {
        state_.hold_quota(spec, state_.charges_of(shape, where.node, where.grants), 1);
      }
    }
    if (lease.image_mib > 0) state_.take_host(where.node, lease.image_mib, 1);
    state_.note_lease(where.node, lease.id, true);
    job.leases.push_back(lease.id);
    if (job.leases.size() == 1) state_.note_holder(job);
    return {};
  }

  Status hold_promise(const Lease& lease, JobRecord& job) {
    const SpecRecord& spec = state_.spec_of(job);
    const TaskPlacement& where = lease.placement;
    const NodeRecord& node = state_.node(where.node);
    const bool has_cards =
        std::all_of(where.grants.begin(), where.grants.end(), [&](const CardGrant& grant) {
          return grant.card < node.cards.size() && node.cards[grant.card].promises < 255;
        });
    const bool may = job.phase == JobPhase::kPending || job.phase == JobPhase::kReleasing;
    if (!may || job.receipt.is_none() || !has_cards) return contradiction("a promise");
    const Shape& shape = state_.shapes_.at(spec.shapes[where.role]);
    state_.promise(where.node, shape, where.grants, 1);
    if (state_.counts_promise(job, where)) {
      state_.hold_quota(spec, state_.charges_of(shape, where.node, where.grants), 1);
    }
    job.promises.push_back(lease.id);
    return {};
  }

  Status load_ends() {
    get(in_, state_.next_job_, state_.next_lease_, state_.totals_, state_.ledger_);
    for (const JobId id : state_.jobs_.sorted_ids()) {
      if (id.value() >= state_.next_job_) return contradiction("a job's number");
    }
    for (const LeaseId id : state_.leases_.sorted_ids()) {
      if (id.value() >= state_.next_lease_) return contradiction("a lease's number");
    }
    for (const auto& [id, record] : state_.ledger_.receipts) {
      if (record.outcome == ReceiptOutcome::kOpen) state_.ledger_.open.insert(id);
    }
    if (!is_ledger_sound(state_) || !state_.load_regeometries()) {
      return contradiction("the ledger");
    }
    if (auto s = load_usage(); !s) return s;
    state_.run_times_.load(in_);
    for (const JobId id : state_.jobs_.sorted_ids()) {
      const JobRecord& job = state_.jobs_.at(id);
      if (job.started_at == kNever) continue;
      state_.run_times_.start(state_.spec_of(job).kind, job.running_since());
    }
    for (std::size_t i = in_.count(); i > 0 && in_.ok(); --i) {
      RequestSeen seen;
      get(in_, seen);
      state_.on(seen);
    }
    return good();
  }

  Status load_usage() {
    for (std::size_t q = 0; q < state_.queues().size(); ++q) {
      for (std::size_t i = in_.count(); i > 0 && in_.ok(); --i) {
        FlavourUsage usage;
        get(in_, usage);
        if (usage.flavour.value() >= state_.quota_.flavour_count()) return contradiction("usage");
        state_.quota_.restore(QueueIndex(static_cast<std::uint32_t>(q)), usage);
      }
    }
    return good();
  }

  Status check_domains() const {
    for (const JobId id : state_.jobs_.sorted_ids()) {
      const JobRecord& job = state_.jobs_.at(id);
      if (job.domain_level.empty()) continue;
      if (!state_.topology_tree_.find(job.domain_level, job.domain_name).is_none()) continue;
      return contradiction("a job's domain");
    }
    return {};
  }

  // What no single part shows. Whether gangs are whole is not asked: a state may be saved between
  // two events of one decision.
  Status check_whole() const {
    for (const auto& [partition, policy] : state_.policies_.trials()) {
      const bool is_known = partition.is_none() || partition.value() < state_.partition_count();
      if (!is_known) return contradiction("a policy on trial");
    }
    if (in_.format() < kFormat) return {};
    return state_.save() == bytes_ ? Status{} : contradiction("it is not what Berth writes");
  }

  std::string_view bytes_;
  ByteReader in_;
  ClusterState state_;
};

Result<ClusterState> ClusterState::load(std::string_view bytes) {
  return StateLoader(bytes).load();
}

}  // namespace berth::engine
