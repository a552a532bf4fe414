#include "control/outbox.h"

#include <utility>

namespace berth::control {

void Outbox::send(Executor& to) {
  for (const Call& call : std::exchange(calls_, {})) {
    if (const auto* task = std::get_if<Task>(&call)) {
      make(to, *task);
    } else if (const auto* revoke = std::get_if<Revoke>(&call)) {
      to.revoke(revoke->lease, revoke->grade);
    } else {
      to.change_layout(std::get<LayoutAsk>(call));
    }
  }
}

void Outbox::make(Executor& to, const Task& task) {
  switch (task.what) {
    case kPrepare:
      return to.prepare(task.lease, task.spec);
    case kStart:
      return to.start(task.lease, task.spec);
    case kMove:
      return to.move(task.lease, task.spec);
    case kResume:
      return to.resume(task.lease, task.spec);
  }
}

}  // namespace berth::control
