#include "engine/state/trial.h"

namespace berth::engine {

void Trial::take(ShapeIndex shape, NodeIndex node, const CardGrants& grants) {
  state_.take(node, state_.shapes().at(shape), grants);
  steps_.push_back({Kind::kTake, shape, node, grants, {}, {}, {}, {}});
}

void Trial::give(ShapeIndex shape, NodeIndex node, const CardGrants& grants) {
  state_.give(node, state_.shapes().at(shape), grants);
  steps_.push_back({Kind::kGive, shape, node, grants, {}, {}, {}, {}});
}

void Trial::take(DomainIndex domain, const std::vector<Countable>& resources) {
  state_.take(domain, resources, 1);
  steps_.push_back({Kind::kDomain, {}, {}, {}, {}, domain, {}, resources});
}

void Trial::give(DomainIndex domain, const std::vector<Countable>& resources) {
  state_.take(domain, resources, -1);
  steps_.push_back({Kind::kGiveDomain, {}, {}, {}, {}, domain, {}, resources});
}

void Trial::keep(NodeIndex node, JobId job) {
  steps_.push_back({Kind::kKeep, {}, node, {}, {}, {}, state_.node(node).held_for, {}});
  state_.keep(node, job);
}

void Trial::charge(SpecIndex spec, ShapeIndex shape, NodeIndex node, const CardGrants& grants) {
  hold(spec, shape, node, grants, 1);
  steps_.push_back({Kind::kCharge, shape, node, grants, spec, {}, {}, {}});
}

void Trial::release(SpecIndex spec, ShapeIndex shape, NodeIndex node, const CardGrants& grants) {
  give(shape, node, grants);
  hold(spec, shape, node, grants, -1);
  steps_.push_back({Kind::kUncharge, shape, node, grants, spec, {}, {}, {}});
}

void Trial::hold(SpecIndex spec, ShapeIndex shape, NodeIndex node, const CardGrants& grants,
                 int sign) {
  const auto charges = state_.charges_of(state_.shapes().at(shape), node, grants);
  state_.hold_quota(state_.spec(spec), charges, sign);
}

void Trial::rollback(Checkpoint to) {
  while (steps_.size() > to) {
    const Step& step = steps_.back();
    switch (step.kind) {
      case Kind::kTake:
        state_.give(step.node, state_.shapes().at(step.shape), step.grants);
        break;
      case Kind::kGive:
        state_.take(step.node, state_.shapes().at(step.shape), step.grants);
        break;
      case Kind::kCharge:
        hold(step.spec, step.shape, step.node, step.grants, -1);
        break;
      case Kind::kUncharge:
        hold(step.spec, step.shape, step.node, step.grants, 1);
        break;
      case Kind::kKeep:
        state_.keep(step.node, step.kept_for);
        break;
      case Kind::kDomain:
        state_.take(step.domain, step.resources, -1);
        break;
      case Kind::kGiveDomain:
        state_.take(step.domain, step.resources, 1);
        break;
    }
    steps_.pop_back();
  }
}

}  // namespace berth::engine
