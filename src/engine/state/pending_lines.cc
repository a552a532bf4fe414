#include "engine/state/pending_lines.h"

#include <algorithm>

#include "base/check.h"

namespace berth::engine {

bool is_told(const JobRecord& job) {
  if (job.reasons == nullptr) return false;
  if (job.reasons->empty()) return true;
  const Rule rule = job.reasons->front().rule;
  return rule != Rule::kHeldByUser && rule != Rule::kBackoff;
}

void PendingLines::add(const JobRecord& job, const SpecRecord& spec, TimeMs now) {
  ++size_;
  if (job.user_held || job.backoff_until > now) {
    asleep_.insert(job.id);
    untold_asleep_.insert(job.id);
    if (job.backoff_until > now) timers_.insert({job.backoff_until, job.id});
    return;
  }
  PendingLine& line = open(job.spec, spec);
  if (line.jobs.empty()) note_busy(job.spec);
  // mostly the newest job; one that comes back has its old place
  const auto at = line.jobs.empty() || line.jobs.back() < job.id
                      ? line.jobs.end()
                      : std::lower_bound(line.jobs.begin(), line.jobs.end(), job.id);
  line.jobs.insert(at, job.id);
  if (job.attained.card_ms() > 0) ++line.served;
  if (!is_told(job) && ++line.untold == 1) untold_lines_.insert(job.spec);
}

void PendingLines::remove(const JobRecord& job) {
  --size_;
  if (!asleep_.empty() && asleep_.erase(job.id) > 0) {
    untold_asleep_.erase(job.id);
    timers_.erase({job.backoff_until, job.id});
    return;
  }
  PendingLine& line = lines_[job.spec.value()];
  const auto at = line.jobs.front() == job.id
                      ? line.jobs.begin()
                      : std::lower_bound(line.jobs.begin(), line.jobs.end(), job.id);
  BERTH_CHECK(at != line.jobs.end() && *at == job.id);
  line.jobs.erase(at);
  if (job.attained.card_ms() > 0) --line.served;
  if (!is_told(job) && --line.untold == 0) untold_lines_.erase(job.spec);
  if (line.jobs.empty()) note_idle(job.spec);
}

// The line gets its first job.
void PendingLines::note_busy(SpecIndex index) {
  PendingLine& line = lines_[index.value()];
  if (by_ask_[line.ask.value()].empty()) busy_asks_.insert(line.ask);
  by_ask_[line.ask.value()].insert(index);
  std::vector<SpecIndex>& beside = by_queue_[line.queue.value()];
  line.at = static_cast<std::uint32_t>(beside.size());
  beside.push_back(index);
}

// The line has lost its last job.
void PendingLines::note_idle(SpecIndex index) {
  const PendingLine& line = lines_[index.value()];
  by_ask_[line.ask.value()].erase(index);
  if (by_ask_[line.ask.value()].empty()) busy_asks_.erase(line.ask);
  std::vector<SpecIndex>& beside = by_queue_[line.queue.value()];
  beside[line.at] = beside.back();
  lines_[beside.back().value()].at = line.at;
  beside.pop_back();
}

std::span<const SpecIndex> PendingLines::of_queue(QueueIndex queue) const {
  if (queue.value() >= by_queue_.size()) return {};
  return by_queue_[queue.value()];
}

void PendingLines::note_reasons(const JobRecord& job) {
  if (asleep_.contains(job.id)) {
    untold_asleep_.erase(job.id);
    return;
  }
  PendingLine& line = lines_[job.spec.value()];
  if (!is_told(job) && --line.untold == 0) untold_lines_.erase(job.spec);
}

std::vector<JobId> PendingLines::take_awake(TimeMs now) {
  std::vector<JobId> awake;
  while (!timers_.empty() && timers_.begin()->first <= now) {
    const JobId job = timers_.begin()->second;
    timers_.erase(timers_.begin());
    asleep_.erase(job);
    untold_asleep_.erase(job);
    --size_;
    awake.push_back(job);
  }
  return awake;
}

void PendingLines::forget(SpecIndex spec) {
  if (spec.value() >= lines_.size()) return;
  BERTH_CHECK(lines_[spec.value()].jobs.empty());
  lines_[spec.value()] = PendingLine{};
}

std::vector<JobId> PendingLines::sorted_ids() const {
  std::vector<JobId> ids(asleep_.begin(), asleep_.end());
  ids.reserve(size_);
  for (const PendingLine& line : lines_) ids.insert(ids.end(), line.jobs.begin(), line.jobs.end());
  std::sort(ids.begin(), ids.end());
  return ids;
}

void PendingLines::set_short(JobId job, bool lacks_tasks) {
  if (lacks_tasks) {
    short_jobs_.insert(job);
  } else if (!short_jobs_.empty()) {
    short_jobs_.erase(job);
  }
}

PendingLine& PendingLines::open(SpecIndex index, const SpecRecord& spec) {
  if (lines_.size() <= index.value()) lines_.resize(index.value() + 1);
  PendingLine& line = lines_[index.value()];
  if (!line.queue.is_none()) return line;
  line.queue = spec.home.queue;
  line.ask = spec.ask;
  line.job_class = spec.spec->job_class;
  line.is_protected = spec.spec->is_protected;
  line.priority = spec.spec->priority;
  if (by_ask_.size() <= spec.ask.value()) by_ask_.resize(spec.ask.value() + 1);
  if (by_queue_.size() <= line.queue.value()) by_queue_.resize(line.queue.value() + 1);
  return line;
}

}  // namespace berth::engine
