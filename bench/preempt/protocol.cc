#include "bench/preempt/protocol.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/rng.h"

namespace berth::bench::preempt {
namespace {

enum class Purpose : std::uint64_t { kUrgent = 1, kSpot };

// In (0, 1].
double open_unit(Rng& random) { return 1.0 - random.unit(); }

// The jobs that one kind of tenant sends to one shape of nodes.
class Stream {
 public:
  Stream(std::span<const PoolJob> jobs, const NodeShape& shape, bool urgent)
      : jobs_(jobs), shape_(shape), urgent_(urgent) {
    double work = 0;
    for (const PoolJob& job : jobs) {
      run_ms_.push_back(run_ms_.empty() ? 0 : run_ms_.back());
      run_ms_.back() += static_cast<double>(job.run_ms);
      work += static_cast<double>(job.run_ms) * size_on(job.gpus, shape.cards);
    }
    const double load = urgent ? kUrgentLoad : kLoad - kUrgentLoad;
    per_ms_ =
        load * static_cast<double>(shape.all_cards()) * static_cast<double>(jobs.size()) / work;
  }

  void draw(TimeMs until, Rng& random, std::vector<Arrival>& into) {
    draw_running(random, into);
    draw_coming(until, random, into);
  }

 private:
  // As many as a process that has gone on for ever has in the pool: rate x mean run time on
  // average, the longer ones more often, each with some part of its run time left.
  void draw_running(Rng& random, std::vector<Arrival>& into) {
    const double mean = per_ms_ * run_ms_.back() / static_cast<double>(jobs_.size());
    for (double sum = -std::log(open_unit(random)); sum < mean;
         sum -= std::log(open_unit(random))) {
      const double point = random.unit() * run_ms_.back();
      const auto at = std::upper_bound(run_ms_.begin(), run_ms_.end(), point);
      const PoolJob& job = jobs_[static_cast<std::size_t>(at - run_ms_.begin())];
      const double left = open_unit(random) * static_cast<double>(job.run_ms);
      into.push_back(arrival(0, job.gpus, static_cast<DurationMs>(std::ceil(left)), random));
    }
  }

  // By thinning a process of the highest rate.
  void draw_coming(TimeMs until, Rng& random, std::vector<Arrival>& into) {
    const double swing = urgent_ ? kUrgentSwing / kUrgentLoad : 0;
    const double most = per_ms_ * (1 + swing);
    double at = 0;
    while (true) {
      at -= std::log(open_unit(random)) / most;
      if (at >= static_cast<double>(until)) return;
      const double day = at / static_cast<double>(kDayMs);
      const double rate = per_ms_ * (1 + swing * std::sin(2 * std::numbers::pi * day));
      if (random.unit() * most >= rate) continue;
      const PoolJob& job = jobs_[random.below(jobs_.size())];
      into.push_back(arrival(static_cast<TimeMs>(at), job.gpus, job.run_ms, random));
    }
  }

  Arrival arrival(TimeMs at, int gpus, DurationMs run_ms, Rng& random) const {
    const int size = size_on(gpus, shape_.cards);
    const bool silent = random.unit() < kSilentPart && !urgent_ && size > 1;
    return {at, run_ms, size, urgent_, silent};
  }

  std::span<const PoolJob> jobs_;
  const NodeShape& shape_;
  bool urgent_;
  std::vector<double> run_ms_;  // summed up
  double per_ms_ = 0;           // jobs, on average
};

}  // namespace

std::size_t Pool::cards() const {
  std::size_t sum = 0;
  for (const NodeShape& shape : shapes) sum += shape.all_cards();
  return sum;
}

std::size_t Pool::nodes() const {
  std::size_t sum = 0;
  for (const NodeShape& shape : shapes) sum += shape.nodes;
  return sum;
}

std::vector<CaseSpec> cases() {
  return {{"gfs-cost", CostModel::kRecompute}, {"measured-cost", CostModel::kMeasured}};
}

int size_on(int gpus, int node_cards) {
  if (node_cards < kWorkerCards || gpus <= kWorkerCards) return std::min(gpus, node_cards);
  return (gpus + kWorkerCards - 1) / kWorkerCards * kWorkerCards;
}

Pool part_of(const Pool& pool, std::size_t most_nodes) {
  const std::size_t all = pool.nodes();
  if (all <= most_nodes) return pool;
  Pool part{pool.model, {}};
  for (NodeShape shape : pool.shapes) {
    shape.nodes = (shape.nodes * most_nodes + all / 2) / all;
    if (shape.nodes > 0) part.shapes.push_back(shape);
  }
  return part;
}

std::vector<Arrival> make_load(std::span<const PoolJob> jobs, const Pool& pool, TimeMs until,
                               std::uint64_t seed) {
  std::vector<Arrival> load;
  Rng all(seed);
  for (const NodeShape& shape : pool.shapes) {
    for (const Purpose purpose : {Purpose::kUrgent, Purpose::kSpot}) {
      Rng random = all.fork(static_cast<std::uint64_t>(purpose));
      Stream(jobs, shape, purpose == Purpose::kUrgent).draw(until, random, load);
    }
  }
  std::stable_sort(load.begin(), load.end(),
                   [](const Arrival& a, const Arrival& b) { return a.at < b.at; });
  return load;
}

}  // namespace berth::bench::preempt
