#include "engine/quota/job_quota.h"

#include <algorithm>

#include "engine/placement/filters.h"

namespace berth::engine {
namespace {

// What a task of the shape takes of cards of the kind; nothing when they can never serve it.
std::optional<Charge> charge_on(const ClusterState& state, const Shape& shape,
                                CardKindIndex index) {
  const CardKind& kind = state.card_kind(index);
  Charge sum;
  for (std::size_t r = 0; r < shape.request.devices.size(); ++r) {
    const CardAsk ask = state.ask(shape, r, index);
    if (!ask.possible) return std::nullopt;
    Charge one{ask.compute, ask.memory};
    if (ask.mode == CardMode::kWhole) one = Charge{kCard, kind.usable};
    const std::uint32_t count = shape.request.devices[r].count;
    sum += Charge{saturating_mul(one.compute, count), saturating_mul(one.memory, count)};
  }
  return sum;
}

RoleFlavours flavours_of(const ClusterState& state, const Shape& shape) {
  RoleFlavours role;
  role.cpus = state.quota().find({ModelIndex::none(), shape.partition});
  role.cpus_per_task.compute = saturating_mul(shape.request.cpu_milli, kCardMilli);
  if (shape.request.devices.empty()) return role;
  for (std::uint32_t k = 0; k < state.node_kind_count(); ++k) {
    const NodeKind& kind = state.node_kind(NodeKindIndex(k));
    if (kind.flavour.is_none() || !kind_admits(state, NodeKindIndex(k), shape)) continue;
    const auto same = [&](const FlavourOption& known) { return known.flavour == kind.flavour; };
    if (std::any_of(role.cards.begin(), role.cards.end(), same)) continue;
    for (std::uint16_t c = 0; c < state.card_kind_count(); ++c) {
      if (state.card_kind(CardKindIndex(c)).model != kind.model) continue;
      const auto charge = charge_on(state, shape, CardKindIndex(c));
      if (!charge) continue;
      role.cards.push_back({kind.flavour, kind.model, *charge});
      break;
    }
  }
  // by name: what is told of them does not depend on who joined first
  std::sort(role.cards.begin(), role.cards.end(), [&](const auto& a, const auto& b) {
    return state.flavour_name(state.quota().flavour(a.flavour)) <
           state.flavour_name(state.quota().flavour(b.flavour));
  });
  return role;
}

// The admission of one job: every flavour that it may use is asked about with all that the job
// could take of it.
class JobAdmitter {
 public:
  JobAdmitter(const ClusterState& state, const std::vector<RoleFlavours>& roles,
              const SpecRecord& spec, const TaskCounts& tasks, TimeMs now)
      : state_(state), roles_(roles), spec_(spec), tasks_(tasks), now_(now) {}

  JobAdmission run() {
    JobAdmission result;
    if (auto refused = admit_cpus()) return {{}, std::move(refused), std::move(refused_by_)};
    for (std::size_t r = 0; r < roles_.size(); ++r) {
      if (tasks_[r] == 0 || roles_[r].cards.empty()) continue;
      if (auto refused = admit_role(roles_[r])) {
        return {{}, std::move(refused), std::move(refused_by_)};
      }
    }
    if (admitted_owned()) add(result, LeaseOwnership::kOwned);
    if (!all_owned_ || !admitted_owned()) add(result, LeaseOwnership::kBorrowed);
    return result;
  }

 private:
  struct Verdict {
    FlavourIndex flavour;
    Admission admission;
  };

  std::optional<Rejection> admit_cpus() {
    if (!state_.quota().counts_cpus()) return std::nullopt;
    Charge all;
    FlavourIndex flavour;
    for (std::size_t r = 0; r < roles_.size(); ++r) {
      all += times(roles_[r].cpus_per_task, tasks_[r]);
      flavour = roles_[r].cpus;
    }
    if (all.compute == 0 || flavour.is_none()) return std::nullopt;
    Admission verdict = ask(flavour, all);
    if (verdict.refusal) {
      refused_by_ = {verdict.refused_by};
      return std::move(verdict.refusal);
    }
    cpus_borrowed_ = verdict.ownership == LeaseOwnership::kBorrowed;
    return std::nullopt;
  }

