#include "bench/scale/measure.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/rng.h"
#include "bench/common/cpu_clock.h"
#include "bench/scale/cluster.h"
#include "bench/scale/load.h"

namespace berth::bench::scale {
namespace {

constexpr std::uint64_t kSeed = 7;
constexpr std::size_t kChanges = 500;  // of each kind
constexpr std::size_t kIdleCycles = 1000;
constexpr std::size_t kFreedOneIn = 100;
constexpr DurationMs kStepMs = 10;

double milliseconds_of(const auto& work) {
  const double start = cpu_seconds();
  work();
  return 1e3 * (cpu_seconds() - start);
}

std::unique_ptr<Cluster> loaded(std::string_view bytes) {
  auto state = engine::ClusterState::load(bytes);
  BERTH_CHECK(state.has_value());
  auto cluster = std::make_unique<Cluster>(std::move(*state));
  cluster->pass(cluster->state().now() + kStepMs);
  return cluster;
}

Load load_of(const engine::ClusterState& state) {
  Load load;
  load.allocated_pct = allocated_pct(state);
  load.tasks = static_cast<double>(state.leases().size());
  load.jobs = static_cast<double>(state.pending().size());
  std::set<ShapeIndex> shapes;
  for (const engine::AskIndex ask : state.pending().asks()) {
    load.lines += static_cast<double>(state.pending().of_ask(ask).size());
    for (const engine::RoleAsk& role : state.asks().at(ask).roles) shapes.insert(role.shape);
  }
  load.shapes = static_cast<double>(shapes.size());
  return load;
}

class Measurement {
 public:
  explicit Measurement(Draws& draws) : draws_(draws), random_(kSeed) {}

  Figures run(std::string_view bytes) {
    first_cycle(bytes);
    restart();
    freed();
    one_change();
    idle();
    figures_.memory_bytes = resident_bytes();
    figures_.fast_path = measure_fast_path(*cluster_, draws_);
    return figures_;
  }

 private:
  void first_cycle(std::string_view bytes) {
    cluster_ = loaded(bytes);
    figures_.load = load_of(cluster_->state());
    figures_.load.state_bytes = static_cast<double>(bytes.size());
    figures_.first_cycle_ms = timed_cycle();
    figures_.first_decisions = last_decisions_;
  }

  void restart() {
    const std::string bytes = cluster_->state().save();
    cluster_.reset();
    cluster_ = loaded(bytes);
    figures_.restart_cycle_ms = timed_cycle();
  }

  void freed() {
    for (const JobId job : running_jobs(cluster_->state())) {
      if (random_.below(kFreedOneIn) == 0) cluster_->end(job);
    }
    figures_.freed_cycle_ms = timed_cycle();
    figures_.freed_decisions = last_decisions_;
  }

  void one_change() {
    std::vector<JobId> running = running_jobs(cluster_->state());
    std::vector<double> ended;
    std::vector<double> submitted;
    for (std::size_t i = 0; i < kChanges; ++i) {
      const std::size_t which = random_.below(running.size());
      cluster_->end(running[which]);
      running[which] = running.back();
      running.pop_back();
      ended.push_back(timed_cycle());
      note_effort();
      cluster_->submit(draws_.waiting());
      submitted.push_back(timed_cycle());
      note_effort();
    }
    figures_.job_ended_ms = quantiles_of(std::move(ended));
    figures_.job_submitted_ms = quantiles_of(std::move(submitted));
  }

  void idle() {
    const std::uint64_t revision = cluster_->state().revision();
    const double ms = milliseconds_of([&] {
      for (std::size_t i = 0; i < kIdleCycles; ++i) {
        cluster_->pass(1);
        BERTH_CHECK(cluster_->engine().plan(cluster_->now()).decisions.empty());
      }
    });
    BERTH_CHECK(cluster_->state().revision() == revision);
    figures_.idle_cycle_us = 1e3 * ms / static_cast<double>(kIdleCycles);
  }

  // The time of a cycle; then what it leaves to be done is done, which is not timed.
  double timed_cycle() {
    cluster_->pass(kStepMs);
    Plan plan;
    const double ms = milliseconds_of([&] { plan = cluster_->engine().plan(cluster_->now()); });
    last_effort_ = cluster_->engine().effort();
    last_decisions_ = static_cast<double>(plan.decisions.size());
    cluster_->carry_out(plan);
    cluster_->settle();
    cluster_->news().clear();
    return ms;
  }

  void note_effort() {
    engine::Effort& most = figures_.most_effort;
    most.lines = std::max(most.lines, last_effort_.lines);
    most.turns = std::max(most.turns, last_effort_.turns);
    most.searches = std::max(most.searches, last_effort_.searches);
  }

  Draws& draws_;
  Rng random_;
  Figures figures_;
  std::unique_ptr<Cluster> cluster_;
  engine::Effort last_effort_;
  double last_decisions_ = 0;
};

}  // namespace

Figures measure(std::string_view bytes, Draws& draws) { return Measurement(draws).run(bytes); }

double resident_bytes() {
  malloc_trim(0);
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  unsigned long size = 0;
  unsigned long resident = 0;
  const int read = std::fscanf(file, "%lu %lu", &size, &resident);
  std::fclose(file);
  return read == 2 ? static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace berth::bench::scale
