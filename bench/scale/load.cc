#include "bench/scale/load.h"

#include <algorithm>

#include "model/job.h"

namespace berth::bench::scale {
namespace {

// Of the cards: those that gangs hold, and all that are held when the fleet is full.
constexpr std::size_t kGangCardsPct = 25;
constexpr std::size_t kFullPct = 98;
constexpr std::size_t kRefusalsInARow = 3000;  // then nothing fits any more

// An instance counts by the slices of its profile, of seven.
double part_of_card(const DeviceRequest& devices) {
  if (devices.kind == ShareKind::kMig) return (devices.mig_profile[0] - '0') / 7.0;
  return static_cast<double>(devices.compute) / static_cast<double>(kCard);
}

double cards_of(const JobSpec& spec) {
  double cards = 0;
  for (const Role& role : spec.roles) {
    const DeviceRequest& devices = role.containers.front().devices;
    cards += part_of_card(devices) * devices.count * role.count;
  }
  return cards;
}

void declare(Cluster& cluster, const Tenants& tenants) {
  for (const GpuModel& model : tenants.models) cluster.execute(DeclareModel{model});
  cluster.execute(DeclareTopology{tenants.topology});
  for (const QueueSpec& queue : tenants.queues) cluster.execute(DeclareQueue{queue});
  cluster.execute(SetPolicy{PolicySpec{}, {}});
  for (const NodeSpec& node : tenants.nodes) cluster.execute(JoinNode{node});
}

// Gangs first: later there would be no leaf for them. Those without a place are given up.
double run_gangs(Cluster& cluster, double wanted, Draws& draws) {
  double held = 0;
  std::vector<JobId> gangs;
  while (held < wanted) {
    const JobSpecPtr spec = draws.gang();
    gangs.push_back(cluster.submit(spec));
    held += cards_of(*spec);
  }
  cluster.settle();
  for (const JobId id : gangs) {
    const engine::JobRecord& job = *cluster.state().find_job(id);
    if (job.phase != JobPhase::kPending) continue;
    held -= cards_of(*cluster.state().spec_of(job).spec);
    cluster.cancel(id);
  }
  return held;
}

void hand_over(Cluster& cluster, const TakeNews& take) {
  take(cluster.news());
  cluster.news().clear();
}

// About as many cards as are left for each task that is to run, if it can be.
JobSpecPtr sized(Draws& draws, double each) {
  constexpr int kTries = 6;
  JobSpecPtr spec = draws.alone();
  const auto suits = [&] { return cards_of(*spec) * 2 >= each && cards_of(*spec) <= 2 * each; };
  for (int i = 0; i < kTries && !suits(); ++i) spec = draws.alone();
  return spec;
}

void run_singles(Cluster& cluster, const Size& size, double held, Draws& draws,
                 const TakeNews& take) {
  const auto full = static_cast<double>(size.cards() * kFullPct) / 100;
  for (std::size_t refused = 0; refused < kRefusalsInARow;) {
    const std::size_t running = cluster.state().leases().size();
    if (running >= size.running()) return;
    const JobSpecPtr spec =
        sized(draws, (full - held) / static_cast<double>(size.running() - running));
    const JobId job = cluster.submit(spec);
    if (cluster.place_at_once(job)) {
      held += cards_of(*spec);
      refused = 0;
    } else {
      cluster.cancel(job);
      ++refused;
    }
    hand_over(cluster, take);
  }
}

}  // namespace

void fill(Cluster& cluster, const Tenants& tenants, const Size& size, Draws& draws,
          Progress& progress, const TakeNews& take) {
  declare(cluster, tenants);
  progress.step("declared");
  const auto wanted = static_cast<double>(size.cards() * kGangCardsPct) / 100;
  const double held = run_gangs(cluster, wanted, draws);
  progress.step("gangs run");
  run_singles(cluster, size, held, draws, take);
  progress.step("tasks run");
  for (std::size_t i = 0; i < size.pending(); ++i) cluster.submit(draws.waiting());
  hand_over(cluster, take);
  progress.step("jobs wait");
}

std::vector<JobId> running_jobs(const engine::ClusterState& state) {
  std::vector<JobId> running;
  for (const JobId id : state.jobs().sorted_ids()) {
    if (state.find_job(id)->phase == JobPhase::kRunning) running.push_back(id);
  }
  return running;
}

double allocated_pct(const engine::ClusterState& state) {
  double held = 0;
  double cards = 0;
  for (std::uint16_t f = 0; f < state.quota().flavour_count(); ++f) {
    const engine::FlavourIndex flavour(f);
    if (state.quota().flavour(flavour).is_cpu()) continue;
    cards += static_cast<double>(state.quota().capacity(flavour).units);
    for (const QueueIndex root : state.quota().roots()) {
      const engine::FlavourUsage* usage = state.quota().queue(root).find(flavour);
      if (usage != nullptr) held += static_cast<double>(usage->total.compute);
    }
  }
  return cards == 0 ? 0 : 100 * held / cards;
}

}  // namespace berth::bench::scale
