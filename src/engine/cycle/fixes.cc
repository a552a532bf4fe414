#include "engine/cycle/fixes.h"

#include <algorithm>
#include <functional>

#include "engine/quota/admission.h"
#include "model/quantity_text.h"

namespace berth::engine {
namespace {

std::string cards_text(CardUnits units) {
  const std::int64_t milli = (units + kCardMilli - 1) / kCardMilli;
  return thousandths_text(milli) + (milli == 1000 ? " card" : " cards");
}

class FixSearch {
 public:
  FixSearch(const Engine& engine, const JobRecord& job, TimeMs now)
      : state_(engine.state()), job_(job), now_(now) {}

  std::vector<Fix> run() {
    if (job_.user_held) offer("release the job", {UnholdJob{job_.name}});
    relax_rules();
    ask_less_of_the_node();
    accept_other_models();
    raise_limits();
    start_smaller();
    return std::move(fixes_);
  }

 private:
  const JobSpec& spec() const { return *state_.spec_of(job_).spec; }

  // Tries the commands on a copy; what helps is offered.
  void offer(const std::string& text, std::vector<CommandBody> bodies) {
    Engine trial{ClusterState(state_)};
    Fix fix{text, {}};
    for (CommandBody& body : bodies) {
      fix.commands.push_back({std::move(body), {}, {}});
      const auto events = trial.decide(fix.commands.back(), now_);
      if (!events) return;
      for (const Event& event : *events) trial.apply(event);
    }
    for (const Event& event : trial.commit(trial.plan(now_), now_).events) trial.apply(event);
    const JobRecord* after = trial.state().find_job(job_.name);
    if (after == nullptr || after->phase == JobPhase::kPending) return;
    const auto same = [&](const Fix& known) { return known.text == text; };
    if (std::none_of(fixes_.begin(), fixes_.end(), same)) fixes_.push_back(std::move(fix));
  }

  // The job again with another spec. It loses its place in the queue.
  void offer_spec(const std::string& text, const std::function<void(JobSpec&)>& change) {
    auto changed = std::make_shared<JobSpec>(spec());
    change(*changed);
    offer(text, {CancelJob{job_.name}, SubmitJob{job_.name, std::move(changed)}});
  }

  void relax_rules() {
    for (std::size_t r = 0; r < spec().roles.size(); ++r) {
      const Role& role = spec().roles[r];
      for (std::size_t i = 0; i < role.topology.size(); ++i) {
        const TopologyRule& rule = role.topology[i];
        if (rule.strength == RuleStrength::kPreferred) continue;
        offer_spec("prefer '" + rule.within + "' for each " + std::string(word(rule.unit)) +
                       " instead of requiring it",
                   [r, i](JobSpec& changed) {
                     changed.roles[r].topology[i].strength = RuleStrength::kPreferred;
                   });
      }
    }
    const auto asks = [](const Container& c) { return !c.devices.within.empty(); };
    for (std::size_t r = 0; r < spec().roles.size(); ++r) {
      const auto& containers = spec().roles[r].containers;
      if (std::none_of(containers.begin(), containers.end(), asks)) continue;
      offer_spec("let devices of a task lie anywhere on their node", [r](JobSpec& changed) {
        for (Container& c : changed.roles[r].containers) c.devices.within.clear();
      });
    }
  }

  // The most CPU, or host memory, with which it would start.
  void ask_less_of_the_node() {
    for (std::size_t r = 0; r < spec().roles.size(); ++r) {
      if (spec().roles[r].containers.size() != 1) continue;
      const Container& container = spec().roles[r].containers.front();
      trim(container.cpu_milli, [&](std::int64_t most) {
        offer_spec(
            "ask for " + thousandths_text(most) + " CPUs a task",
            [r, most](JobSpec& changed) { changed.roles[r].containers.front().cpu_milli = most; });
      });
      trim(container.memory_mib, [&](std::int64_t most) {
        offer_spec(
            "ask for " + std::to_string(most) + " MiB of host memory a task",
            [r, most](JobSpec& changed) { changed.roles[r].containers.front().memory_mib = most; });
      });
    }
  }

  // Offers the largest amount below `asked` that helps, found by halving; less never hinders.
  void trim(std::int64_t asked, const std::function<void(std::int64_t)>& try_with) {
    if (asked <= 0 || !helps([&] { try_with(0); })) return;
    std::int64_t low = 0;
    std::int64_t high = asked;
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (helps([&] { try_with(middle); }) ? low : high) = middle;
    }
    try_with(low);
  }

