// Fixes that give a queue more of the quota: each limit on the way up that is in the way, or what
// another queue lends.
#include <algorithm>
#include <string_view>

#include "engine/cycle/fix_search.h"
#include "engine/quota/over_promise.h"
#include "model/quantity_text.h"

namespace berth::engine {
namespace {

constexpr MicroMoney kMoney = 1'000'000;  // one of the accounting currency

// "2 cards", "0.5 CPUs"; rounded up.
std::string amount_text(CardUnits units, bool cpus) {
  const std::int64_t milli = (units + kCardMilli - 1) / kCardMilli;
  return thousandths_text(milli) + (cpus ? " CPU" : " card") + (milli == 1000 ? "" : "s");
}

// What a job asks of one flavour.
struct FlavourAsk {
  FlavourIndex flavour;
  Charge charge;
};
using FlavourAsks = std::vector<FlavourAsk>;

// Every flavour by itself, and all together: which of them a job needs is placement's question.
std::vector<FlavourAsks> alternatives(const FixSearch& search) {
  const ClusterState& state = search.state();
  const AskIndex ask = state.spec_of(search.job()).ask;
  const TaskCounts tasks = least_tasks(state.asks().at(ask));
  AskFlavours flavours;
  const auto& roles = flavours.of(state, ask);
  FlavourAsks all;
  const auto add = [&](FlavourIndex flavour, const Charge& charge) {
    const auto same = [&](const FlavourAsk& one) { return one.flavour == flavour; };
    if (flavour.is_none() || std::any_of(all.begin(), all.end(), same)) return;
    all.push_back({flavour, charge});
  };
  Charge cpus;
  for (std::size_t r = 0; r < roles.size(); ++r) {
    for (const FlavourOption& option : roles[r].cards) {
      add(option.flavour,
          charge_of(roles, option.flavour, [&](std::size_t role) { return tasks[role]; }));
    }
    cpus += times(roles[r].cpus_per_task, tasks[r]);
  }
  if (state.quota().counts_cpus() && !roles.empty()) add(roles.front().cpus, cpus);
  std::vector<FlavourAsks> found;
  for (const FlavourAsk& one : all) found.push_back({one});
  if (all.size() > 1) found.push_back(all);
  return found;
}

// Limits of a queue and of all above it raised so far that the job fits in, and by some more.
class Raise {
 public:
  Raise(const FixSearch& search, const FlavourAsks& asks, CardUnits more)
      : state_(search.state()),
        tree_(search.state().quota()),
        job_class_(search.spec().job_class),
        more_(more) {
    for (QueueIndex q = search.state().spec_of(search.job()).home.queue; !q.is_none();
         q = tree_.queue(q).parent) {
      raise(q, asks);
    }
  }

  const FixSearch::Bodies& bodies() const { return bodies_; }  // empty: no limit is in the way
  const Fix& fix() const { return fix_; }

 private:
  // A limit of the queue and what must go under it.
  struct Limit {
    CardUnits* limit;
    bool cpus;
    bool of_class;
    CardUnits needed;
    std::string of = {};  // " of A30", where the queue says something of several
  };

  void raise(QueueIndex q, const FlavourAsks& asks) {
    QueueSpec raised = *tree_.queue(q).spec;
    std::vector<Limit> limits;
    for (const FlavourAsk& ask : asks) {
      limit_of_entry(q, ask, raised, limits);
      limit_of_class(q, ask, raised, limits);
    }
    bool changed = false;
    for (const Limit& one : limits) {
      const CardUnits needed = saturating_add(one.needed, more_);
      if (needed <= *one.limit) continue;
      note(raised.name, one, needed);
      *one.limit = needed;
      changed = true;
    }
    if (changed) bodies_.emplace_back(DeclareQueue{std::move(raised)});
  }

  void limit_of_entry(QueueIndex q, const FlavourAsk& ask, QueueSpec& raised,
                      std::vector<Limit>& limits) const {
    const QuotaEntry* entry = tree_.entry(q, ask.flavour);
    if (entry == nullptr || !entry->limit) return;
    const bool cpus = tree_.flavour(ask.flavour).is_cpu();
    for (std::size_t i = 0; i < raised.quotas.size(); ++i) {
      if (&tree_.queue(q).entries[i] != entry) continue;
      std::string of;
      if (raised.quotas.size() > 1 && !cpus) of = " of " + pattern_name(state_, entry->pattern);
      add(limits,
          {&*raised.quotas[i].limit, cpus, false, tree_.used(q, entry, ask.flavour, {}), of}, ask);
    }
  }

  void limit_of_class(QueueIndex q, const FlavourAsk& ask, QueueSpec& raised,
                      std::vector<Limit>& limits) const {
    if (tree_.flavour(ask.flavour).is_cpu()) return;
    for (ClassLimit& rule : raised.class_limits) {
      if (rule.job_class != job_class_) continue;
      add(limits, {&rule.limit, false, true, tree_.used_by_class(q, job_class_, ask.flavour, {})},
          ask);
    }
  }

