#include "engine/state/trial.h"

namespace berth::engine {

void Trial::take(ShapeIndex shape, NodeIndex node, const CardGrants& grants) {
  state_.take(node, state_.shapes().at(shape), grants);
  steps_.push_back({Kind::kTake, shape, node, grants, {}, {}, {}, {}, 0});
}

void Trial::give(ShapeIndex shape, NodeIndex node, const CardGrants& grants) {
  state_.give(node, state_.shapes().at(shape), grants);
  steps_.push_back({Kind::kGive, shape, node, grants, {}, {}, {}, {}, 0});
}

void Trial::take(DomainIndex domain, const std::vector<Countable>& resources) {
  state_.take(domain, resources, 1);
  steps_.push_back({Kind::kDomain, {}, {}, {}, {}, domain, {}, resources, 0});
}

void Trial::give(DomainIndex domain, const std::vector<Countable>& resources) {
  state_.take(domain, resources, -1);
  steps_.push_back({Kind::kGiveDomain, {}, {}, {}, {}, domain, {}, resources, 0});
}

void Trial::keep(NodeIndex node, JobId job) {
  steps_.push_back({Kind::kKeep, {}, node, {}, {}, {}, state_.node(node).held_for, {}, 0});
  state_.keep(node, job);
}

void Trial::charge(SpecIndex spec, ShapeIndex shape, NodeIndex node, const CardGrants& grants) {
  hold(spec, shape, node, grants, 1);
  steps_.push_back({Kind::kCharge, shape, node, grants, spec, {}, {}, {}, 0});
}

void Trial::release(SpecIndex spec, ShapeIndex shape, NodeIndex node, const CardGrants& grants) {
  give(shape, node, grants);
  uncharge(spec, shape, node, grants);
}

void Trial::uncharge(SpecIndex spec, ShapeIndex shape, NodeIndex node, const CardGrants& grants) {
  hold(spec, shape, node, grants, -1);
  steps_.push_back({Kind::kUncharge, shape, node, grants, spec, {}, {}, {}, 0});
}

void Trial::promise(ShapeIndex shape, NodeIndex node, const CardGrants& grants, int sign) {
  state_.promise(node, state_.shapes().at(shape), grants, sign);
  steps_.push_back({Kind::kPromise, shape, node, grants, {}, {}, {}, {}, sign});
}

void Trial::take_host(NodeIndex node, Mib mib, int sign) {
  state_.take_host(node, mib, sign);
  steps_.push_back({Kind::kHost, {}, node, {}, {}, {}, {}, {}, sign * mib});
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
      case Kind::kPromise:
        state_.promise(step.node, state_.shapes().at(step.shape), step.grants,
                       -static_cast<int>(step.amount));
        break;
      case Kind::kHost:
        state_.take_host(step.node, step.amount, -1);
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
