// A controller with simple ports, for tests: a clock that is set by hand, an executor that writes
// down what it was told, a journal in memory of events. Tests only.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "control/controller.h"
#include "model/serial.h"

namespace berth::control::testing {

class ManualClock final : public Clock {
 public:
  TimeMs now() const override { return now_; }
  void set(TimeMs now) { now_ = now; }

 private:
  TimeMs now_ = 0;
};

// "prepare 1", "start 1", "revoke 1 kill", in the order of the calls.
class RecordingExecutor final : public Executor {
 public:
  void prepare(const Lease& lease, const JobSpec& /*spec*/) override { note("prepare", lease); }
  void start(const Lease& lease, const JobSpec& /*spec*/) override { note("start", lease); }
  void revoke(const Lease& lease, ReclaimGrade grade) override {
    note("revoke", lease);
    calls.back() += " " + std::string(word(grade));
  }
  void change_layout(const LayoutAsk& ask) override {
    std::string text = "layout " + std::to_string(ask.number) + ":";
    for (const MigInstanceSpec& one : ask.wanted) {
      text += " " + one.profile + "@" + std::to_string(one.start);
    }
    calls.push_back(std::move(text));
  }
  std::vector<std::string> calls;

 private:
  void note(const std::string& what, const Lease& lease) {
    calls.push_back(what + " " + std::to_string(lease.id.value()));
  }
};

class CountingMetrics final : public Metrics {
 public:
  void count(std::string_view name, std::uint64_t by) override { counts[std::string(name)] += by; }
  void waited(const JobWait& wait) override { waits.push_back(wait); }
  std::map<std::string, std::uint64_t> counts;
  std::vector<JobWait> waits;
};

// Batches as they were committed; refuses when told to.
class EventJournal final : public Journal {
 public:
  Status append(std::uint64_t first_revision, std::span<const EventBatch> more) override {
    if (broken) return fail(ErrorCode::kUnavailable, "the disk is full");
    if (first_revision != revision) return fail(ErrorCode::kConflict, "not the next batch");
    ++appends;
    for (const EventBatch& events : more) {
      batches.push_back(events);
      revision += events.size();
    }
    return {};
  }
  Status replay(std::uint64_t /*after*/,
                const std::function<Status(const EventBatch&)>& visit) const override {
    for (const EventBatch& batch : batches) {
      if (auto s = visit(batch); !s) return s;
    }
    return {};
  }
  std::vector<EventBatch> batches;
  std::uint64_t revision = 0;
  int appends = 0;
  bool broken = false;
};

// Learns nothing but an empty mix.
class NoLearner final : public Learner {
 public:
  FitPtr learn(const engine::ClusterState& /*state*/) override {
    return std::make_shared<const Fit>();
  }
};

struct Fixture {
  explicit Fixture(ControllerOptions options = {})
      : controller({journal, executor, clock, metrics, learner}, options) {}

  ManualClock clock;
  RecordingExecutor executor;
  CountingMetrics metrics;
  EventJournal journal;
  NoLearner learner;
  Controller controller;
};

}  // namespace berth::control::testing
