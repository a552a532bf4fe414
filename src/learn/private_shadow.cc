#include "learn/private_shadow.h"

#include <algorithm>

namespace berth::learn {
namespace {

constexpr DurationMs kProjectEvery = kHourMs;  // while the settled replay lags
constexpr std::size_t kNoLine = SIZE_MAX;

}  // namespace

void PrivateShadow::submitted(JobId id, TimeMs at, const TaskCards& tasks) {
  const auto same = [&](const Line& line) { return line.tasks == tasks; };
  const auto it = std::find_if(lines_.begin(), lines_.end(), same);
  const auto line = static_cast<std::size_t>(it - lines_.begin());
  if (it == lines_.end()) lines_.push_back({tasks, {}, 0, 0});
  const Number number = first_ + jobs_.size();
  Job fresh;
  fresh.id = id;
  fresh.at = at;
  fresh.line = line;
  jobs_.push_back(fresh);
  lines_[line].jobs.push_back(number);
  numbers_.insert(id, number);
}

void PrivateShadow::started(JobId id, TimeMs at) {
  const Number number = *numbers_.find(id);
  job(number).real_start = at;
  pass_started(lines_[job(number).line]);
}

void PrivateShadow::pass_started(Line& line) {
  line.first_real = std::max(line.first_real, line.gone);
  while (line.first_real < line.size() && job(line.at(line.first_real)).real_start != kNever) {
    ++line.first_real;
  }
}

void PrivateShadow::requeued(JobId id) {
  const Number number = *numbers_.find(id);
  job(number).real_start = kNever;
  Line& line = lines_[job(number).line];
  line.first_real = line.gone;
}

void PrivateShadow::ended(JobId id, TimeMs at) {
  const Number number = *numbers_.find(id);
  Job& one = job(number);
  one.run = one.real_start == kNever ? 0 : at - one.real_start;
  if (one.real_start == kNever) started(id, at);
  numbers_.erase(id);
  const auto runs = projected_.running.find(number);
  if (lags_ && runs != projected_.running.end()) {
    push(projected_, std::max(at, runs->second.start + one.run), number);
  }
}

void PrivateShadow::advance(TimeMs now, const ExpectedRun& expected) {
  now_ = now;
  expected_ = &expected;
  settle(now);
  const bool lags = settled_.at < now;
  if (lags && (!lags_ || now - forked_at_ >= kProjectEvery)) fork();
  lags_ = lags;
  if (lags) {
    replay(projected_, Kind::kProjected, now);
  } else {
    forget_old();
  }
  expected_ = nullptr;
}

void PrivateShadow::push(Replay& replay, TimeMs at, Number number) {
  replay.ends.push_back({at, number});
  std::push_heap(replay.ends.begin(), replay.ends.end());
}

void PrivateShadow::pass(Replay& replay, TimeMs to) const {
  if (to <= replay.at) return;
  replay.waited += static_cast<std::int64_t>(replay.waiting) * (to - replay.at);
  replay.at = to;
}

bool PrivateShadow::replay(Replay& replay, Kind kind, TimeMs until) {
  replay.places.resize(lines_.size());
  for (;;) {
    TimeMs next = kNever;
    if (replay.next < first_ + jobs_.size()) next = job(replay.next).at;
    if (!replay.ends.empty()) next = std::min(next, replay.ends.front().at);
    if (next > until) {
      pass(replay, until);
      return false;
    }
    pass(replay, next);
    const bool freed = end_jobs(replay, kind);
    const bool came = take_arrivals(replay);
    if ((freed || came) && start_jobs(replay, kind)) return true;
  }
}

// An expected end holds only for a job that has not ended really and has not run longer by now.
bool PrivateShadow::end_jobs(Replay& replay, Kind kind) {
  bool any = false;
  while (!replay.ends.empty() && replay.ends.front().at <= replay.at) {
    const Number number = replay.ends.front().job;
    std::pop_heap(replay.ends.begin(), replay.ends.end());
    replay.ends.pop_back();
    const auto it = replay.running.find(number);
    if (it == replay.running.end()) continue;
    const Job& one = job(number);
    const bool still_runs = one.run < 0 && one.real_start <= it->second.start;
    if (kind == Kind::kProjected && still_runs) continue;
    replay.cluster.give(lines_[one.line].tasks, it->second.nodes);
    if (kind == Kind::kSettled) job(number).has_settled = true;
    replay.running.erase(it);
    any = true;
  }
  return any;
}

bool PrivateShadow::take_arrivals(Replay& replay) {
  bool any = false;
  for (; replay.next < first_ + jobs_.size() && job(replay.next).at <= replay.at; ++replay.next) {
    ++replay.places[job(replay.next).line].arrived;
    ++replay.waiting;
    any = true;
  }
  return any;
}

// The line whose first waiting job came first among those that fit.
std::size_t PrivateShadow::next_line(const Replay& replay) const {
  std::size_t best = kNoLine;
  Number first = 0;
  for (std::size_t l = 0; l < lines_.size(); ++l) {
    const Place& place = replay.places[l];
    if (place.started >= place.arrived) continue;
    const Number number = lines_[l].at(place.started);
    if (best != kNoLine && number > first) continue;
    if (!replay.cluster.fits(lines_[l].tasks)) continue;
    best = l;
    first = number;
  }
  return best;
}

// Whether the settled replay must wait for what it has started.
bool PrivateShadow::start_jobs(Replay& replay, Kind kind) {
  bool unknown = false;
  for (std::size_t l = next_line(replay); l != kNoLine; l = next_line(replay)) {
    const Number number = lines_[l].at(replay.places[l].started++);
    --replay.waiting;
    replay.running.emplace(number, Run{replay.at, replay.cluster.place(lines_[l].tasks)});
    job(number).shadow_start = replay.at;
    unknown = expect_end(replay, kind, number) || unknown;
  }
  return unknown;
}

bool PrivateShadow::expect_end(Replay& replay, Kind kind, Number number) {
  const Job& one = job(number);
  if (one.run >= 0) {
    push(replay, replay.at + one.run, number);
    return false;
  }
  if (kind == Kind::kSettled) {
    replay.open.push_back(number);
    return true;
  }
  if (one.real_start > replay.at) project_end(replay, number);
  return false;
}

// Of a job that has run really for a shorter time than in the shadow, or not at all.
void PrivateShadow::project_end(Replay& replay, Number number) {
  const Job& one = job(number);
  DurationMs run = (*expected_)(one.id);
  if (one.real_start != kNever) {
    const DurationMs so_far = now_ - one.real_start;
    run = so_far + std::max(run - so_far, std::max(kMinuteMs, so_far / 2));
  }
  const TimeMs start = replay.running.at(number).start;
  push(replay, std::max(saturating_add(start, run), replay.at + 1), number);
}

void PrivateShadow::settle(TimeMs now) {
  for (bool again = true; again;) {
    TimeMs until = now;
    std::vector<Number> open;
    for (const Number number : settled_.open) {
      const Job& one = job(number);
      const TimeMs start = settled_.running.at(number).start;
      if (one.run >= 0) {
        push(settled_, start + one.run, number);
        continue;
      }
      open.push_back(number);
      until = std::min(until, start + (one.real_start == kNever ? 0 : now - one.real_start));
    }
    settled_.open = std::move(open);
    again = replay(settled_, Kind::kSettled, until);
  }
}

void PrivateShadow::fork() {
  for (std::size_t l = 0; l < lines_.size(); ++l) {
    for (std::uint64_t i = settled_.places[l].started; i < lines_[l].size(); ++i) {
      job(lines_[l].at(i)).shadow_start = kNever;
    }
  }
  projected_ = settled_;
  projected_.open.clear();
  for (const Number number : settled_.open) {
    if (job(number).real_start > settled_.running.at(number).start) {
      project_end(projected_, number);
    }
  }
  forked_at_ = now_;
}

// Jobs that have ended in both worlds. Only while there is no projection that may know them.
void PrivateShadow::forget_old() {
  while (!jobs_.empty() && jobs_.front().has_settled) {
    Line& line = lines_[jobs_.front().line];
    line.jobs.pop_front();
    ++line.gone;
    line.first_real = std::max(line.first_real, line.gone);
    jobs_.pop_front();
    ++first_;
  }
}

std::vector<PrivateShadow::Late> PrivateShadow::late() const {
  std::vector<Late> all;
  for (const Line& line : lines_) {
    const std::uint64_t i = line.first_real;
    if (i >= line.size()) continue;
    const Job& one = job(line.at(i));
    if (one.shadow_start != kNever) all.push_back({one.shadow_start, one.id});
  }
  return all;
}

}  // namespace berth::learn
