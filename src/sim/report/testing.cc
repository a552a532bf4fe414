#include "sim/report/testing.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/rng.h"

namespace berth::sim {
namespace {

struct ModelRow {
  const char* name;
  std::int64_t nodes;
  std::int64_t cards_per_node;
  double demand;  // of its capacity, on the mean of the day
};

constexpr ModelRow kModels[] = {{"H100-SXM5-80GB", 48, 8, 1.02},
                                {"A100-SXM4-80GB", 32, 8, 0.99},
                                {"A100-SXM4-40GB", 16, 8, 0.93},
                                {"L40S", 28, 4, 0.90},
                                {"A30", 20, 4, 0.82},
                                {"T4", 20, 2, 0.74}};

double as_double(std::int64_t value) { return static_cast<double>(value); }

double day_wave(double hour, double amplitude) {
  return 1 + amplitude * std::sin((hour - 8.5) / 24 * 2 * std::numbers::pi) +
         0.25 * amplitude * std::sin((hour - 3) / 12 * 2 * std::numbers::pi);
}

FleetSummary made_up_fleet() {
  FleetSummary fleet;
  for (const ModelRow& row : kModels) {
    fleet.models.push_back({row.name, row.nodes, row.nodes * row.cards_per_node});
    fleet.nodes += row.nodes;
    fleet.cards += row.nodes * row.cards_per_node;
  }
  return fleet;
}

// Work that arrives, waits when the model is full, and drains: one number per model.
class FluidModel {
 public:
  FluidModel(const MadeUpRun& options, std::uint64_t seed) : options_(options), random_(seed) {
    for (double& level : noise_) level = 0;
  }

  Sample step(std::int64_t index) {
    Sample sample;
    sample.at_ms = index * options_.step_ms;
    const double hour = as_double(sample.at_ms) / static_cast<double>(kHourMs);
    double free = 0;
    for (std::size_t m = 0; m < std::size(kModels); ++m) {
      const double cards = as_double(kModels[m].nodes * kModels[m].cards_per_node);
      noise_[m] = 0.985 * noise_[m] + 0.02 * (random_.unit() - 0.5);
      const double ramp = 1 - std::exp(-hour / 0.9);
      const double wanted = cards * kModels[m].demand * (day_wave(hour, 0.22) + noise_[m]) * ramp;
      const double most = cards * std::min(0.995, options_.packing + 0.01 * noise_[m]);
      backlog_[m] = std::max(0.0, backlog_[m] + (wanted - most) * 0.004);
      sample.allocated_cards.push_back(std::round(std::min(wanted + backlog_[m], most) * 8) / 8);
      sample.waiting_cards += std::round(std::max(0.0, wanted - most) + backlog_[m]);
      free += cards - sample.allocated_cards.back();
    }
    fill_counts(sample, free, hour);
    return sample;
  }

 private:
  void fill_counts(Sample& sample, double free, double hour) {
    double allocated = 0;
    for (const double cards : sample.allocated_cards) allocated += cards;
    sample.running_jobs = std::llround(allocated * 1.35);
    sample.pending_jobs = std::llround(sample.waiting_cards / 2.4);
    const double pressure = std::min(1.0, sample.waiting_cards / 60);
    const double parts[kCauseCount] = {
        0.22 + 0.05 * std::sin(hour), 0.10, 0.16 + 0.04 * std::cos(hour / 2), 0.07, 0.12, 0.0};
    for (std::size_t i = 0; i < kCauseCount; ++i) {
      const double noise = 0.9 + 0.2 * random_.unit();
      sample.unschedulable_cards[i] = free * parts[i] * noise * (0.35 + 0.65 * pressure);
    }
    if (hour >= 14 && hour < 17)
      sample.unschedulable_cards[5] = 8;  // a node is out for three hours
  }

