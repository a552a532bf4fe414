#include "bench/preempt/play.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "bench/common/cpu_clock.h"
#include "bench/preempt/meter.h"
#include "control/learner.h"
#include "journal/memory_journal.h"

namespace berth::bench::preempt {
namespace {

constexpr Mib kGib = 1024;
constexpr Mib kStateMib = 40 * kGib;  // of a job, on each card
constexpr Mib kCardMib = 80 * kGib;   // of the models that the trace does not name, too
constexpr Mib kHostMib = 256 * kGib;  // for each card
constexpr Mib kJobHostMib = 64 * kGib;
constexpr CpuMilli kJobCpuMilli = 8'000;
constexpr ProcessSuspension kRates = {2, 1'638, 5'632, 480};
constexpr DurationMs kMeasuredReleaseMs = kSecondMs;
constexpr DurationMs kSpareGraceMs = 15 * kSecondMs;  // beyond what a checkpoint takes
constexpr DurationMs kSavesEveryMs = kHourMs;
// GFS's simulator: paid by whoever is interrupted, up to 8 cards and beyond.
constexpr DurationMs kSmallRestartMs = 40 * kSecondMs;
constexpr DurationMs kLargeRestartMs = 60 * kSecondMs;

Mib card_mib(const std::string& model) { return model == "A10" ? 24 * kGib : kCardMib; }
Mib image_mib(const Pool& pool) { return std::min(kStateMib, card_mib(pool.model)); }

DurationMs transfer_ms(Mib size, std::int64_t mib_per_s) {
  return (size * kSecondMs + mib_per_s - 1) / mib_per_s;
}

CheckpointSpec measured_saving(const Arrival& job, const Pool& pool) {
  CheckpointSpec saving;
  const Mib image = image_mib(pool);
  saving.method = job.gpus == 1 ? CheckpointMethod::kDriver : CheckpointMethod::kSignal;
  saving.interval_ms = kSavesEveryMs;
  saving.duration_ms = transfer_ms(image, kRates.out_mib_per_s);
  saving.restart_ms = transfer_ms(image, kRates.in_mib_per_s);
  saving.size_mib = image;
  saving.grace_ms = saving.duration_ms + kSpareGraceMs;
  saving.acknowledges = !job.silent;
  return saving;
}

// Nobody is asked: the work is stopped at once.
CheckpointSpec recomputed_saving(const Arrival& job) {
  CheckpointSpec saving;
  saving.method = CheckpointMethod::kDriver;
  saving.interval_ms = kSavesEveryMs;
  saving.restart_ms = job.gpus <= kWorkerCards ? kSmallRestartMs : kLargeRestartMs;
  return saving;
}

Role role_of(int tasks, int cards) {
  Container container;
  container.name = "main";
  container.cpu_milli = kJobCpuMilli * cards;
  container.memory_mib = kJobHostMib * cards;
  container.devices.count = static_cast<std::uint32_t>(cards);
  Role role;
  role.count = static_cast<std::uint32_t>(tasks);
  role.containers.push_back(std::move(container));
  return role;
}

QueueSpec queue_of(const char* name, const Pool& pool, std::size_t cards, Split split) {
  FlavourQuota quota;
  quota.model = pool.model;
  quota.guarantee = static_cast<CardUnits>(cards) * kCard;
  if (split == Split::kFixed) quota.limit = quota.guarantee;
  QueueSpec queue;
  queue.name = name;
  queue.quotas.push_back(std::move(quota));
  return queue;
}

std::vector<QueueSpec> queues_of(const Pool& pool, Split split) {
  const std::size_t all = pool.cards();
  const auto part = static_cast<std::size_t>(kFixedUrgentPart * static_cast<double>(all));
  const std::size_t urgent = split == Split::kFixed ? part : all;
  return {queue_of(kUrgentQueue, pool, urgent, split),
          queue_of(kSpotQueue, pool, all - urgent, split)};
}

std::vector<NodeSpec> nodes_of(const Pool& pool) {
  std::vector<NodeSpec> nodes;
  for (const NodeShape& shape : pool.shapes) {
    for (std::size_t n = 0; n < shape.nodes; ++n) {
      NodeSpec node;
      node.name = "n" + std::to_string(nodes.size());
      node.model = pool.model;
      node.cpu_milli = static_cast<CpuMilli>(shape.cpus) * 1'000;
      node.memory_mib = kHostMib * shape.cards;
      node.cards.resize(static_cast<std::size_t>(shape.cards));
      nodes.push_back(std::move(node));
    }
  }
  return nodes;
}

// Equal jobs share one spec.
std::vector<sim::SimJob> jobs_of(const std::vector<Arrival>& load, const Pool& pool,
                                 CostModel cost) {
  std::map<std::tuple<bool, bool, int>, JobSpecPtr> specs;
  std::vector<sim::SimJob> jobs;
  jobs.reserve(load.size());
  for (const Arrival& job : load) {
    JobSpecPtr& spec = specs[{job.urgent, job.silent, job.gpus}];
    if (spec == nullptr) spec = spec_of(job, pool, cost);
    jobs.push_back({job.at, "j" + std::to_string(jobs.size()), spec, job.run_ms});
  }
  return jobs;
}

}  // namespace

JobSpecPtr spec_of(const Arrival& job, const Pool& pool, CostModel cost) {
  auto spec = std::make_shared<JobSpec>();
  spec->queue = job.urgent ? kUrgentQueue : kSpotQueue;
  const int workers = std::max(1, job.gpus / kWorkerCards);
  spec->roles.push_back(role_of(workers, job.gpus / workers));
  if (job.urgent) return spec;
  spec->checkpoint =
      cost == CostModel::kMeasured ? measured_saving(job, pool) : recomputed_saving(job);
  return spec;
}

DurationMs most_lost(const JobSpec& spec, CostModel cost) {
  if (cost == CostModel::kRecompute) return 0;
  return kRates.lock_ms + spec.checkpoint.duration_ms + spec.checkpoint.restart_ms +
         kMeasuredReleaseMs;
}

sim::SimInput input_of(const Pool& pool, std::vector<Arrival> load, CostModel cost,
                       const Contestant& contestant) {
  sim::SimInput input;
  input.name = pool.model;
  GpuModel model = nominal_model(pool.model, "nvidia", "trace", card_mib(pool.model));
  if (cost == CostModel::kMeasured) model.suspension = kRates;
  input.models.push_back(std::move(model));
  input.topology.levels = {"card", "node"};
  input.queues = queues_of(pool, contestant.split);
  input.nodes = nodes_of(pool);
  input.policy = contestant.policy;
  input.jobs = std::make_unique<sim::ListedJobs>(jobs_of(load, pool, cost));
  input.settings.duration_ms = kCountedTo;
  input.settings.sample_ms = kHourMs;
  if (cost == CostModel::kMeasured) input.settings.executor.release_ms = kMeasuredReleaseMs;
  return input;
}

Result<Outcome> play(const Pool& pool, std::vector<Arrival> load, CostModel cost,
                     const Contestant& contestant) {
  journal::NullJournal journal;
  control::FitLearner learner;
  Meter meter(learner, kUrgentQueue, kCountedFrom, kCountedTo,
              [&](const JobSpec& spec) { return most_lost(spec, cost); });
  const double start_s = cpu_seconds();
  sim::Simulation simulation(input_of(pool, std::move(load), cost, contestant), {journal, meter});
  meter.set_work_of([&](JobId job) { return simulation.work(job); });
  if (auto s = simulation.begin(); !s) return tl::unexpected(s.error());
  const auto at_sample = [&](const sim::Progress& progress) {
    if (progress.at == kCountedFrom) meter.begin(simulation.work());
  };
  if (auto s = simulation.run(at_sample); !s) return tl::unexpected(s.error());
  Outcome outcome = meter.end(simulation.work(), pool.cards());
  outcome.cpu_s = cpu_seconds() - start_s;
  return outcome;
}

}  // namespace berth::bench::preempt
