// The quota tree in single steps: months, card time, pools, and each rule of admission.
#include "engine/quota/quota_tree.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "engine/quota/quota_testing.h"

namespace berth::engine {
namespace {

using testing::Booking;
using testing::entry_of;
using testing::FixedPrices;
using testing::TwinTree;

constexpr DurationMs kDay = 24 * kHourMs;

struct Date {
  int year;
  int month;  // 1 to 12
  int day;
  std::int64_t days;  // since 1970-01-01
};

// The days are those of `date -u -d ... +%s` / 86400.
constexpr Date kDates[] = {
    {1970, 1, 1, 0},        {1970, 1, 31, 30},     {1970, 2, 1, 31},      {1970, 12, 31, 364},
    {1971, 1, 1, 365},      {1972, 2, 29, 789},    {1972, 3, 1, 790},     {1999, 12, 31, 10'956},
    {2000, 1, 1, 10'957},   {2000, 2, 28, 11'015}, {2000, 2, 29, 11'016}, {2000, 3, 1, 11'017},
    {2023, 2, 28, 19'416},  {2023, 3, 1, 19'417},  {2024, 2, 29, 19'782}, {2024, 3, 1, 19'783},
    {2024, 12, 31, 20'088}, {2025, 1, 1, 20'089},  {2100, 2, 28, 47'540}, {2100, 3, 1, 47'541},
    {2100, 12, 31, 47'846}, {1969, 12, 31, -1},    {1900, 3, 1, -25'508},
};

TEST(Months, AreThoseOfTheCalendar) {
  for (const Date& date : kDates) {
    const std::int64_t month = (date.year - 1970) * 12 + date.month - 1;
    EXPECT_EQ(month_of(date.days * kDay), month) << date.year << "-" << date.month;
    EXPECT_EQ(month_of(date.days * kDay + kDay - 1), month) << date.year << "-" << date.month;
    if (date.day == 1) {
      EXPECT_EQ(begin_of_month(month), date.days * kDay);
    }
  }
}

TEST(Months, HaveTheLengthsOfTheCalendar) {
  constexpr int kLengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  for (std::int64_t month = -1200; month < 6000; ++month) {
    const std::int64_t year = 1970 + floor_div(month, 12);
    const std::int64_t of_year = month - floor_div(month, 12) * 12;
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    const std::int64_t days = kLengths[of_year] + (leap && of_year == 1 ? 1 : 0);
    EXPECT_EQ(begin_of_month(month + 1) - begin_of_month(month), days * kDay) << month;
  }
}

RC_GTEST_PROP(Months, BeginWhereTheyBegin, (std::int32_t draw)) {
  const std::int64_t month = draw % 100'000;
  const TimeMs begin = begin_of_month(month);
  RC_ASSERT(month_of(begin) == month);
  RC_ASSERT(month_of(begin - 1) == month - 1);
  RC_ASSERT(begin % kDay == 0);
}

// One queue below another, one flavour of cards.
class Fixture {
 public:
  Fixture() {
    QueueSpec root;
    root.name = "root";
    root_ = twin_.declare(root, {});
    QueueSpec leaf;
    leaf.name = "leaf";
    leaf.parent = "root";
    leaf_ = twin_.declare(leaf, {});
  }
  void set(QueueIndex queue, QuotaTree::Entries entries, BudgetSpec budget = {},
           std::vector<ClassLimit> class_limits = {}) {
    QueueSpec spec = twin_.spec(queue);
    spec.budget = budget;
    spec.class_limits = std::move(class_limits);
    twin_.declare(spec, std::move(entries));
  }
  void charge(QueueIndex queue, CardUnits cards, TimeMs now = 0,
              JobClass job_class = JobClass::kTraining) {
    twin_.charge({queue, job_class, flavour(), {cards * kCard, 0}}, now);
  }
  Admission ask(QueueIndex queue, CardUnits cards, bool is_protected = false, TimeMs now = 0,
                JobClass job_class = JobClass::kTraining) const {
    return admit(twin_.tree(), prices_,
                 {queue, job_class, flavour(), {cards * kCard, 0}, is_protected}, now);
  }
  // o: owned, b: borrowed, -: refused
  std::string verdict(QueueIndex queue, CardUnits cards, bool is_protected = false,
                      TimeMs now = 0) const {
    const Admission admission = ask(queue, cards, is_protected, now);
    if (admission.refusal) return "-";
    return admission.ownership == LeaseOwnership::kOwned ? "o" : "b";
  }
  FlavourPattern cards() const { return {ModelIndex(0), PartitionIndex::none(), false}; }
  FlavourPattern pool() const { return {ModelIndex::none(), PartitionIndex::none(), false}; }
  FlavourIndex flavour() const { return FlavourIndex(0); }
  QueueIndex root() const { return root_; }
  QueueIndex leaf() const { return leaf_; }
  QueueIndex beside(const std::string& name, const std::string& parent) {
    QueueSpec spec;
    spec.name = name;
    spec.parent = parent;
    return twin_.declare(spec, {});
  }
  TwinTree& twin() { return twin_; }
  const FixedPrices& prices() const { return prices_; }

 private:
  TwinTree twin_;
  FixedPrices prices_{3'600'000};  // a card for a second: 1000
  QueueIndex root_;
  QueueIndex leaf_;
};

TEST(Admission, WithinTheGuaranteeIsOwnedAndAboveItBorrowed) {
  Fixture f;
  f.set(f.leaf(), {entry_of(f.cards(), 3 * kCard, 5 * kCard)});
  EXPECT_EQ(f.verdict(f.leaf(), 3), "o");
  EXPECT_EQ(f.verdict(f.leaf(), 4), "b");
  EXPECT_EQ(f.verdict(f.leaf(), 5), "b");
  EXPECT_EQ(f.verdict(f.leaf(), 6), "-");
  EXPECT_EQ(f.verdict(f.leaf(), 3, true), "o");
  EXPECT_EQ(f.verdict(f.leaf(), 4, true), "-");
  f.charge(f.leaf(), 3);
  EXPECT_EQ(f.verdict(f.leaf(), 1), "b");
  EXPECT_EQ(f.verdict(f.leaf(), 1, true), "-");
}

TEST(Admission, TheQueuesAboveHaveTheirSay) {
  Fixture f;
  f.set(f.leaf(), {entry_of(f.cards(), 4 * kCard)});
  f.set(f.root(), {entry_of(f.cards(), 4 * kCard, 4 * kCard)});
  f.charge(f.root(), 2);
  EXPECT_EQ(f.verdict(f.leaf(), 2), "o");
  EXPECT_EQ(f.verdict(f.leaf(), 3), "-");
  const Admission refused = f.ask(f.leaf(), 3);
  EXPECT_EQ(refused.refusal->rule, Rule::kQuota);
  EXPECT_EQ(refused.refusal->place, "queue root, some");
}

TEST(Admission, OwnJobsOfAnInnerQueueHaveWhatItsChildrenLeave) {
  Fixture f;
  f.set(f.root(), {entry_of(f.cards(), 6 * kCard)});
  f.set(f.leaf(), {entry_of(f.cards(), 4 * kCard)});
  EXPECT_EQ(f.verdict(f.root(), 2), "o");
  EXPECT_EQ(f.verdict(f.root(), 3), "b");
  f.charge(f.leaf(), 4);
  EXPECT_EQ(f.verdict(f.root(), 2), "o");
}

TEST(Admission, AClassLimitCountsAllModelsAndNoOtherClass) {
  Fixture f;
  f.set(f.root(), {}, {}, {{JobClass::kInference, 3 * kCard}});
  f.twin().charge({f.leaf(), JobClass::kInference, FlavourIndex(1), {2 * kCard, 0}}, 0);
  f.charge(f.leaf(), 5);
  EXPECT_FALSE(f.ask(f.leaf(), 1, false, 0, JobClass::kInference).refusal);
  EXPECT_TRUE(f.ask(f.leaf(), 2, false, 0, JobClass::kInference).refusal);
  EXPECT_FALSE(f.ask(f.leaf(), 2).refusal);
}

TEST(Admission, ASpentBudgetWarnsStopsBorrowingOrHoldsNewWork) {
  const auto verdicts = [](BudgetAction action, TimeMs now) {
    Fixture f;
    f.set(f.leaf(), {entry_of(f.cards(), 3 * kCard)});
    f.set(f.root(), {}, {2'000'000, action});
    f.charge(f.leaf(), 1);  // 1000 a second: spent at 2000 s
    return f.verdict(f.leaf(), 2, false, now) + f.verdict(f.leaf(), 3, false, now);
  };
  const TimeMs before = 2000 * kSecondMs - 1;
  for (const auto action :
       {BudgetAction::kWarn, BudgetAction::kStopBorrowing, BudgetAction::kHoldNew}) {
    EXPECT_EQ(verdicts(action, before), "ob");
    EXPECT_EQ(verdicts(action, begin_of_month(1)), "ob") << "a new month begins with nothing";
  }
  EXPECT_EQ(verdicts(BudgetAction::kWarn, before + 1), "ob");
  EXPECT_EQ(verdicts(BudgetAction::kStopBorrowing, before + 1), "o-");
  EXPECT_EQ(verdicts(BudgetAction::kHoldNew, before + 1), "--");
}

// Six cards of the flavour.
TEST(Admission, WhatIsKeptBackIsNobodyElsesAtEachLevel) {
  Fixture f;
  const QueueIndex team = f.beside("team", "root");
  const QueueIndex other = f.beside("other", "");
  f.set(team, {entry_of(f.cards(), 2 * kCard, {}, kCard)});  // keeps one
  f.set(other, {entry_of(f.cards(), 2 * kCard, {}, 0)});     // keeps two
  EXPECT_EQ(f.verdict(f.leaf(), 3), "b");
  EXPECT_EQ(f.verdict(f.leaf(), 4), "-");
  EXPECT_EQ(f.verdict(f.root(), 3), "b");
  EXPECT_EQ(f.verdict(f.root(), 4), "-") << "own jobs of a queue leave what its children keep";
  EXPECT_EQ(f.verdict(other, 5), "b") << "keeps what team keeps below its sibling root out of it";
  EXPECT_EQ(f.verdict(team, 2), "o");
  EXPECT_EQ(f.verdict(team, 4), "b");
  EXPECT_EQ(f.verdict(team, 5), "-");
  f.charge(other, 2);  // what it uses it no longer keeps
  EXPECT_EQ(f.verdict(f.leaf(), 3), "b");
  EXPECT_EQ(f.verdict(f.leaf(), 4), "-");
  f.charge(team, 1);
  EXPECT_EQ(f.verdict(f.leaf(), 4), "b") << "nothing is kept: what there is, placement says";
}

TEST(QuotaTree, APoolCountsAllModelsThatNoOtherEntryIsAbout) {
  Fixture f;
  f.set(f.leaf(),
        {entry_of(f.pool(), 2 * kCard, 4 * kCard), entry_of(f.cards(), kCard, 2 * kCard)});
  const Booking big{f.leaf(), JobClass::kTraining, FlavourIndex(1), {4 * kCard, 0}};
  f.twin().charge(big, 0);
  EXPECT_EQ(f.verdict(f.leaf(), 1), "o") << "the pool is full, the model has its own entry";
  EXPECT_EQ(f.verdict(f.leaf(), 2), "b");
  EXPECT_EQ(f.verdict(f.leaf(), 3), "-");
}

TEST(QuotaTree, ALimitOfAllModelsHoldsWhateverQueuesBelowDeclareOfOne) {
  Fixture f;
  f.set(f.root(), {entry_of(f.pool(), 0, 4 * kCard)});
  f.set(f.leaf(), {entry_of(f.cards(), kCard)});
  f.twin().charge({f.root(), JobClass::kTraining, FlavourIndex(1), {kCard, 0}}, 0);
  EXPECT_EQ(f.verdict(f.leaf(), 1), "o");
  EXPECT_EQ(f.verdict(f.leaf(), 3), "b");
  EXPECT_EQ(f.verdict(f.leaf(), 4), "-");
}

TEST(LargerShare, IsRoundedUpSoThatExactFitsStayExact) {
  const FlavourCapacity three{3 * kCard, 30'000};
  EXPECT_EQ(larger_share({kCard, 10'000}, three), kCard);
  EXPECT_EQ(larger_share({0, 10'000}, three), kCard);
  EXPECT_EQ(larger_share({0, 10'001}, three), kCard + 252);
  EXPECT_EQ(larger_share({kCard, 9'999}, three), kCard);
  EXPECT_EQ(larger_share({5, 1}, {kCard, 7 * kCard}), 5);
  EXPECT_EQ(larger_share({0, 1}, {kCard, 7 * kCard}), 1);
  EXPECT_EQ(larger_share({7, 0}, {}), 7);
}

// Charges and releases at random times over some months.
RC_GTEST_PROP(CardTimeProperty, IsTheSumOfAmountTimesTime, (std::uint64_t seed)) {
  Rng rng(seed);
  Fixture f;
  struct Span {
    CardUnits units;
    TimeMs from;
    TimeMs to;  // kNever: still held
  };
  std::vector<Span> spans;
  std::vector<std::size_t> open;  // in the order of the bookings
  TimeMs now = begin_of_month(600 + static_cast<std::int64_t>(rng.below(12)));
  for (int i = 0; i < 20; ++i) {
    now += static_cast<TimeMs>(rng.below(20 * static_cast<std::uint64_t>(kDay)));
    if (rng.below(4) == 0) now = begin_of_month(month_of(now) + 1);
    if (!open.empty() && rng.below(2) == 0) {
      const std::size_t which = rng.below(open.size());
      spans[open[which]].to = now;
      f.twin().release(which, now);
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
    } else {
      const auto units = static_cast<CardUnits>(1 + rng.below(10'000'000));
      f.twin().charge(
          {rng.below(2) == 0 ? f.leaf() : f.root(), JobClass::kTraining, f.flavour(), {units, 0}},
          now);
      open.push_back(spans.size());
      spans.push_back({units, now, kNever});
    }
  }
  now += static_cast<TimeMs>(rng.below(70 * static_cast<std::uint64_t>(kDay)));
  const TimeMs begin = begin_of_month(month_of(now));
  __int128 ever = 0;
  __int128 month = 0;
  for (const Span& span : spans) {
    const TimeMs to = std::min(span.to, now);
    ever += static_cast<__int128>(span.units) * (to - span.from);
    month +=
        static_cast<__int128>(span.units) * std::max<TimeMs>(0, to - std::max(span.from, begin));
  }
  const FlavourUsage& usage = *f.twin().tree().queue(f.root()).find(f.flavour());
  RC_ASSERT(usage.held.plus(usage.total.compute, now - usage.since).card_ms() ==
            static_cast<std::int64_t>(ever / kCard));
  RC_ASSERT(usage.in_month(now).card_ms() == static_cast<std::int64_t>(month / kCard));
  RC_ASSERT(spent_in_month(f.twin().tree(), f.prices(), f.root(), now) ==
            static_cast<MicroMoney>(month * 3'600'000 / kCard / kHourMs));
}

TEST(CardTime, IsNotRoundedAndSaturates) {
  CardTime time;
  for (int i = 0; i < 1000; ++i) time.add(kCard / 100, 1);  // a hundredth for a second
  EXPECT_EQ(time.card_ms(), 10);
  EXPECT_EQ(time.cost(3'600'000), 10);
  CardTime much;
  for (int i = 0; i < 10; ++i) much.add(std::numeric_limits<CardUnits>::max(), kNever / 1000);
  EXPECT_EQ(much.card_ms(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(much.cost(1), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(much.cost(0), 0);
}

}  // namespace
}  // namespace berth::engine