  // Whether what it tries would be offered; nothing is.
  bool helps(const std::function<void()>& attempt) {
    const std::size_t before = fixes_.size();
    attempt();
    const bool found = fixes_.size() > before;
    fixes_.resize(before);
    return found;
  }

  void accept_other_models() {
    for (std::size_t r = 0; r < spec().roles.size(); ++r) {
      for (std::size_t c = 0; c < spec().roles[r].containers.size(); ++c) {
        if (spec().roles[r].containers[c].devices.models.empty()) continue;
        offer_spec("accept any GPU model", [r, c](JobSpec& changed) {
          changed.roles[r].containers[c].devices.models.clear();
        });
      }
    }
  }

  // Each limit on the way up that is in the way, raised by exactly what is missing.
  void raise_limits() {
    AskFlavours flavours;
    const SpecRecord& record = state_.spec_of(job_);
    const TaskCounts tasks = least_tasks(state_.asks().at(record.ask));
    const auto& roles = flavours.of(state_, record.ask);
    for (std::size_t r = 0; r < roles.size(); ++r) {
      for (const FlavourOption& option : roles[r].cards) {
        Charge all;
        for (std::uint32_t t = 0; t < tasks[r]; ++t) all += option.per_task;
        raise_limits_of(record.home.queue, option.flavour, all);
      }
    }
  }

  // Jobs before it take their part of what is given: as much more as they need goes on top.
  void raise_limits_of(QueueIndex queue, FlavourIndex flavour, const Charge& charge) {
    CardUnits low = 0;
    CardUnits high = waiting_cards() * kCard;
    if (!helps([&] { raise_by(queue, flavour, charge, high); })) return;
    if (helps([&] { raise_by(queue, flavour, charge, 0); })) high = 0;
    while (high - low > kCard) {
      const CardUnits middle = low + (high - low) / 2 / kCard * kCard;
      (helps([&] { raise_by(queue, flavour, charge, middle); }) ? high : low) = middle;
    }
    raise_by(queue, flavour, charge, high);
  }

  // Cards that all waiting jobs ask for.
  std::int64_t waiting_cards() const {
    std::int64_t cards = 0;
    for (const JobId id : state_.pending().sorted_ids()) {
      for (const RoleAsk& role : state_.ask_of(*state_.find_job(id)).roles) {
        cards += std::int64_t{state_.shapes().at(role.shape).device_count()} * role.count;
      }
    }
    return cards;
  }

  void raise_by(QueueIndex queue, FlavourIndex flavour, const Charge& charge, CardUnits more) {
    const QuotaTree& tree = state_.quota();
    std::vector<CommandBody> bodies;
    std::string text;
    for (QueueIndex q = queue; !q.is_none(); q = tree.queue(q).parent) {
      const QuotaEntry* entry = tree.entry(q, flavour);
      if (entry == nullptr || !entry->limit) continue;
      const CardUnits needed = saturating_add(tree.used(q, entry, flavour, charge), more);
      if (needed <= *entry->limit) continue;
      QueueSpec raised = *tree.queue(q).spec;
      for (std::size_t i = 0; i < raised.quotas.size(); ++i) {
        if (&tree.queue(q).entries[i] == entry) raised.quotas[i].limit = needed;
      }
      text += (text.empty() ? "" : ", ") + ("give queue " + raised.name + " ") +
              cards_text(needed - *entry->limit) + " more (limit " + cards_text(needed) + ")";
      bodies.emplace_back(DeclareQueue{std::move(raised)});
    }
    if (!bodies.empty()) offer(text, std::move(bodies));
  }

  // The most tasks that would start now, by halving.
  void start_smaller() {
    if (spec().roles.size() != 1 || spec().roles.front().elastic) return;
    const Role& role = spec().roles.front();
    std::uint32_t low = 0;
    std::uint32_t high = role.count;
    while (high - low > 1) {
      const std::uint32_t middle = low + (high - low) / 2;
      const bool starts = helps([&] { offer("", {ResizeJob{job_.name, role.name, middle}}); });
      (starts ? low : high) = middle;
    }
    if (low == 0) return;
    offer("start with " + std::to_string(low) + " of " + std::to_string(role.count) + " tasks",
          {ResizeJob{job_.name, role.name, low}});
  }

  const ClusterState& state_;
  const JobRecord& job_;
  TimeMs now_;
  std::vector<Fix> fixes_;
};

}  // namespace

std::vector<Fix> find_fixes(const Engine& engine, JobId id, TimeMs now) {
  const JobRecord* job = engine.state().find_job(id);
  if (job == nullptr || job->phase != JobPhase::kPending) return {};
  return FixSearch(engine, *job, now).run();
}

}  // namespace berth::engine