  // What is asked of several flavours goes under one limit together.
  void add(std::vector<Limit>& limits, Limit limit, const FlavourAsk& ask) const {
    const auto same = [&](const Limit& known) { return known.limit == limit.limit; };
    auto it = std::find_if(limits.begin(), limits.end(), same);
    if (it == limits.end()) it = limits.insert(limits.end(), limit);
    it->needed = saturating_add(it->needed, larger_share(ask.charge, tree_.capacity(ask.flavour)));
  }

  void note(const std::string& queue, const Limit& limit, CardUnits needed) {
    const CardUnits more = needed - *limit.limit;
    fix_.change = saturating_add(fix_.change, more);
    if (!fix_.text.empty()) fix_.text += ", ";
    fix_.text += "give ";
    if (limit.of_class) fix_.text += "class " + std::string(word(job_class_)) + " in ";
    fix_.text += "queue " + queue + " " + amount_text(more, limit.cpus) + limit.of +
                 " more (limit " + amount_text(needed, limit.cpus) + ")";
  }

  const ClusterState& state_;
  const QuotaTree& tree_;
  JobClass job_class_;
  CardUnits more_;
  Fix fix_{FixBy::kOperator, 0, {}, {}};
  FixSearch::Bodies bodies_;
};

// Cards that all waiting jobs ask for.
std::int64_t waiting_cards(const ClusterState& state) {
  std::int64_t cards = 0;
  for (const JobId id : state.pending().sorted_ids()) {
    for (const RoleAsk& role : state.ask_of(*state.find_job(id)).roles) {
      const std::int64_t of_task = state.shapes().at(role.shape).device_count();
      cards = saturating_add(cards, saturating_mul(of_task, role.count));
    }
  }
  return cards;
}

std::int64_t fleet_cards(const ClusterState& state) {
  std::int64_t cards = 0;
  for (const NodeRecord& node : state.nodes()) cards += std::ssize(node.cards);
  return cards;
}

// A queue beside the job's way up that keeps a part of its guarantee to itself, unused.
struct Keeper {
  QueueIndex queue;
  const QuotaEntry* entry;
};

class Keepers {
 public:
  explicit Keepers(const FixSearch& search)
      : tree_(search.state().quota()), home_(search.state().spec_of(search.job()).home.queue) {
    for (const FlavourAsks& asks : alternatives(search)) {
      if (asks.size() == 1) look_along_the_way(asks.front().flavour);
    }
    const auto name = [&](const Keeper& one) -> const std::string& {
      return tree_.queue(one.queue).spec->name;
    };
    std::stable_sort(found_.begin(), found_.end(),
                     [&](const Keeper& a, const Keeper& b) { return name(a) < name(b); });
  }

  const std::vector<Keeper>& found() const { return found_; }

  // The queue's spec if it lent so much more.
  QueueSpec lending(const Keeper& keeper, CardUnits more) const {
    const QueueRecord& queue = tree_.queue(keeper.queue);
    QueueSpec spec = *queue.spec;
    for (std::size_t i = 0; i < spec.quotas.size(); ++i) {
      if (&queue.entries[i] == keeper.entry) spec.quotas[i].lend = *keeper.entry->lend + more;
    }
    return spec;
  }

  std::string text(const Keeper& keeper, CardUnits more) const {
    const bool cpus = keeper.entry->pattern.cpu;
    return "let queue " + tree_.queue(keeper.queue).spec->name + " lend " +
           amount_text(more, cpus) + " more (lend " +
           amount_text(*keeper.entry->lend + more, cpus) + ")";
  }

 private:
  void look_along_the_way(FlavourIndex flavour) {
    QueueIndex below = QueueIndex::none();
    for (QueueIndex q = home_;; q = tree_.queue(q).parent) {
      const auto beside =
          q.is_none() ? tree_.roots() : std::span<const QueueIndex>(tree_.queue(q).children);
      for (const QueueIndex one : beside) {
        if (one != below) look_at(one, flavour);
      }
      if (q.is_none()) return;
      below = q;
    }
  }

  void look_at(QueueIndex queue, FlavourIndex flavour) {
    const QuotaEntry* entry = tree_.entry(queue, flavour);
    if (entry == nullptr || !entry->lend || !entry->declared || entry->kept_back() <= 0) return;
    const auto same = [&](const Keeper& known) { return known.entry == entry; };
    if (std::none_of(found_.begin(), found_.end(), same)) found_.push_back({queue, entry});
  }

