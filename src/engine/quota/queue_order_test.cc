// Whose turn it is: single steps by hand, and random trees against looking at everything anew
// before each turn.
#include "engine/quota/queue_order.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "base/rng.h"
#include "engine/decide.h"
#include "model/testing.h"

namespace berth::engine {
namespace {

namespace t = berth::testing;

// Lines of jobs in a tree of queues, over so many cards that room is no question.
class Lines {
 public:
  Lines() {
    run({DeclareModel{t::plain_model("card", 40'000)}, {}, {}});
    for (int n = 0; n < 4; ++n)
      run({JoinNode{t::node("n" + std::to_string(n), "card", 8)}, {}, {}});
  }
  void queue(const std::string& name, const std::string& parent, CardUnits guarantee,
             std::uint32_t weight = 1, std::int32_t priority = 0) {
    QueueSpec spec = t::queue(name);
    spec.parent = parent;
    spec.weight = weight;
    spec.priority = priority;
    FlavourQuota quota;
    quota.model = "card";
    quota.guarantee = guarantee * kCard;
    quota.weight = weight;
    spec.quotas.push_back(quota);
    run({DeclareQueue{spec}, {}, {}});
  }
  void order_of(const std::string& name, berth::QueueOrder order) {
    QueueSpec spec = *state_.queues()[state_.find_queue(name).value()].spec;
    spec.order = order;
    run({DeclareQueue{spec}, {}, {}});
  }
  void policy_order(berth::QueueOrder order) {
    PolicySpec policy = state_.policy();
    policy.order = order;
    run({SetPolicy{policy, {}}, {}, {}});
  }
  void submit(const std::string& name, const std::string& queue, std::uint32_t cards = 1,
              std::int32_t priority = 0, JobClass job_class = JobClass::kTraining,
              std::optional<DurationMs> run_time = {}) {
    JobSpec spec = t::job(queue, t::whole(cards));
    spec.run_time_ms = run_time;
    spec.priority = priority;
    spec.job_class = job_class;
    run(t::submit(name, std::move(spec)));
  }

  void submit_run(const std::string& name, const std::string& queue, std::uint32_t cards,
                  DurationMs run_time) {
    submit(name, queue, cards, 0, JobClass::kTraining, run_time);
  }

  std::vector<Turn> heads() const {
    std::vector<Turn> turns;
    for (const AskIndex ask : state_.pending().asks()) {
      for (const SpecIndex spec : state_.pending().of_ask(ask)) turns.push_back(turn_of(spec, 0));
    }
    return turns;
  }
  Turn turn_of(SpecIndex spec, std::size_t job) const {
    Turn turn{line_key(state_, spec, state_.pending().line(spec).jobs[job], 0), spec};
    const JobSpec& what = *state_.spec(spec).spec;
    const berth::QueueOrder order =
        state_.queues()[state_.find_queue(what.queue).value()].spec->order;
    if (order == berth::QueueOrder::kPredictedGpuTime) {
      turn.key.order = what.run_time_ms.value() * cards_of(spec);
    }
    return turn;
  }
  std::optional<Turn> after(const Turn& turn, bool placed) {
    const auto& jobs = state_.pending().line(turn.spec).jobs;
    const std::size_t done = ++done_[turn.spec];
    if (!placed || done == jobs.size()) return std::nullopt;
    return turn_of(turn.spec, done);
  }
  void hold(SpecIndex spec) {
    ClusterState::Charges charges;
    charges.cards = flavour();
    charges.of_cards = {cards_of(spec) * kCard, 0};
    state_.hold_quota(state_.spec(spec), charges, 1);
  }
  CardUnits cards_of(SpecIndex spec) const {
    return state_.spec(spec).spec->roles[0].containers[0].devices.count;
  }
  FlavourIndex flavour() const {
    return state_.quota().find({state_.find_model("card"), PartitionIndex::none()});
  }
  const ClusterState& state() const { return state_; }

  // All jobs in the order of their turns, each placed.
  std::string sequence() {
    AskFlavours flavours;
    QueueOrder order(state_, flavours, 0);
    for (const Turn& turn : heads()) order.add(turn);
    std::string names;
    while (const auto turn = order.next()) {
      names += (names.empty() ? "" : " ") + state_.find_job(turn->key.head)->name;
      hold(turn->spec);
      order.end_turn(after(*turn, true));
    }
    return names;
  }

 private:
  void run(const Command& command) {
    auto events = decide(state_, command, ++now_);
    ASSERT_TRUE(events.has_value()) << events.error().to_text();
    for (const Event& event : *events) state_.apply(event);
  }

  ClusterState state_;
  TimeMs now_ = 0;
  std::map<SpecIndex, std::size_t> done_;
};

TEST(QueueOrder, TheLowestShareOfTheGuaranteeGoesFirst) {
  Lines lines;
  lines.queue("a", "", 4);
  lines.queue("b", "", 2);
  for (const char* name : {"a1", "a2", "a3", "a4"}) lines.submit(name, "a");
  for (const char* name : {"b1", "b2"}) lines.submit(name, "b");
  EXPECT_EQ(lines.sequence(), "a1 b1 a2 a3 b2 a4");
}

TEST(QueueOrder, BorrowersComeAfterOwnersAndShareByWeight) {
  Lines lines;
  lines.queue("a", "", 0, 3);
  lines.queue("b", "", 0, 1);
  lines.queue("c", "", 2);
  for (const char* name : {"a1", "a2", "a3", "a4"}) lines.submit(name, "a");
  for (const char* name : {"b1", "b2"}) lines.submit(name, "b");
  for (const char* name : {"c1", "c2"}) lines.submit(name, "c");
  EXPECT_EQ(lines.sequence(), "c1 c2 a1 b1 a2 a3 a4 b2");
}

TEST(QueueOrder, APriorityOfTheQueueOutranksItsShareAmongOwnersAndAmongBorrowers) {
  Lines lines;
  lines.queue("a", "", 1);
  lines.queue("b", "", 1, 1, 5);
  for (const char* name : {"a1", "a2"}) lines.submit(name, "a");
  for (const char* name : {"b1", "b2"}) lines.submit(name, "b");
  EXPECT_EQ(lines.sequence(), "b1 a1 b2 a2");
}

TEST(QueueOrder, InsideAQueueClassThenPriorityThenSubmission) {
  Lines lines;
  lines.queue("a", "", 8);
  lines.submit("late", "a", 1, -1);
  lines.submit("plain", "a");
  lines.submit("urgent", "a", 1, 7);
  lines.submit("serving", "a", 1, 0, JobClass::kInference);
  lines.submit("plain2", "a", 2);
  EXPECT_EQ(lines.sequence(), "serving urgent plain plain2 late");
}

TEST(QueueOrder, AQueueMayOrderItsJobsByPredictedGpuTime) {
  Lines lines;
  lines.queue("a", "", 16);
  lines.queue("b", "", 16);
  lines.order_of("a", berth::QueueOrder::kPredictedGpuTime);
  for (const char* queue : {"a", "b"}) {
    lines.submit_run(std::string(queue) + "1", queue, 1, 8 * kHourMs);
    lines.submit_run(std::string(queue) + "2", queue, 4, kHourMs);
    lines.submit_run(std::string(queue) + "3", queue, 1, kHourMs);
  }
  EXPECT_EQ(lines.sequence(), "a3 b1 a2 b2 a1 b3");
}

// Between queues the policy's order by GPU time stays, whatever a queue does inside.
TEST(QueueOrder, ThePolicysGpuTimeHoldsBetweenQueuesOfAnotherOrder) {
  Lines lines;
  lines.queue("a", "", 16);
  lines.queue("b", "", 16);
  lines.policy_order(berth::QueueOrder::kPredictedGpuTime);
  lines.order_of("a", berth::QueueOrder::kAttainedService);
  lines.submit_run("a1", "a", 1, 3 * kHourMs);
  lines.submit_run("a2", "a", 1, 1 * kHourMs);
  lines.submit_run("b1", "b", 1, 4 * kHourMs);
  lines.submit_run("b2", "b", 1, 2 * kHourMs);
  EXPECT_EQ(lines.sequence(), "b2 a1 a2 b1");
}

TEST(QueueOrder, TheLevelOfAttainedServiceDoubles) {
  EXPECT_EQ(service_level(kHourMs - 1), 0);
  EXPECT_EQ(service_level(kHourMs), 1);
  EXPECT_EQ(service_level(2 * kHourMs - 1), 1);
  EXPECT_EQ(service_level(2 * kHourMs), 2);
  EXPECT_EQ(service_level(100 * kHourMs), 7);
}

TEST(QueueOrder, OwnJobsOfAnInnerQueueStandBesideItsChildren) {
  Lines lines;
  lines.queue("top", "", 4);
  lines.queue("kid", "top", 2);
  for (const char* name : {"k1", "k2", "k3"}) lines.submit(name, "kid");
  for (const char* name : {"t1", "t2", "t3"}) lines.submit(name, "top");
  EXPECT_EQ(lines.sequence(), "k1 t1 k2 t2 k3 t3");
}

// The same tree under other names, with its queues declared in another order.
TEST(QueueOrder, NamesAndTheOrderOfDeclarationDecideNothing) {
  const auto sequence = [](std::vector<std::string> names, std::vector<std::size_t> order) {
    Lines lines;
    for (const std::size_t q : order) {
      lines.queue(names[q], "", static_cast<CardUnits>(q % 2) * 2, 1 + q % 3 == 0 ? 2 : 1);
    }
    for (int i = 0; i < 12; ++i) {
      lines.submit("j" + std::to_string(i), names[static_cast<std::size_t>(i * 7 % 4)]);
    }
    return lines.sequence();
  };
  std::vector<std::string> names = {"a", "b", "c", "d"};
  std::vector<std::size_t> order = {0, 1, 2, 3};
  const std::string first = sequence(names, order);
  do {
    std::rotate(order.begin(), order.begin() + 1, order.end());
    EXPECT_EQ(sequence(names, order), first);
  } while (std::next_permutation(names.begin(), names.end()));
}

// Everything looked at anew before each turn, by the words of the header.
class BruteOrder {
 public:
  explicit BruteOrder(const Lines& lines) : lines_(lines), turns_(lines.heads()) {}

  const Turn* next() const { return best(QueueIndex::none()); }
  void end_turn(const std::optional<Turn>& again) {
    const JobId head = next()->key.head;
    std::erase_if(turns_, [&](const Turn& turn) { return turn.key.head == head; });
    if (again) turns_.push_back(*again);
  }

 private:
  // borrows, then rank, then (held or excess, of what), then the oldest head
  struct Stand {
    bool borrows = false;
    std::int64_t rank = 0;
    CardUnits held = 0;
    CardUnits of = 1;
    JobId head;

    bool before(const Stand& other) const {
      if (borrows != other.borrows) return other.borrows;
      if (rank != other.rank) return rank > other.rank;
      const auto left = static_cast<__int128>(held) * other.of;
      const auto right = static_cast<__int128>(other.held) * of;
      if (left != right) return left < right;
      return head < other.head;
    }
  };

  const QuotaTree& tree() const { return lines_.state().quota(); }
  QueueIndex queue_of(const Turn& turn) const { return lines_.state().spec(turn.spec).home.queue; }

  const Turn* best_own(QueueIndex queue) const {
    const Turn* best = nullptr;
    for (const Turn& turn : turns_) {
      if (queue_of(turn) == queue && (best == nullptr || turn.key < best->key)) best = &turn;
    }
    return best;
  }
  const Turn* best(QueueIndex queue) const {
    const Turn* found = queue.is_none() ? nullptr : best_own(queue);
    Stand least;
    if (found != nullptr) least = stand(queue, true, *found);
    const auto children = queue.is_none() ? tree().roots() : tree().queue(queue).children;
    for (const QueueIndex child : children) {
      const Turn* turn = best(child);
      if (turn == nullptr) continue;
      const Stand one = stand(child, false, *turn);
      if (found != nullptr && !one.before(least)) continue;
      least = one;
      found = turn;
    }
    return found;
  }
  Stand stand(QueueIndex queue, bool own, const Turn& turn) const {
    const QueueRecord& record = tree().queue(queue);
    const FlavourUsage* usage = record.find(lines_.flavour());
    CardUnits guarantee = record.spec->quotas.front().guarantee;
    CardUnits held = usage == nullptr ? 0 : usage->total.compute;
    std::int64_t weight = record.spec->weight;
    if (own && !record.children.empty()) {
      for (const QueueIndex child : record.children) {
        guarantee -= tree().queue(child).spec->quotas.front().guarantee;
      }
      guarantee = std::max<CardUnits>(0, guarantee);
      held = usage == nullptr ? 0 : usage->own.compute;
      weight = 1;
    }
    Stand stand;
    stand.borrows = held + lines_.cards_of(turn.spec) * kCard > guarantee;
    stand.rank = record.spec->priority;
    stand.held = stand.borrows ? std::max<CardUnits>(0, held - guarantee) : held;
    stand.of = stand.borrows ? weight : std::max<CardUnits>(1, guarantee);
    stand.head = turn.key.head;
    return stand;
  }

  const Lines& lines_;
  std::vector<Turn> turns_;
};

void make_tree(Lines& lines, Rng& rng) {
  const std::uint64_t count = 1 + rng.below(7);
  std::vector<CardUnits> left;  // of each guarantee, for children
  for (std::uint64_t q = 0; q < count; ++q) {
    std::string parent;
    auto guarantee = static_cast<CardUnits>(rng.below(5));
    if (q > 0 && rng.below(3) != 0) {
      const std::uint64_t above = rng.below(q);
      parent = "q" + std::to_string(above);
      guarantee = std::min(guarantee, left[above]);
      left[above] -= guarantee;
    }
    left.push_back(guarantee);
    const auto priority = static_cast<std::int32_t>(rng.below(4) == 0 ? rng.below(3) : 0);
    lines.queue("q" + std::to_string(q), parent, guarantee,
                static_cast<std::uint32_t>(1 + rng.below(3)), priority);
    if (rng.below(3) == 0) {
      lines.order_of("q" + std::to_string(q), berth::QueueOrder::kPredictedGpuTime);
    }
  }
  const std::uint64_t jobs = rng.below(25);
  for (std::uint64_t j = 0; j < jobs; ++j) {
    lines.submit("j" + std::to_string(j), "q" + std::to_string(rng.below(count)),
                 static_cast<std::uint32_t>(1 + rng.below(3)),
                 static_cast<std::int32_t>(rng.below(2)), JobClass::kTraining,
                 static_cast<DurationMs>(1 + rng.below(3)) * kHourMs);
  }
}

void compare_orders(std::uint64_t seed) {
  Rng rng(seed);
  Lines lines;
  make_tree(lines, rng);
  for (const Turn& turn : lines.heads()) {
    if (rng.below(3) == 0) lines.hold(turn.spec);  // something runs already
  }
  AskFlavours flavours;
  QueueOrder order(lines.state(), flavours, 0);
  BruteOrder brute(lines);
  for (const Turn& turn : lines.heads()) order.add(turn);
  for (;;) {
    const auto turn = order.next();
    const Turn* expected = brute.next();
    RC_ASSERT(turn.has_value() == (expected != nullptr));
    if (!turn) return;
    RC_ASSERT(turn->key.head == expected->key.head);
    const bool placed = rng.below(4) != 0;
    const std::optional<Turn> again = lines.after(*turn, placed);
    brute.end_turn(again);
    if (placed) lines.hold(turn->spec);
    order.end_turn(again);
  }
}

RC_GTEST_PROP(QueueOrderProperty, TheHeapGivesWhatLookingAtEverythingGives, (std::uint64_t seed)) {
  for (std::uint64_t i = 0; i < 10; ++i) compare_orders(seed * 10 + i);
}

}  // namespace
}  // namespace berth::engine
