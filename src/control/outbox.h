// Outbox: calls to an executor that wait until the journal has what they follow from. Each is kept
// as it was when it was made, whatever becomes of its lease meanwhile.
#pragma once

#include <variant>
#include <vector>

#include "control/ports.h"

namespace berth::control {

class Outbox final : public Executor {
 public:
  void prepare(const Lease& lease, const JobSpec& spec) override { keep(kPrepare, lease, spec); }
  void start(const Lease& lease, const JobSpec& spec) override { keep(kStart, lease, spec); }
  void move(const Lease& lease, const JobSpec& spec) override { keep(kMove, lease, spec); }
  void resume(const Lease& lease, const JobSpec& spec) override { keep(kResume, lease, spec); }
  void revoke(const Lease& lease, ReclaimGrade grade) override {
    calls_.emplace_back(Revoke{lease, grade});
  }
  void change_layout(const LayoutAsk& ask) override { calls_.emplace_back(ask); }

  // Makes the calls, in their order.
  void send(Executor& to);
  void clear() { calls_.clear(); }

 private:
  enum What : std::uint8_t { kPrepare, kStart, kMove, kResume };
  struct Task {
    What what = kPrepare;
    Lease lease;
    JobSpec spec;
  };
  struct Revoke {
    Lease lease;
    ReclaimGrade grade = ReclaimGrade::kKill;
  };
  using Call = std::variant<Task, Revoke, LayoutAsk>;

  void keep(What what, const Lease& lease, const JobSpec& spec) {
    calls_.emplace_back(Task{what, lease, spec});
  }
  static void make(Executor& to, const Task& task);

  std::vector<Call> calls_;
};

}  // namespace berth::control