  const QuotaTree& tree_;
  QueueIndex home_;
  std::vector<Keeper> found_;
};

// By whole cards, the last step what is left to lend.
void lend_more(FixSearch& search, const Keepers& keepers, const Keeper& keeper) {
  const CardUnits most = keeper.entry->kept_back();
  const auto units = [&](std::int64_t cards) {
    return std::min(most, saturating_mul(cards, kCard));
  };
  const auto cards = search.least_that_starts((most + kCard - 1) / kCard, [&](std::int64_t more) {
    return more > 0 && search.starts({DeclareQueue{keepers.lending(keeper, units(more))}});
  });
  if (!cards) return;
  const CardUnits more = units(*cards);
  search.offer({FixBy::kOperator, more, keepers.text(keeper, more), {}},
               {DeclareQueue{keepers.lending(keeper, more)}});
}

// The limits of one queue on the way up, else of all of them.
void lift_limits(FixSearch& search) {
  const QuotaTree& tree = search.state().quota();
  const Fix none{FixBy::kOperator, saturating_mul(fleet_cards(search.state()), kCard), {}, {}};
  Fix all = none;
  FixSearch::Bodies of_all;
  for (QueueIndex q = search.state().spec_of(search.job()).home.queue; !q.is_none();
       q = tree.queue(q).parent) {
    QueueSpec lifted = *tree.queue(q).spec;
    for (FlavourQuota& quota : lifted.quotas) quota.limit.reset();
    lifted.class_limits.clear();
    if (lifted == *tree.queue(q).spec) continue;
    Fix one = none;
    one.text = "lift the limits of queue " + lifted.name;
    all.text += (all.text.empty() ? "" : ", ") + one.text;
    of_all.emplace_back(DeclareQueue{lifted});
    if (search.starts({of_all.back()})) return search.offer(std::move(one), {of_all.back()});
  }
  if (of_all.size() > 1 && search.starts(of_all)) search.offer(std::move(all), std::move(of_all));
}

// All that several of them keep, where no single one keeps enough.
void lend_all(FixSearch& search, const Keepers& keepers) {
  FixSearch::Bodies bodies;
  Fix fix{FixBy::kOperator, 0, {}, {}};
  for (const Keeper& keeper : keepers.found()) {
    const CardUnits more = keeper.entry->kept_back();
    bodies.emplace_back(DeclareQueue{keepers.lending(keeper, more)});
    fix.change = saturating_add(fix.change, more);
    fix.text += (fix.text.empty() ? "" : ", ") + keepers.text(keeper, more);
  }
  if (search.starts(bodies)) search.offer(std::move(fix), std::move(bodies));
}

}  // namespace

// Budgets of the queue and of all above it that are spent, raised by what starts new work.
void raise_budgets(FixSearch& search) {
  const ClusterState& state = search.state();
  const QuotaTree& tree = state.quota();
  FixSearch::Bodies bodies;
  Fix fix{FixBy::kOperator, 0, {}, {}};
  for (QueueIndex q = state.spec_of(search.job()).home.queue; !q.is_none();
       q = tree.queue(q).parent) {
    if (!budget_is_spent(tree, state, q, search.now())) continue;
    QueueSpec raised = *tree.queue(q).spec;
    const MicroMoney spent = spent_in_month(tree, state, q, search.now());
    raised.budget.per_month = (spent / kMoney + 1) * kMoney;
    fix.text += (fix.text.empty() ? "" : ", ") + ("raise the budget of queue " + raised.name) +
                " to " + grouped(raised.budget.per_month / kMoney) + " a month";
    bodies.emplace_back(DeclareQueue{std::move(raised)});
  }
  if (!bodies.empty() && search.starts(bodies)) search.offer(std::move(fix), std::move(bodies));
}

// Jobs before it take their part of what is given: as much more as they need goes on top. Where no
// amount helps, as others take all of it, no limit at all may.
void raise_limits(FixSearch& search) {
  const std::size_t before = search.found().size();
  const std::int64_t most =
      saturating_add(waiting_cards(search.state()), fleet_cards(search.state()));
  for (const FlavourAsks& asks : alternatives(search)) {
    const auto more = search.least_that_starts(most, [&](std::int64_t cards) {
      const Raise raise(search, asks, saturating_mul(cards, kCard));
      return !raise.bodies().empty() && search.starts(raise.bodies());
    });
    if (!more) continue;
    const Raise raise(search, asks, saturating_mul(*more, kCard));
    search.offer(raise.fix(), raise.bodies());
  }
  if (search.found().size() == before) lift_limits(search);
}

void raise_lending(FixSearch& search) {
  if (!search.state().quota().keeps_back()) return;
  const Keepers keepers(search);
  const std::size_t before = search.found().size();
  for (const Keeper& keeper : keepers.found()) lend_more(search, keepers, keeper);
  if (search.found().size() == before && keepers.found().size() > 1) lend_all(search, keepers);
}

}  // namespace berth::engine