  const MadeUpRun& options_;
  Rng random_;
  double noise_[std::size(kModels)];
  double backlog_[std::size(kModels)] = {};
};

WaitStats made_up_wait(std::int64_t jobs, double mean_s) {
  const double ms = mean_s * 1000;
  return {jobs,
          ms,
          std::llround(ms * 0.18),
          std::llround(ms * 2.6),
          std::llround(ms * 9.4),
          std::llround(ms * 19)};
}

JobGroup made_up_group(std::string name, std::int64_t jobs, double mean_wait_s, double gpu_hours) {
  JobGroup group{std::move(name), {}, made_up_wait(jobs, mean_wait_s), gpu_hours};
  group.jobs = {jobs, 0, jobs - jobs / 20 - jobs / 90, jobs / 20, jobs / 90};
  return group;
}

std::vector<WaitPoint> made_up_cdf(std::int64_t jobs, double mean_s) {
  std::vector<WaitPoint> points = {{0, jobs * 46 / 100}};
  for (int i = 0; i < 160; ++i) {
    const double wait_s = 0.5 * std::pow(1.075, i);
    const double share = 1 - 0.54 * std::exp(-std::pow(wait_s / (mean_s * 0.9), 0.55));
    points.push_back({std::llround(wait_s * 1000), std::llround(share * as_double(jobs))});
  }
  points.push_back({points.back().wait_ms + 1, jobs});
  return points;
}

CardUse made_up_card(Rng& random, double packing, const ModelRow& row) {
  const double draw = random.unit();
  CardUse card;
  if (draw > packing) return card;
  if (draw < 0.55 || row.cards_per_node == 8) {
    card.mode = draw < 0.75 ? CardMode::kWhole : CardMode::kMig;
  } else {
    card.mode = draw < 0.75 ? CardMode::kMps : CardMode::kTimeslice;
  }
  card.tasks = card.mode == CardMode::kWhole ? 1 : 1 + static_cast<std::uint32_t>(random.below(6));
  card.allocated_share =
      card.mode == CardMode::kWhole ? 1 : std::min(1.0, as_double(card.tasks) / 7 + 0.12);
  return card;
}

std::vector<NodeUse> made_up_nodes(const MadeUpRun& options) {
  Rng random(options.seed + 99);
  std::vector<NodeUse> nodes;
  for (const ModelRow& row : kModels) {
    for (std::int64_t n = 0; n < row.nodes; ++n) {
      NodeUse node{std::string(row.name).substr(0, row.name[0] == 'L' ? 4 : 2) + "-node-" +
                       std::to_string(nodes.size() + 100),
                   row.name,
                   NodeCondition::kReady,
                   random.unit(),
                   random.unit(),
                   {}};
      if (nodes.size() == 37) node.condition = NodeCondition::kDraining;
      const double packing = random.unit() < 0.12 ? 0.3 : options.packing;
      for (std::int64_t c = 0; c < row.cards_per_node; ++c) {
        node.cards.push_back(made_up_card(random, packing, row));
      }
      if (nodes.size() == 60) node.cards[2] = {CardMode::kEmpty, CardHealth::kFailed, 0, 0};
      nodes.push_back(std::move(node));
    }
  }
  return nodes;
}

void fill_groups(RunResult& run, double mean_s, double used) {
  const std::int64_t jobs = run.jobs.submitted;
  run.classes = {made_up_group("inference", jobs * 31 / 100, mean_s * 0.02, used * 0.24),
                 made_up_group("interactive", jobs * 27 / 100, mean_s * 0.5, used * 0.11),
                 made_up_group("training", jobs * 42 / 100, mean_s * 2.1, used * 0.65)};
  run.sizes = {made_up_group("share", jobs * 38 / 100, mean_s * 0.2, used * 0.07),
               made_up_group("1 card", jobs * 44 / 100, mean_s * 0.7, used * 0.31),
               made_up_group("2-7 cards", jobs * 12 / 100, mean_s * 1.9, used * 0.20),
               made_up_group("8 cards", jobs * 5 / 100, mean_s * 4.2, used * 0.27),
               made_up_group("more than 8", jobs / 100, mean_s * 9.5, used * 0.15)};
  const char* names[] = {"ads-ranking", "evals",  "foundation", "genomics",
                         "interns",     "labs",   "platform",   "robotics",
                         "search",      "speech", "translate",  "vision"};
  Rng random(run.seed);
  for (const char* name : names) {
    const double part = 0.02 + 0.13 * random.unit() * random.unit() * 2;
    run.teams.push_back(made_up_group(name, std::llround(as_double(jobs) * part),
                                      mean_s * (0.3 + 1.6 * random.unit()), used * part));
  }
}

// What work was spent on, taken back and moved.
void fill_work(RunResult& run) {
  run.work = {{3, 0.125, 0.25, 0.5, 0.0625, 0.03125, 0.375, 0.015625, 0.75},
              {0.2, 0.1, 0.05, 0.025, 0.0125}};
  run.interruptions = {2, 3, 4, 5, 6};
  run.evictions = {0, 0, 1, 7, 8, 0, 9, 10};
  run.layouts_changed = 3;
  run.layouts_rolled_back = 1;
  run.layouts = {{"H100", 8, {{"1g.10gb", 0, 1}, {"3g.40gb", 4, 4}}, 3, 2, 3}};
  run.layout_changes = {{kHourMs, 40'000, "n1", 0, "1g.10gb@[0-6]", "3g.40gb@[0,4]",
                         RegeometryStage::kRolledBack, "no answer within 5 min"}};
  run.team_work = {{"lab", run.work}};
  run.hit_jobs = {{"train-7", 4, 2, run.work}};
  LossStep step;
  step.at_ms = kHourMs;
  step.lost.spent[static_cast<std::size_t>(Spending::kRestart)] = 0.375;
  step.lost.recomputed = {0.2, 0.1, 0, 0, 0};
  step.interruptions = {1, 1, 0, 0, 0};
  step.evictions[static_cast<std::size_t>(ReclaimGrade::kKill)] = 1;
  run.losses = {step};
  run.receipts = 2;
  run.dearest_receipts = {{1'800'000,
                           "serve",
                           ReclaimRight::kGuarantee,
                           ReceiptOutcome::kGranted,
                           2,
                           1.5,
                           0,
                           {{"train-7", ReclaimGrade::kKill, 2, 2'700'000, 1.5}}}};
  run.consolidations = {{2'400'000,
                         "big",
                         1,
                         1,
                         0.25,
                         12,
                         {{"a", 2}, {"b", 2}},
                         {{"a", 0, "small"}, {"b", 0, "still"}},
                         {{"a", 0, "big"}, {"a", 1, "big"}, {"b", 0, "still"}, {"b", 1, "small"}}}};
}

}  // namespace

RunResult made_up_run(const MadeUpRun& options) {
  RunResult run;
  run.name = "day-1000";
  run.policy = options.policy;
  run.seed = options.seed;
  run.fleet = made_up_fleet();
  run.step_ms = options.step_ms;
  run.duration_ms = options.steps * options.step_ms;
  run.wall_s = 11.8;
  run.events_applied = 412'907;
  run.state_hash = 0x9e3779b97f4a7c15ULL ^ static_cast<std::uint64_t>(options.packing * 1e6);
  FluidModel fluid(options, options.seed);
  for (std::int64_t i = 0; i <= options.steps; ++i) run.samples.push_back(fluid.step(i));
  const double hours = as_double(run.duration_ms) / static_cast<double>(kHourMs);
  double used = 0;
  for (std::size_t m = 0; m < run.fleet.models.size(); ++m) {
    double sum = 0;
    for (const Sample& sample : run.samples) sum += sample.allocated_cards[m];
    const double mean = sum / as_double(static_cast<std::int64_t>(run.samples.size()));
    const FleetModel& model = run.fleet.models[m];
    run.models.push_back({model.model, mean * hours, as_double(model.cards) * hours});
    used += mean * hours;
  }
  const double mean_s = 40 + 9000 * (1 - options.packing);
  run.jobs = {41'234, 12, 0, run.samples.back().running_jobs, run.samples.back().pending_jobs};
  run.jobs.finished = run.jobs.submitted - run.jobs.refused - run.jobs.running - run.jobs.waiting;
  run.wait = made_up_wait(run.jobs.submitted - run.jobs.refused, mean_s);
  run.wait_cdf = made_up_cdf(run.wait.jobs, mean_s);
  fill_groups(run, mean_s, used);
  run.nodes = made_up_nodes(options);
  return run;
}

RunResult tiny_run() {
  RunResult run;
  run.name = "tiny";
  run.policy = "berth";
  run.seed = 3;
  run.fleet = {2, 4, {{"A30", 1, 2}, {"T4", 1, 2}}};
  run.duration_ms = 2 * kHourMs;
  run.wall_s = 0.25;
  run.events_applied = 1234;
  run.state_hash = 0xc0ffee;
  run.jobs = {12, 1, 8, 2, 1};
  run.wait = {11, 61'500, 1'000, 200'000, 400'000, 400'000};
  run.wait_cdf = {{0, 5}, {1'000, 6}, {200'000, 10}, {400'000, 11}};
  run.classes = {{"inference", {4, 0, 3, 1, 0}, {4, 500, 0, 1'000, 1'000, 1'000}, 1.5}};
  run.teams = {{"lab", {8, 1, 5, 1, 1}, {7, 96'000, 30'000, 200'000, 400'000, 400'000}, 4.0}};
  run.sizes = {{"1 card", {12, 1, 8, 2, 1}, {11, 61'500, 1'000, 200'000, 400'000, 400'000}, 5.5}};
  run.models = {{"A30", 3.5, 4}, {"T4", 2, 4}};
  run.step_ms = kHourMs;
  run.samples = {{0, {0, 0}, 3, 0, 2, {}},
                 {kHourMs, {1.5, 1}, 0.5, 4, 1, {0.25, 0.125, 0, 0.0625, 0, 0}},
                 {2 * kHourMs, {2, 1}, 0, 2, 1, {0, 0, 0.5, 0, 0, 1}}};
  run.warnings = {"T4: 4 promised, 2 exist"};
  fill_work(run);
  run.queues = {{"lab", 2, 1.5, 2.25}, {"ops", 0, 0.5, 0.25}};
  run.gangs = {{"2-3 nodes", 4, 3, 1.25, 1}};
  for (Sample& sample : run.samples) {
    sample.queue_cards = {2.25, 0.25};
    sample.queue_fair_cards = {1.5, 0.5};
    sample.kept_cards = 1;
    sample.deferring_jobs = 1;
  }
  run.nodes = {{"a",
                "A30",
                NodeCondition::kReady,
                0.5,
                0.25,
                {{CardMode::kMig, CardHealth::kHealthy, 0.5, 2},
                 {CardMode::kWhole, CardHealth::kHealthy, 1, 1}}},
               {"b",
                "T4",
                NodeCondition::kCordoned,
                0,
                0,
                {{CardMode::kMps, CardHealth::kHealthy, 0.75, 3},
                 {CardMode::kEmpty, CardHealth::kFailed, 0, 0}}}};
  return run;
}

}  // namespace berth::sim
