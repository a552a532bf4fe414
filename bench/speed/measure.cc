#include "bench/speed/measure.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include "base/rng.h"
#include "bench/common/cpu_clock.h"

namespace berth::bench::speed {
namespace {

constexpr std::uint64_t kChurnSeed = 99;
// Churn runs at this share of the GPUs or, where the fill ends below it, a little below its end.
constexpr std::int64_t kChurnPct = 90;
constexpr std::int64_t kBelowEndPct = 98;

// One run of a case. `Timed` is told before and after each arrival.
class Run {
 public:
  Run(const Workload& workload, std::vector<std::uint32_t>* latencies_ns)
      : workload_(workload), driver_(workload), latencies_ns_(latencies_ns) {}

  Status start(const Contestant& contestant) { return driver_.declare(contestant); }

  void fill() {
    start_s_ = cpu_seconds();
    for (const std::uint32_t pod : workload_.order) arrive(pod);
    seconds_ = cpu_seconds() - start_s_;
  }

  void churn(std::size_t arrivals) {
    const std::int64_t wanted = workload_.capacity_milli * kChurnPct / 100;
    for (const std::uint32_t pod : workload_.order) {
      if (driver_.used_milli() >= wanted) break;
      driver_.arrive(pod);
    }
    const std::int64_t level = std::min(wanted, driver_.used_milli() >= wanted
                                                    ? wanted
                                                    : driver_.used_milli() * kBelowEndPct / 100);
    Rng random(kChurnSeed);
    start_s_ = cpu_seconds();
    for (std::size_t i = 0; i < arrivals; ++i) {
      arrive(static_cast<std::uint32_t>(random.below(workload_.pods.size())));
      while (driver_.used_milli() > level) driver_.depart(random.below(driver_.running()));
    }
    seconds_ = cpu_seconds() - start_s_;
  }

  double per_second(std::size_t count) const { return static_cast<double>(count) / seconds_; }
  std::size_t placed() const { return placed_; }
  std::size_t refused() const { return refused_; }
  double alloc_pct() const {
    return 100.0 * static_cast<double>(driver_.used_milli()) /
           static_cast<double>(workload_.capacity_milli);
  }

 private:
  using Clock = std::chrono::steady_clock;

  void arrive(std::uint32_t pod) {
    const Clock::time_point before = latencies_ns_ == nullptr ? Clock::time_point{} : Clock::now();
    ++(driver_.arrive(pod) ? placed_ : refused_);
    if (latencies_ns_ == nullptr) return;
    latencies_ns_->push_back(static_cast<std::uint32_t>((Clock::now() - before).count()));
  }

  const Workload& workload_;
  Driver driver_;
  std::vector<std::uint32_t>* latencies_ns_;
  double start_s_ = 0;
  double seconds_ = 0;
  std::size_t placed_ = 0;
  std::size_t refused_ = 0;
};

void play(Run& run, Load load, std::size_t churn_arrivals) {
  load == Load::kFill ? run.fill() : run.churn(churn_arrivals);
}

double quantile_us(std::vector<std::uint32_t>& sorted_ns, double q) {
  const auto last = static_cast<double>(sorted_ns.size() - 1);
  return static_cast<double>(sorted_ns[static_cast<std::size_t>(q * last)]) / 1e3;
}

}  // namespace

Result<Figures> measure(const Workload& workload, const Contestant& contestant, Load load,
                        std::size_t churn_arrivals, std::size_t repeat) {
  Figures figures;
  for (std::size_t i = 0; i <= repeat; ++i) {
    Run run(workload, nullptr);
    if (auto s = run.start(contestant); !s) return tl::unexpected(s.error());
    play(run, load, churn_arrivals);
    if (i == 0) continue;  // warm-up
    figures.alloc_pct = run.alloc_pct();
    figures.placements_per_s = std::max(figures.placements_per_s, run.per_second(run.placed()));
    figures.refusals_per_s = std::max(figures.refusals_per_s, run.per_second(run.refused()));
  }
  std::vector<std::uint32_t> latencies_ns;
  latencies_ns.reserve(workload.order.size() + churn_arrivals);
  Run run(workload, &latencies_ns);
  if (auto s = run.start(contestant); !s) return tl::unexpected(s.error());
  play(run, load, churn_arrivals);
  std::sort(latencies_ns.begin(), latencies_ns.end());
  figures.p50_us = quantile_us(latencies_ns, 0.5);
  figures.p99_us = quantile_us(latencies_ns, 0.99);
  figures.p999_us = quantile_us(latencies_ns, 0.999);
  return figures;
}

Result<double> run_once(const Workload& workload, const Contestant& contestant, Load load,
                        std::size_t churn_arrivals) {
  Run run(workload, nullptr);
  if (auto s = run.start(contestant); !s) return tl::unexpected(s.error());
  play(run, load, churn_arrivals);
  return run.alloc_pct();
}

double machine_load() {
  double load = 0;
  if (getloadavg(&load, 1) != 1) return 0;
  return load / static_cast<double>(std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace berth::bench::speed
