#include "bench/mig/baselines.h"

#include <cmath>
#include <functional>

#include "base/check.h"

namespace berth::bench::mig {
namespace {

// The start that loses least worth on each state; the card by that loss.
Rule by_worth(const std::vector<std::int32_t>& worth) {
  const learn::MigGrid& grid = card_grid();
  const std::size_t count = grid.count();
  Rule rule;
  rule.cost.assign(kKinds * count, Rule::kNever);
  rule.next.assign(kKinds * count, learn::kNoState);
  rule.pair.assign(kKinds * count, 0);
  for (std::size_t p = 0; p < grid.pairs(); ++p) {
    for (std::size_t s = 0; s < count; ++s) {
      const std::uint16_t next = grid.put(p, s);
      if (next == learn::kNoState) continue;
      const std::size_t at = grid.kind_of(p) * count + s;
      const std::int32_t loss = worth[s] - worth[next];
      if (loss >= rule.cost[at]) continue;
      rule.cost[at] = loss;
      rule.next[at] = next;
      rule.pair[at] = static_cast<std::uint8_t>(p);
    }
  }
  return rule;
}

void set_card_cost(Rule& rule, const std::function<std::int32_t(std::size_t, std::int32_t)>& cost) {
  const std::size_t count = card_grid().count();
  for (std::size_t at = 0; at < rule.cost.size(); ++at) {
    if (rule.cost[at] != Rule::kNever) rule.cost[at] = cost(at % count, rule.cost[at]);
  }
}

std::vector<std::int32_t> table(const std::function<std::int32_t(std::size_t)>& of_state) {
  std::vector<std::int32_t> worth;
  for (std::size_t s = 0; s < card_grid().count(); ++s) worth.push_back(of_state(s));
  return worth;
}

Rule best_index(int sign) {
  const learn::MigGrid& grid = card_grid();
  Rule rule = by_worth(table([&](std::size_t s) { return grid.open_pairs(s); }));
  set_card_cost(rule, [&](std::size_t s, std::int32_t) { return sign * grid.free_slots(s); });
  return rule;
}

Rule fgd(const Mix& mix) {
  constexpr double kUnit = 1e6;
  const learn::MigGrid& grid = card_grid();
  Rule rule = by_worth(table([&](std::size_t s) {
    double waste = 0;
    for (std::size_t k = 0; k < kKinds; ++k) {
      waste += mix.shares[k] * (grid.free_slots(s) - kSlots[k] * grid.fits(s, k));
    }
    return static_cast<std::int32_t>(std::lround(-waste * kUnit));
  }));
  set_card_cost(rule, [&](std::size_t s, std::int32_t loss) {
    return loss + static_cast<std::int32_t>(0.001 * kUnit) * grid.free_slots(s);
  });
  return rule;
}

class Fleet {
 public:
  explicit Fleet(std::size_t jobs) : state_(kCards, 0), jobs_(jobs) {}

  bool place(const Rule& rule, std::int32_t job, std::size_t kind) {
    const std::size_t count = card_grid().count();
    int best = -1;
    std::int32_t least = Rule::kNever;
    for (int i = 0; i < kCards; ++i) {
      const int card = rule.round_robin ? (last_ + 1 + i) % kCards : i;
      const std::int32_t cost = rule.cost[kind * count + state_[static_cast<std::size_t>(card)]];
      if (cost >= least) continue;
      least = cost;
      best = card;
    }
    if (best < 0) return false;
    std::uint16_t& state = state_[static_cast<std::size_t>(best)];
    const std::size_t at = kind * count + state;
    jobs_[static_cast<std::size_t>(job)] = {best, rule.pair[at]};
    state = rule.next[at];
    last_ = best;
    return true;
  }
  void end(std::int32_t job) {
    const Job& ended = jobs_[static_cast<std::size_t>(job)];
    if (ended.card < 0) return;
    std::uint16_t& state = state_[static_cast<std::size_t>(ended.card)];
    state = card_grid().take(ended.pair, state);
  }

 private:
  struct Job {
    int card = -1;
    std::uint8_t pair = 0;
  };
  std::vector<std::uint16_t> state_;
  std::vector<Job> jobs_;
  int last_ = kCards - 1;
};

}  // namespace

std::vector<std::string> baseline_names() { return {"ff", "rr", "bf", "wf", "mfi", "fgd"}; }

Rule baseline(const std::string& name, const Mix& mix) {
  const learn::MigGrid& grid = card_grid();
  if (name == "bf") return best_index(1);
  if (name == "wf") return best_index(-1);
  if (name == "fgd") return fgd(mix);
  if (name == "mfi") return by_worth(table([&](std::size_t s) { return -grid.blocked(s); }));
  BERTH_CHECK(name == "ff" || name == "rr");
  Rule rule = by_worth(table([](std::size_t) { return 0; }));
  rule.round_robin = name == "rr";
  return rule;
}

Score run_rule(const Rule& rule, const Trace& trace, Size size) {
  Fleet fleet(trace.kind.size());
  Score score;
  for (const std::int32_t event : trace.events) {
    if (event < 0) {
      fleet.end(~event);
    } else {
      const bool accepted = fleet.place(rule, event, trace.kind[static_cast<std::size_t>(event)]);
      score.note(trace, event, size, accepted);
    }
  }
  return score;
}

}  // namespace berth::bench::mig
