// Workloads as users write them: streams of generated jobs, and traces to replay. Plain data; the
// fields for users are declared in workload_codec.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/job.h"
#include "model/words.h"
#include "sim/workload/distribution.h"

namespace berth::sim {

enum class ArrivalProcess : std::uint8_t { kPoisson, kConstant, kBursts };

struct ArrivalSpec {
  ArrivalProcess process = ArrivalProcess::kPoisson;
  double per_hour = 0;           // jobs, on the mean of a curve of ones
  std::uint32_t burst_jobs = 1;  // bursts: jobs of one burst
  DurationMs burst_spread_ms = 0;
  // Factors of the rate, spread evenly over the day, straight lines between them; empty: 1.
  std::vector<double> daily;
  friend bool operator==(const ArrivalSpec&, const ArrivalSpec&) = default;
};

// One size of job with its weight among the stream's.
struct ShapeChoice {
  double weight = 1;
  std::uint32_t tasks = 1;
  CpuMilli cpu_milli = 0;  // per task
  Mib memory_mib = 0;
  DeviceRequest devices;
  friend bool operator==(const ShapeChoice&, const ShapeChoice&) = default;
};

struct TeamChoice {
  std::string queue;
  double weight = 1;
  friend bool operator==(const TeamChoice&, const TeamChoice&) = default;
};

// What a checkpoint costs by the memory that it saves; all cards write and read at once.
struct CheckpointCost {
  Mib per_card_mib = 0;            // saved of each card
  std::int64_t out_mib_per_s = 0;  // each card; 0: only what the checkpoint says
  std::int64_t in_mib_per_s = 0;
  friend bool operator==(const CheckpointCost&, const CheckpointCost&) = default;
};

// What jobs say of how long they run.
enum class Declared : std::uint8_t { kNothing, kRunTime };

struct StreamSpec {
  std::string name;
  JobClass job_class = JobClass::kTraining;
  std::int32_t priority = 0;
  bool elastic = false;
  bool spot = false;
  bool is_protected = false;
  std::string partition;  // empty: the class's
  DurationMs min_run_ms = 0;
  Declared declared = Declared::kNothing;
  CheckpointSpec checkpoint;
  CheckpointCost checkpoint_cost;  // on top
  Ppm unacknowledged_ppm = 0;      // part of the jobs that never answer
  ArrivalSpec arrivals;
  std::vector<ShapeChoice> shapes;
  DurationSpec durations;
  std::vector<TeamChoice> teams;
  std::uint64_t jobs = 0;  // ends after so many; 0: never
  friend bool operator==(const StreamSpec&, const StreamSpec&) = default;
};

enum class TraceFormat : std::uint8_t { kPlain, kOpenb, kPhilly };

struct TraceSpec {
  TraceFormat format = TraceFormat::kPlain;
  std::string jobs;                          // path of the jobs' csv
  std::string queue;                         // of jobs that name none
  JobClass job_class = JobClass::kTraining;  // of jobs that name none
  double speedup = 1;                        // divides the times of arrival; run times stay
  std::uint64_t most = 0;                    // jobs, the first ones; 0: all
  friend bool operator==(const TraceSpec&, const TraceSpec&) = default;
};

struct Workload {
  std::string name;
  std::vector<StreamSpec> streams;
  std::vector<TraceSpec> traces;
  friend bool operator==(const Workload&, const Workload&) = default;
};

Status validate(const ArrivalSpec& arrivals);
Status validate(const CheckpointCost& cost);
Status validate(const StreamSpec& stream);
Status validate(const Workload& workload);

}  // namespace berth::sim

namespace berth {

BERTH_WORDS(sim::ArrivalProcess, "poisson", "constant", "bursts");
BERTH_WORDS(sim::Declared, "nothing", "run-time");
BERTH_WORDS(sim::TraceFormat, "plain", "openb", "philly");

}  // namespace berth
