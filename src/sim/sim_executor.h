// SimExecutor: carries out leases in virtual time. It puts what will happen into the event queue;
// the event loop turns that into reports to the controller.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/rng.h"
#include "control/ports.h"
#include "model/plan.h"
#include "sim/event_queue.h"
#include "sim/recorder.h"
#include "sim/settings.h"
#include "sim/virtual_clock.h"

namespace berth::sim {

enum class SimEventKind : std::uint8_t {
  kArrival,
  kPrepared,
  kPrepareFailed,
  kWorking,  // the start-up is over
  kEnded,
  kReleased,
  kDue,
  kPlan,
  kCommit,
  kSample,
  kTick
};

struct SimEvent {
  SimEventKind kind = SimEventKind::kArrival;
  std::uint32_t epoch = 0;  // of the lease
  LeaseId lease;
};
using SimQueue = EventQueue<SimEvent>;

class SimExecutor final : public control::Executor {
 public:
  // `policy` must outlive the executor.
  SimExecutor(const ExecutorSpec& spec, const PolicySpec& policy, std::uint64_t seed,
              const VirtualClock& clock, SimQueue& queue, Recorder& recorder);

  // How long the job will run once started.
  void set_run_time(JobId job, DurationMs run_ms);
  // The task has started up: it works until the end of its run time.
  void work(const Lease& lease);

  void prepare(const Lease& lease, const JobSpec& spec) override;
  void start(const Lease& lease, const JobSpec& spec) override;
  void revoke(const Lease& lease, ReclaimGrade grade) override;

 private:
  // The tasks of a gang that pass the barrier together start up in one time, that of the slowest.
  struct StartUp {
    JobId job;
    TimeMs at = kNever;
    DurationMs ms = 0;
  };

  DurationMs start_up_of(JobId job);
  void schedule(DurationMs after, SimEventKind kind, const Lease& lease);

  DurationDraw prepare_;
  DurationDraw start_up_;
  DurationMs release_ms_;
  Ppm failure_ppm_;
  const PolicySpec& policy_;
  Rng rng_;
  const VirtualClock& clock_;
  SimQueue& queue_;
  Recorder& recorder_;
  // When the tasks of a job of this epoch first started.
  struct Began {
    std::uint64_t epoch = 0;
    TimeMs at = 0;
  };

  std::vector<DurationMs> run_ms_;  // by job id
  std::vector<Began> began_;        // by job id
  StartUp last_;                    // the start-up that was drawn last
};

}  // namespace berth::sim
