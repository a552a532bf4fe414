#include "engine/state/trial.h"

namespace berth::engine {

void Trial::take(ShapeIndex shape, NodeIndex node, const CardGrants& grants) {
  state_.take(node, state_.shapes().at(shape), grants);
  steps_.push_back({Kind::kTake, shape, node, grants});
}

void Trial::give(ShapeIndex shape, NodeIndex node, const CardGrants& grants) {
  state_.give(node, state_.shapes().at(shape), grants);
  steps_.push_back({Kind::kGive, shape, node, grants});
}

void Trial::rollback(Checkpoint to) {
  while (steps_.size() > to) {
    const Step& step = steps_.back();
    const Shape& shape = state_.shapes().at(step.shape);
    if (step.kind == Kind::kTake) {
      state_.give(step.node, shape, step.grants);
    } else {
      state_.take(step.node, shape, step.grants);
    }
    steps_.pop_back();
  }
}

}  // namespace berth::engine
