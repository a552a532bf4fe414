#include "learn/mig_run.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace berth::learn {
namespace {

struct Moment {
  double at = 0;
  std::int32_t event = 0;
};

// Sorts by time in about linear time: the moments are spread evenly.
std::vector<std::int32_t> in_order(const std::vector<Moment>& moments, double end) {
  const std::size_t buckets = moments.size();
  const double scale = static_cast<double>(buckets) / end;
  const auto bucket_of = [&](double at) {
    return std::min(buckets - 1, static_cast<std::size_t>(at * scale));
  };
  std::vector<std::uint32_t> first(buckets + 1, 0);
  for (const Moment& m : moments) ++first[bucket_of(m.at) + 1];
  for (std::size_t b = 0; b < buckets; ++b) first[b + 1] += first[b];
  std::vector<Moment> sorted(moments.size());
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (const Moment& m : moments) {
    const std::size_t bucket = bucket_of(m.at);
    std::uint32_t at = next[bucket]++;
    for (; at > first[bucket] && sorted[at - 1].at > m.at; --at) sorted[at] = sorted[at - 1];
    sorted[at] = m;
  }
  std::vector<std::int32_t> events;
  events.reserve(sorted.size());
  for (const Moment& m : sorted) events.push_back(m.event);
  return events;
}

// Cards with the loss of each kind on each card, so that the best card is one minimum.
class Cards {
 public:
  Cards(const MigGrid& grid, const MigChoices& choices)
      : choices_(&choices), keys_(grid.kinds()), state_(MigFleet::kCards, 0) {
    for (auto& row : keys_) row.fill(MigChoices::kNever * kScale);
    for (int c = 0; c < MigFleet::kCards; ++c) set(c, 0);
  }

  int state(int card) const { return state_[static_cast<std::size_t>(card)]; }
  void set(int card, std::size_t state) {
    state_[static_cast<std::size_t>(card)] = static_cast<int>(state);
    const std::int32_t* losses = choices_->losses(state);
    for (auto& row : keys_) row[static_cast<std::size_t>(card)] = *losses++ * kScale + card;
  }
  // The card of least loss, the lowest one on a tie; -1 where none has room.
  int best(std::size_t kind) const {
    std::int32_t least = keys_[kind][0];
    for (const std::int32_t key : keys_[kind]) least = std::min(least, key);
    return least >= MigChoices::kNever * kScale ? -1 : least & (kScale - 1);
  }

 private:
  static constexpr std::int32_t kScale = 128;  // a power of two not below kCards
  static constexpr std::size_t kPadded = 104;  // cards in whole vectors of eight

  const MigChoices* choices_;
  std::vector<std::array<std::int32_t, kPadded>> keys_;  // loss * kScale + card
  std::vector<int> state_;
};

// One policy on one trace.
class Run {
 public:
  Run(const MigGrid& grid, const MigChoices& choices, std::size_t jobs)
      : choices_(&choices), cards_(grid, choices), jobs_(jobs) {}

  void arrive(std::size_t job, std::size_t kind, int counted_slots) {
    const int card = cards_.best(kind);
    if (card < 0) return;
    const auto& choice = choices_->choice(kind, static_cast<std::size_t>(cards_.state(card)));
    jobs_[job] = {static_cast<std::int16_t>(card), choice.pair};
    cards_.set(card, choice.next);
    slots_ += counted_slots;
    accepted_ += counted_slots > 0 ? 1 : 0;
  }
  void end(const MigGrid& grid, std::size_t job) {
    const Job& ended = jobs_[job];
    if (ended.card < 0) return;
    const int state = cards_.state(ended.card);
    cards_.set(ended.card, grid.take(ended.pair, static_cast<std::size_t>(state)));
  }

  std::int64_t slots() const { return slots_; }
  std::int64_t accepted() const { return accepted_; }

 private:
  struct Job {
    std::int16_t card = -1;  // not running
    std::uint8_t pair = 0;
  };
  const MigChoices* choices_;
  Cards cards_;
  std::vector<Job> jobs_;
  std::int64_t slots_ = 0;
  std::int64_t accepted_ = 0;
};

}  // namespace

double exponential(Rng& rng) { return -std::log(1.0 - rng.unit()); }

double normal(Rng& rng) {
  const double radius = std::sqrt(2 * exponential(rng));
  return radius * std::cos(6.283185307179586 * rng.unit());
}

MigTrace make_mig_trace(const MigGrid& grid, const std::vector<double>& mix, const MigFleet& fleet,
                        Rng& rng) {
  double mean_slots = 0;
  for (std::size_t k = 0; k < mix.size(); ++k) mean_slots += mix[k] * grid.slots_of(k);
  const double rate = fleet.load * MigFleet::kCards * grid.slots() / mean_slots;
  MigTrace trace;
  std::vector<Moment> moments;
  moments.reserve(2 * static_cast<std::size_t>(fleet.arrivals));
  double now = 0;
  for (std::int32_t i = 0; i < fleet.arrivals; ++i) {
    now += exponential(rng) / rate;
    double left = rng.unit();
    std::size_t kind = 0;
    while (kind + 1 < mix.size() && left >= mix[kind]) left -= mix[kind++];
    trace.kind.push_back(static_cast<std::uint8_t>(kind));
    moments.push_back({now, i});
    moments.push_back({now + exponential(rng), ~i});
  }
  const double end = now;  // nothing after the last arrival matters
  std::erase_if(moments, [end](const Moment& m) { return m.at > end; });
  trace.events = in_order(moments, end);
  return trace;
}

MigChoices::MigChoices(const MigGrid& grid, const std::vector<std::int32_t>& worth)
    : kinds_(grid.kinds()), loss_(grid.count() * kinds_, kNever), choice_(grid.count() * kinds_) {
  for (std::size_t p = 0; p < grid.pairs(); ++p) {
    for (std::size_t s = 0; s < grid.count(); ++s) {
      const std::uint16_t next = grid.put(p, s);
      if (next == kNoState) continue;
      const std::size_t at = s * kinds_ + grid.kind_of(p);
      const std::int32_t loss = worth[s] - worth[next];
      if (loss >= loss_[at]) continue;
      loss_[at] = loss;
      choice_[at] = {next, static_cast<std::uint8_t>(p)};
    }
  }
}

std::vector<MigScore> run_mig(const MigGrid& grid, std::span<const MigChoices> policies,
                              const MigTrace& trace, const MigFleet& fleet) {
  std::vector<Run> runs;
  for (const MigChoices& choices : policies) runs.emplace_back(grid, choices, trace.kind.size());
  std::int64_t asked = 0;
  for (const std::int32_t event : trace.events) {
    const auto job = static_cast<std::size_t>(event < 0 ? ~event : event);
    if (event < 0) {
      for (Run& run : runs) run.end(grid, job);
      continue;
    }
    const std::size_t kind = trace.kind[job];
    const int slots = event >= fleet.warm_up ? grid.slots_of(kind) : 0;
    asked += slots;
    for (Run& run : runs) run.arrive(job, kind, slots);
  }
  const double counted = static_cast<double>(trace.kind.size()) - fleet.warm_up;
  std::vector<MigScore> scores;
  for (const Run& run : runs) {
    scores.push_back({static_cast<double>(run.slots()) / static_cast<double>(asked),
                      static_cast<double>(run.accepted()) / counted});
  }
  return scores;
}

}  // namespace berth::learn
