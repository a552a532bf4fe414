#include "sim/workload/generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "codec/file.h"
#include "sim/workload/workload_codec.h"

namespace berth::sim {
namespace {

StreamSpec plain_stream() {
  StreamSpec spec;
  spec.name = "s";
  spec.arrivals.per_hour = 1000;
  ShapeChoice one;
  one.devices.count = 1;
  ShapeChoice two = one;
  two.devices.count = 2;
  two.weight = 3;
  spec.shapes = {one, two};
  spec.durations.kind = DurationKind::kExponential;
  spec.durations.value_ms = kMinuteMs;
  spec.teams = {{"red", 1}, {"blue", 4}};
  return spec;
}

std::vector<SimJob> first_jobs(const StreamSpec& spec, std::uint64_t seed, std::size_t count) {
  Generator generator(spec, seed);
  std::vector<SimJob> jobs;
  while (jobs.size() < count) {
    auto job = generator.next();
    if (!job) break;
    jobs.push_back(std::move(*job));
  }
  return jobs;
}

double mean_run_ms(const std::vector<SimJob>& jobs) {
  double sum = 0;
  for (const SimJob& job : jobs) sum += static_cast<double>(job.run_ms);
  return sum / static_cast<double>(jobs.size());
}

TEST(Generator, KeepsRatesWeightsAndMeans) {
  const auto jobs = first_jobs(plain_stream(), 1, 40'000);
  EXPECT_NEAR(static_cast<double>(jobs.back().at) / kHourMs, 40.0, 0.8);
  std::map<std::string, int> teams;
  std::map<std::uint32_t, int> sizes;
  for (const SimJob& job : jobs) {
    ++teams[job.spec->queue];
    ++sizes[job.spec->roles[0].containers[0].devices.count];
  }
  EXPECT_NEAR(teams["blue"] / 40'000.0, 0.8, 0.01);
  EXPECT_NEAR(sizes[2] / 40'000.0, 0.75, 0.01);
  EXPECT_NEAR(mean_run_ms(jobs), kMinuteMs, 0.02 * kMinuteMs);
}

TEST(Generator, JobsSaveAsTheirStreamSays) {
  StreamSpec spec = plain_stream();
  spec.min_run_ms = kHourMs;
  spec.is_protected = true;
  spec.checkpoint.method = CheckpointMethod::kSignal;
  spec.checkpoint.interval_ms = kHourMs;
  spec.checkpoint.duration_ms = 3 * kSecondMs;
  spec.checkpoint.restart_ms = 30 * kSecondMs;
  spec.checkpoint.acknowledges = true;
  spec.checkpoint_cost = {40 * 1024, 2'000, 5'000};
  spec.unacknowledged_ppm = 50'000;
  int silent = 0;
  for (const SimJob& job : first_jobs(spec, 1, 10'000)) {
    const std::uint32_t cards = job.spec->roles[0].containers[0].devices.count;
    EXPECT_EQ(job.spec->checkpoint.size_mib, 40 * 1024 * cards);
    EXPECT_EQ(job.spec->checkpoint.duration_ms, 3'000 + 20'480);
    EXPECT_EQ(job.spec->checkpoint.restart_ms, 30'000 + 8'192);
    EXPECT_EQ(job.spec->min_run_ms, kHourMs);
    EXPECT_TRUE(job.spec->is_protected);
    EXPECT_FALSE(job.spec->run_time_ms);
    silent += job.spec->checkpoint.acknowledges ? 0 : 1;
  }
  EXPECT_NEAR(silent / 10'000.0, 0.05, 0.01);
}

TEST(Generator, JobsDeclareTheirRunTimeWhereTheyShould) {
  StreamSpec spec = plain_stream();
  spec.declared = Declared::kRunTime;
  for (const SimJob& job : first_jobs(spec, 1, 100)) EXPECT_EQ(job.spec->run_time_ms, job.run_ms);
}

TEST(Generator, OneSeedGivesOneSequence) {
  const auto one = first_jobs(plain_stream(), 5, 500);
  const auto two = first_jobs(plain_stream(), 5, 500);
  const auto other = first_jobs(plain_stream(), 6, 500);
  for (std::size_t i = 0; i < one.size(); ++i) {
    ASSERT_EQ(one[i].at, two[i].at);
    ASSERT_EQ(one[i].run_ms, two[i].run_ms);
    ASSERT_EQ(*one[i].spec, *two[i].spec);
  }
  EXPECT_NE(one.back().at, other.back().at);
}

TEST(Generator, ChangingOnePurposeMovesNoOther) {
  StreamSpec changed = plain_stream();
  changed.shapes.resize(1);
  changed.teams.resize(1);
  const auto one = first_jobs(plain_stream(), 5, 500);
  const auto two = first_jobs(changed, 5, 500);
  for (std::size_t i = 0; i < one.size(); ++i) {
    ASSERT_EQ(one[i].at, two[i].at);
    ASSERT_EQ(one[i].run_ms, two[i].run_ms);
  }
}

TEST(Generator, EqualJobsShareOneSpecAndTheStreamEnds) {
  StreamSpec spec = plain_stream();
  spec.jobs = 300;
  const auto jobs = first_jobs(spec, 1, 1000);
  ASSERT_EQ(jobs.size(), 300U);
  std::map<const JobSpec*, int> pointers;
  for (const SimJob& job : jobs) ++pointers[job.spec.get()];
  EXPECT_EQ(pointers.size(), 4U);
}

TEST(Arrivals, FollowTheDailyCurve) {
  StreamSpec spec = plain_stream();
  spec.arrivals.daily = {0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  int outside = 0;
  for (const SimJob& job : first_jobs(spec, 1, 20'000)) {
    const std::int64_t hour = job.at / kHourMs % 24;
    if (hour < 5 || hour >= 12) ++outside;
  }
  EXPECT_EQ(outside, 0);
}

TEST(Arrivals, OfBurstsComeTogetherAtTheSameRate) {
  StreamSpec spec = plain_stream();
  spec.arrivals.process = ArrivalProcess::kBursts;
  spec.arrivals.burst_jobs = 50;
  spec.arrivals.burst_spread_ms = 1000;
  const auto jobs = first_jobs(spec, 1, 50'000);
  for (std::size_t i = 1; i < jobs.size(); ++i) ASSERT_GE(jobs[i].at, jobs[i - 1].at);
  for (std::size_t i = 0; i < jobs.size(); i += 50) ASSERT_LE(jobs[i + 49].at - jobs[i].at, 1000);
  EXPECT_NEAR(static_cast<double>(jobs.back().at) / kHourMs, 50.0, 5.0);
}

TEST(Arrivals, OfTheConstantProcessKeepTheirDistance) {
  StreamSpec spec = plain_stream();
  spec.arrivals.process = ArrivalProcess::kConstant;
  const auto jobs = first_jobs(spec, 1, 100);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    EXPECT_EQ(jobs[i].at, static_cast<TimeMs>(3600 * (i + 1)));
  }
}

TEST(Durations, FollowTheirDistribution) {
  Rng rng(9);
  DurationSpec lognormal;
  lognormal.kind = DurationKind::kLognormal;
  lognormal.value_ms = 10'000;
  lognormal.sigma = 1.2;
  const DurationDraw draw(lognormal);
  std::vector<DurationMs> drawn;
  for (int i = 0; i < 20'001; ++i) drawn.push_back(draw.draw(rng));
  std::nth_element(drawn.begin(), drawn.begin() + 10'000, drawn.end());
  EXPECT_NEAR(static_cast<double>(drawn[10'000]), 10'000, 400);

  DurationSpec table;
  table.kind = DurationKind::kQuantiles;
  table.quantiles = {{0, 0}, {0.5, 100}, {1, 1000}};
  const DurationDraw quantiles(table);
  int low = 0;
  for (int i = 0; i < 20'000; ++i) low += quantiles.draw(rng) <= 100 ? 1 : 0;
  EXPECT_NEAR(low / 20'000.0, 0.5, 0.015);

  DurationSpec bounded = lognormal;
  bounded.least_ms = 9000;
  bounded.most_ms = 11'000;
  const DurationDraw clipped(bounded);
  for (int i = 0; i < 1000; ++i) {
    const DurationMs value = clipped.draw(rng);
    ASSERT_TRUE(value >= 9000 && value <= 11'000);
  }
}

TEST(Workload, BadFieldsAreRefusedWithLineAndReason) {
  const auto refused = [](const std::string& yaml) {
    const auto workload = codec::from_text<Workload>(yaml, codec::TextFormat::kYaml, "w.yaml");
    return workload ? std::string() : workload.error().to_text();
  };
  EXPECT_NE(refused("name: w\n").find("needs a stream or a trace"), std::string::npos);
  EXPECT_NE(refused("name: w\nstraems: []\n").find("streams"), std::string::npos);
  const std::string head =
      "name: w\nstreams:\n  - name: s\n    arrivals: {per_hour: 1}\n    teams: [{queue: q}]\n"
      "    shapes: [{devices: {count: 1}}]\n    durations: ";
  EXPECT_EQ(refused(head + "{value: 1m}\n"), "");
  EXPECT_NE(refused(head + "{kind: lognormal, value: 0s}\n").find("above 0"), std::string::npos);
  EXPECT_NE(refused(head + "{kind: lognormal, value: 1m, sigma: .nan}\n").find("sigma"),
            std::string::npos);
  const std::string falling =
      "{kind: quantiles, quantiles: [{part: 0, duration: 2s}, "
      "{part: 1, duration: 1s}]}\n";
  EXPECT_NE(refused(head + falling).find("must rise"), std::string::npos);
  const std::string saving = head + "{value: 1m}\n    ";
  EXPECT_EQ(refused(saving + "checkpoint: {method: signal, acknowledges: true}\n"
                             "    unacknowledged: 0.05\n"
                             "    checkpoint_cost: {per_card: 40GiB, out: 1650, in: 5600}\n"),
            "");
  EXPECT_NE(refused(saving + "checkpoint_cost: {per_card: 40GiB}\n").find("is none, but"),
            std::string::npos);
  EXPECT_NE(refused(saving + "checkpoint_cost: {out: 1650}\n").find("more is needed"),
            std::string::npos);
  EXPECT_NE(refused(saving + "unacknowledged: 0.05\n").find("no job acknowledges"),
            std::string::npos);
}

}  // namespace
}  // namespace berth::sim
