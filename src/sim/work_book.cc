#include "sim/work_book.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace berth::sim {
namespace {

constexpr std::size_t kJobsShown = 20;  // of those that lost most

double hours_of(CardWork work) {
  constexpr auto kCardHour = static_cast<CardWork>(kCard) * kHourMs;
  // the whole hours apart, so that long runs keep their last digits
  return static_cast<double>(work / kCardHour) +
         static_cast<double>(work % kCardHour) / static_cast<double>(kCardHour);
}

WorkHours hours_of(const WorkSums& sums) {
  WorkHours hours;
  for (std::size_t i = 0; i < kSpendingCount; ++i) hours.spent[i] = hours_of(sums.spent[i]);
  for (std::size_t i = 0; i < kInterruptionCount; ++i) {
    hours.recomputed[i] = hours_of(sums.recomputed[i]);
  }
  return hours;
}

void keep_most_lost(std::vector<JobWork>& jobs) {
  const auto lost_more = [](const JobWork& a, const JobWork& b) {
    const double x = a.work.lost();
    const double y = b.work.lost();
    return x != y ? x > y : a.name < b.name;
  };
  std::stable_sort(jobs.begin(), jobs.end(), lost_more);
  if (jobs.size() > kJobsShown) jobs.resize(kJobsShown);
}

}  // namespace

void WorkSums::add(const WorkSums& other) {
  for (std::size_t i = 0; i < kSpendingCount; ++i) spent[i] += other.spent[i];
  for (std::size_t i = 0; i < kInterruptionCount; ++i) recomputed[i] += other.recomputed[i];
}

CardWork WorkSums::total() const {
  CardWork sum = 0;
  for (const CardWork work : spent) sum += work;
  for (const CardWork work : recomputed) sum += work;
  return sum;
}

void WorkBook::open(JobId job, std::uint32_t team, std::string name) {
  Book& book = jobs_.insert(job);
  book.team = team;
  book.name = std::move(name);
}

void WorkBook::close(JobId job) {
  const Book& book = jobs_.at(job);
  if (ended_.size() <= book.team) ended_.resize(book.team + 1);
  ended_[book.team].add(book.sums);
  if (was_hit(book)) note_hit(book);
  jobs_.erase(job);
}

// Sorted only now and then: a run may interrupt many jobs.
void WorkBook::note_hit(const Book& book) {
  hit_.push_back({book.name, book.interruptions, book.evictions, hours_of(book.sums)});
  if (hit_.size() > 8 * kJobsShown) keep_most_lost(hit_);
}

void WorkBook::add(JobId job, Spending spending, CardWork work) {
  jobs_.at(job).sums.spent[static_cast<std::size_t>(spending)] += work;
}

void WorkBook::lose(JobId job, Interruption cause, CardWork work) {
  WorkSums& sums = jobs_.at(job).sums;
  CardWork& useful = sums.spent[static_cast<std::size_t>(Spending::kUseful)];
  BERTH_CHECK(useful >= work);
  useful -= work;
  sums.recomputed[static_cast<std::size_t>(cause)] += work;
}

void WorkBook::interrupted(JobId job, Interruption cause) {
  ++jobs_.at(job).interruptions;
  ++interruptions_[static_cast<std::size_t>(cause)];
}

void WorkBook::evicted(JobId job, ReclaimGrade grade) {
  ++jobs_.at(job).evictions;
  ++evictions_[static_cast<std::size_t>(grade)];
}

WorkSums WorkBook::sums() const {
  WorkSums sums;
  for (const WorkSums& team : ended_) sums.add(team);
  for (const JobId id : jobs_.sorted_ids()) sums.add(jobs_.at(id).sums);
  return sums;
}

void WorkBook::fill(RunResult& result, const std::vector<std::string>& teams) const {
  std::vector<WorkSums> sums = ended_;
  sums.resize(std::max(sums.size(), teams.size()));
  std::vector<JobWork> hit = hit_;
  for (const JobId id : jobs_.sorted_ids()) {
    const Book& book = jobs_.at(id);
    sums[book.team].add(book.sums);
    if (!was_hit(book)) continue;
    hit.push_back({book.name, book.interruptions, book.evictions, hours_of(book.sums)});
  }
  keep_most_lost(hit);
  result.hit_jobs = std::move(hit);
  WorkSums all;
  for (const WorkSums& team : sums) all.add(team);
  result.work = hours_of(all);
  for (std::size_t i = 0; i < teams.size(); ++i) {
    if (sums[i].total() > 0) result.team_work.push_back({teams[i], hours_of(sums[i])});
  }
  std::sort(result.team_work.begin(), result.team_work.end(),
            [](const TeamWork& a, const TeamWork& b) { return a.name < b.name; });
  std::copy(std::begin(interruptions_), std::end(interruptions_), result.interruptions.begin());
  std::copy(std::begin(evictions_), std::end(evictions_), result.evictions.begin());
}

}  // namespace berth::sim
