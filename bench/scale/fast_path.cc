#include "bench/scale/fast_path.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/rng.h"
#include "bench/common/cpu_clock.h"

namespace berth::bench::scale {
namespace {

constexpr std::size_t kArrivals = 20'000;
constexpr std::size_t kReplicas = 2'000;     // of services that run at the same time; then the
                                             // oldest one ends
constexpr std::size_t kArrivalsPerEnd = 20;  // then another running job ends
constexpr std::uint64_t kSeed = 11;

// Plans on its own replica until it is stopped.
class Planner {
 public:
  explicit Planner(std::string_view bytes) {
    auto state = engine::ClusterState::load(bytes);
    BERTH_CHECK(state.has_value());
    engine_ = engine::Engine(std::move(*state));
    thread_ = std::thread([this] { run(); });
  }
  ~Planner() {
    stop_ = true;
    thread_.join();
  }
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;

  void tell(EventBatch& news) {
    const std::lock_guard lock(mutex_);
    inbox_.insert(inbox_.end(), news.begin(), news.end());
    news.clear();
  }
  // The newest plan, once.
  std::optional<Plan> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(plan_, std::nullopt);
  }
  std::size_t plans() const { return plans_; }

 private:
  void run() {
    while (!stop_) {
      EventBatch news;
      {
        const std::lock_guard lock(mutex_);
        news.swap(inbox_);
      }
      for (const Event& event : news) engine_.apply(event);
      Plan plan = engine_.plan(engine_.state().now());
      ++plans_;
      const std::lock_guard lock(mutex_);
      if (!plan.decisions.empty()) plan_ = std::move(plan);
    }
  }

  engine::Engine engine_;
  std::mutex mutex_;
  EventBatch inbox_;
  std::optional<Plan> plan_;
  std::atomic<bool> stop_ = false;
  std::atomic<std::size_t> plans_ = 0;
  std::thread thread_;
};

class LiveSide {
 public:
  LiveSide(Cluster& live, Draws& draws)
      : live_(live), draws_(draws), random_(kSeed), planner_(live.state().save()) {
    live_.news().clear();
    for (const JobId id : live_.state().jobs().sorted_ids()) {
      if (live_.state().find_job(id)->phase == JobPhase::kRunning) batch_.push_back(id);
    }
  }

  FastPath run() {
    for (std::size_t i = 0; i < kArrivals; ++i) {
      live_.pass(1);
      arrive();
      if (i % kArrivalsPerEnd == 0) end_one();
      if (auto plan = planner_.take()) result_.lost += live_.carry_out(*plan);
      planner_.tell(live_.news());
    }
    result_.plans = planner_.plans();
    result_.wall_us = quantiles_of(std::move(wall_us_));
    result_.cpu_us = quantiles_of(std::move(cpu_us_));
    return result_;
  }

 private:
  using Clock = std::chrono::steady_clock;

  void arrive() {
    const JobSpecPtr spec = draws_.replica();
    const double cpu_s = cpu_seconds();
    const Clock::time_point start = Clock::now();
    const JobId job = live_.submit(spec);
    const bool placed = live_.place_at_once(job);
    planner_.tell(live_.news());
    wall_us_.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    cpu_us_.push_back(1e6 * (cpu_seconds() - cpu_s));
    ++(placed ? result_.placed : result_.refused);
    if (!placed) return live_.cancel(job);
    replicas_.push_back(job);
    if (replicas_.size() - oldest_ > kReplicas) live_.end(replicas_[oldest_++]);
  }

  void end_one() {
    const std::size_t which = random_.below(batch_.size());
    live_.end(batch_[which]);
    batch_[which] = batch_.back();
    batch_.pop_back();
  }

  Cluster& live_;
  Draws& draws_;
  Rng random_;
  Planner planner_;
  std::vector<JobId> batch_;  // jobs that ran before
  std::vector<JobId> replicas_;
  std::size_t oldest_ = 0;
  std::vector<double> wall_us_;
  std::vector<double> cpu_us_;
  FastPath result_;
};

}  // namespace

FastPath measure_fast_path(Cluster& live, Draws& draws) { return LiveSide(live, draws).run(); }

}  // namespace berth::bench::scale
