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

WorkHours hours_of(const WorkSums& sums) {
  WorkHours hours;
  for (std::size_t i = 0; i < kSpendingCount; ++i) hours.spent[i] = hours_of(sums.spent[i]);
  for (std::size_t i = 0; i < kInterruptionCount; ++i) {
    hours.recomputed[i] = hours_of(sums.recomputed[i]);
  }
  return hours;
}

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

void WorkAccount::lose(Interruption cause, CardWork work) {
  CardWork& useful = sums.spent[static_cast<std::size_t>(Spending::kUseful)];
  BERTH_CHECK(useful >= work);
  useful -= work;
  sums.recomputed[static_cast<std::size_t>(cause)] += work;
}

WorkAccount& WorkBook::open(JobId job, std::uint32_t team, std::string name) {
  WorkAccount& account = jobs_.insert(job);
  account.team = team;
  account.name = std::move(name);
  return account;
}

void WorkBook::close(JobId job) {
  const WorkAccount& account = jobs_.at(job);
  if (ended_.size() <= account.team) ended_.resize(account.team + 1);
  ended_[account.team].add(account.sums);
  if (was_hit(account)) note_hit(account);
  jobs_.erase(job);
}

// Sorted only now and then: a run may interrupt many jobs.
void WorkBook::note_hit(const WorkAccount& job) {
  hit_.push_back({job.name, job.interruptions, job.evictions, hours_of(job.sums)});
  if (hit_.size() > 8 * kJobsShown) keep_most_lost(hit_);
}

void WorkBook::interrupted(WorkAccount& account, Interruption cause) {
  ++account.interruptions;
  ++interruptions_[static_cast<std::size_t>(cause)];
}

void WorkBook::evicted(WorkAccount& account, ReclaimGrade grade) {
  ++account.evictions;
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
    const WorkAccount& book = jobs_.at(id);
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