  // Refused only if every flavour of the role is.
  std::optional<Rejection> admit_role(const RoleFlavours& role) {
    std::optional<Rejection> first;
    bool any = false;
    bool any_owned = false;
    refused_by_.clear();
    for (const FlavourOption& option : role.cards) {
      const Admission& verdict = verdict_of(option.flavour);
      if (verdict.refusal) {
        refused_by_.push_back(verdict.refused_by);
        if (!first) first = verdict.refusal;
        restricted_ = true;
        continue;
      }
      any = true;
      if (verdict.ownership == LeaseOwnership::kOwned) {
        any_owned = true;
      } else {
        all_owned_ = false;
      }
    }
    if (!any) return first;
    if (!any_owned) some_role_must_borrow_ = true;
    return std::nullopt;
  }

  const Admission& verdict_of(FlavourIndex flavour) {
    const auto same = [&](const Verdict& known) { return known.flavour == flavour; };
    const auto it = std::find_if(verdicts_.begin(), verdicts_.end(), same);
    if (it != verdicts_.end()) return it->admission;
    const auto count = [&](std::size_t r) { return tasks_[r]; };
    verdicts_.push_back({flavour, ask(flavour, charge_of(roles_, flavour, count))});
    return verdicts_.back().admission;
  }

  Admission ask(FlavourIndex flavour, const Charge& charge) const {
    return admit(
        state_.quota(), state_,
        {spec_.home.queue, spec_.spec->job_class, flavour, charge, spec_.spec->is_protected}, now_);
  }

  bool admitted_owned() const { return !some_role_must_borrow_ && !cpus_borrowed_; }

  void add(JobAdmission& result, LeaseOwnership ownership) {
    JobAdmission::Attempt attempt;
    attempt.ownership = ownership;
    const bool free_choice = ownership == LeaseOwnership::kOwned ? all_owned_ : true;
    if (restricted_ || !free_choice) {
      for (const RoleFlavours& role : roles_) attempt.models.push_back(choice(role, ownership));
    }
    result.attempts.push_back(std::move(attempt));
  }

  ModelChoice choice(const RoleFlavours& role, LeaseOwnership ownership) {
    ModelChoice models;
    for (const FlavourOption& option : role.cards) {
      const Admission& verdict = verdict_of(option.flavour);
      const bool owned = verdict.ownership == LeaseOwnership::kOwned;
      if (verdict.refusal || (ownership == LeaseOwnership::kOwned && !owned)) continue;
      models.push_back(option.model);
    }
    return models;
  }

  const ClusterState& state_;
  const std::vector<RoleFlavours>& roles_;
  const SpecRecord& spec_;
  const TaskCounts& tasks_;
  TimeMs now_;
  std::vector<Verdict> verdicts_;
  std::vector<QueueIndex> refused_by_;  // of the role that was looked at last
  bool restricted_ = false;             // some flavour is refused
  bool all_owned_ = true;               // no flavour that is not refused would be borrowed
  bool some_role_must_borrow_ = false;
  bool cpus_borrowed_ = false;
};

}  // namespace

const std::vector<RoleFlavours>& AskFlavours::of(const ClusterState& state, AskIndex ask) {
  const std::size_t kinds = state.card_kind_count() + state.node_kind_count();
  if (kinds_ != kinds) {
    known_.clear();
    kinds_ = kinds;
  }
  if (known_.size() <= ask.value()) known_.resize(state.asks().size());
  auto& roles = known_[ask.value()];
  if (!roles.empty()) return roles;
  for (const RoleAsk& role : state.asks().at(ask).roles) {
    roles.push_back(flavours_of(state, state.shapes().at(role.shape)));
  }
  return roles;
}

JobAdmission admit_job(const ClusterState& state, AskFlavours& flavours, const SpecRecord& spec,
                       const TaskCounts& tasks, TimeMs now) {
  if (is_unruled(state, spec)) {
    return {{{LeaseOwnership::kBorrowed, {}}}, std::nullopt, {}};
  }
  return JobAdmitter(state, flavours.of(state, spec.ask), spec, tasks, now).run();
}

TaskCounts least_tasks(const Ask& ask) {
  TaskCounts tasks;
  for (const RoleAsk& role : ask.roles) tasks.push_back(least_tasks(role));
  return tasks;
}

}  // namespace berth::engine
