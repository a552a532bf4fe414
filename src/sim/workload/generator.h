// Generator: the jobs of one stream. Every purpose (arrivals, sizes, durations, teams) draws from a
// random stream of its own, derived from the seed and the stream's name: changing the shapes of one
// stream moves no arrival, and no other stream.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/rng.h"
#include "sim/job_source.h"
#include "sim/workload/workload.h"

namespace berth::sim {

// Times of arrival, ascending, endless.
class Arrivals {
 public:
  Arrivals(ArrivalSpec spec, Rng rng);
  TimeMs next();

 private:
  double rate_per_ms(double at_ms) const;  // of bursts where there are bursts
  double daily_factor(double at_ms) const;
  void advance();

  ArrivalSpec spec_;
  Rng rng_;
  double at_ms_ = 0;
  double most_factor_ = 1;
  std::uint32_t left_of_burst_ = 0;
};

class Generator final : public JobSource {
 public:
  Generator(const StreamSpec& spec, std::uint64_t seed);
  std::optional<SimJob> next() override;

 private:
  StreamSpec spec_;
  Arrivals arrivals_;
  Rng sizes_;
  Rng durations_;
  Rng teams_;
  Rng answers_;
  DurationDraw duration_;
  std::vector<double> shape_sums_;
  std::vector<double> team_sums_;
  std::vector<JobSpecPtr> specs_;  // shape x team x whether it answers; built on first use
  std::uint64_t made_ = 0;
};

// The job that a shape of a stream stands for.
JobSpecPtr job_of(const StreamSpec& stream, const ShapeChoice& shape, const std::string& queue);

}  // namespace berth::sim
