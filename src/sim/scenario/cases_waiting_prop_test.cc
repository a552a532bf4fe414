// The public cases 051, 058, 059 and 080 with other sizes, orders and times: how long a job may be
// kept from its start by others, and what a job is called meanwhile.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/scenario/testing.h"

namespace berth::sim {
namespace {

using testing::LineRunner;

std::string text_of(std::int64_t number) { return std::to_string(number); }

const engine::JobRecord* job_of(const LineRunner& runner, const std::string& name) {
  return runner.state().find_job(name);
}

bool is_running(const LineRunner& runner, const std::string& name) {
  const engine::JobRecord* job = job_of(runner, name);
  return job != nullptr && job->phase == JobPhase::kRunning;
}

void set_limit(LineRunner& runner, const std::string& queue, CardUnits limit) {
  const QueueIndex index = runner.state().find_queue(queue);
  QueueSpec spec = *runner.state().queues()[index.value()].spec;
  for (FlavourQuota& quota : spec.quotas) quota.limit = limit;
  const Status done = runner.session().execute(Command{DeclareQueue{spec}, {}, {}});
  RC_ASSERT(done.has_value());
}

// Small jobs that say how long they run, and end then.
class Stream {
 public:
  explicit Stream(LineRunner& runner) : runner_(runner) {}

  void submit(std::int64_t minutes, std::int64_t gpus, const std::string& more = "") {
    const std::string name = "s" + text_of(next_++);
    runner_.run("submit " + name + " gpus=" + text_of(gpus) + " run_time=" + text_of(minutes) +
                "m" + more);
    waiting_.push_back({name, minutes, -1});
  }
  // After each cycle: who has started ends after its time.
  void note_starts(std::int64_t minute) {
    for (Small& job : waiting_) {
      if (job.ends >= 0 || !is_running(runner_, job.name)) continue;
      job.ends = minute + job.minutes;
    }
  }
  void finish(std::int64_t minute) {
    std::erase_if(waiting_, [&](const Small& job) {
      if (job.ends < 0 || job.ends > minute) return false;
      runner_.run("finish " + job.name);
      return true;
    });
  }
  bool anyone_waits() const {
    return std::any_of(waiting_.begin(), waiting_.end(),
                       [](const Small& job) { return job.ends < 0; });
  }
  std::int64_t longest_left(std::int64_t minute) const {
    std::int64_t longest = 0;
    for (const Small& job : waiting_) longest = std::max(longest, job.ends - minute);
    return longest;
  }

 private:
  struct Small {
    std::string name;
    std::int64_t minutes = 0;
    std::int64_t ends = -1;  // not started
  };

  LineRunner& runner_;
  std::vector<Small> waiting_;
  std::int64_t next_ = 0;
};

// Case 051: as many small jobs as the fleet can take, and one of the whole fleet that comes when
// some of them run. It starts when the last of those has ended, as it was told.
RC_GTEST_PROP(Case051, ABigGangStartsWhenWhatRanBeforeHasEnded, ()) {
  const auto nodes = *rc::gen::inRange<std::int64_t>(1, 4);
  const auto warm_up = *rc::gen::inRange<std::int64_t>(1, 12);
  const auto draws = *rc::gen::container<std::vector<int>>(64, rc::gen::inRange(0, 1'000));
  LineRunner runner;
  runner.declare("queue q");
  runner.declare("policy backfill=declared reservations=1");
  runner.declare("node n[1-" + text_of(nodes) + "] model=H100-SXM5-80GB gpus=8");
  Stream stream(runner);
  std::size_t next = 0;
  const auto draw = [&](std::int64_t below) { return draws[next++ % draws.size()] % below; };
  std::int64_t minute = 0;
  std::int64_t due = -1;  // of the gang, once it waits
  for (; minute < 200 && !is_running(runner, "G"); ++minute) {
    if (minute > 0) runner.run("advance 1m");
    stream.finish(minute);
    if (due < 0 && minute >= warm_up && !stream.anyone_waits()) {
      runner.run("submit G gpus=8 tasks=" + text_of(nodes));
      due = minute + stream.longest_left(minute);
    }
    const bool fills_up = due >= 0 || minute < warm_up;  // else who waits goes before the gang
    if (fills_up && draw(3) > 0) {
      const std::int64_t minutes = 1 + draw(20);
      stream.submit(minutes, 1 + draw(8));
    }
    runner.run("cycle");
    stream.note_starts(minute);
    RC_ASSERT(due < 0 || minute < due || is_running(runner, "G"));
  }
  RC_ASSERT(is_running(runner, "G"));
}

// Case 058: whatever becomes of a job that room is kept for, no node is kept longer than the next
// cycle for one that could not use it; and each reservation says when it ends.
RC_GTEST_PROP(Case058, RoomIsKeptOnlyForWhoCouldUseIt, ()) {
  const auto nodes = *rc::gen::inRange<std::int64_t>(1, 4);
  const auto steps = *rc::gen::container<std::vector<int>>(30, rc::gen::inRange(0, 10'000));
  LineRunner runner;
  runner.declare("policy reservations=2");
  runner.declare("queue a limit=" + text_of(8 * nodes));
  runner.declare("queue b");
  runner.declare("node n[1-" + text_of(nodes) + "] model=H100-SXM5-80GB gpus=8");
  std::int64_t next = 0;
  for (const int step : steps) {
    const std::string name = "j" + text_of(next);
    const auto jobs = runner.state().jobs().sorted_ids();
    const std::size_t at = jobs.empty() ? 0 : static_cast<std::size_t>(step / 10) % jobs.size();
    const std::string some = jobs.empty() ? "" : runner.state().find_job(jobs[at])->name;
    switch (step % 6) {
      case 0:
      case 1:
        ++next;
        runner.run("submit " + name + " queue=" + (step % 20 < 10 ? "a" : "b") + " gpus=" +
                   text_of(1 + step / 10 % 8) + " run_time=" + text_of(5 + step / 100 % 60) + "m");
        break;
      case 2:
        ++next;
        runner.run("submit " + name + " queue=a gpus=8 tasks=" + text_of(1 + step / 10 % nodes));
        break;
      case 3:
        runner.run("advance " + text_of(1 + step % 40) + "m");
        break;
      case 4:
        set_limit(runner, "a", (1 + step / 10 % (8 * nodes)) * kCard);
        break;
      default:
        if (!some.empty()) {
          const bool runs = is_running(runner, some);
          runner.run((runs ? "finish " : "cancel ") + some);
        }
    }
    runner.run("cycle");
    runner.run("cycle");  // what the first one has placed counts
    for (const auto& [id, reservation] : runner.state().ledger().reservations) {
      const engine::JobRecord* job = runner.state().find_job(id);
      RC_ASSERT(job != nullptr && job->phase == JobPhase::kPending);
      RC_ASSERT(reservation->expires_at > runner.state().now());
      RC_ASSERT(reservation->starts_at != kNever && !reservation->nodes.empty());
      // as things stand now, the quota does not refuse it
      const std::string why = runner.run("why " + job->name).front();
      RC_ASSERT(why.find("limit") == std::string::npos);
    }
  }
}

// Case 059: a job of low priority under a stream of jobs of higher priority that fills the fleet
// starts once ageing has lifted it, and the run in its way has ended.
RC_GTEST_PROP(Case059, AgeingBoundsEveryWait, ()) {
  const auto gap = *rc::gen::inRange<std::int64_t>(1, 8);
  const auto step = *rc::gen::inRange<std::int64_t>(5, 40);
  const auto run = *rc::gen::inRange<std::int64_t>(5, 30);
  const auto gpus = *rc::gen::inRange<std::int64_t>(1, 9);
  LineRunner runner;
  runner.declare("queue q");
  runner.declare("policy ageing_step=" + text_of(step) + "m ageing_most=40");
  runner.declare("node n1 model=H100-SXM5-80GB gpus=8");
  Stream stream(runner);
  stream.submit(run, 8, " priority=" + text_of(gap));
  runner.run("cycle");
  stream.note_starts(0);
  runner.run("submit low priority=0 gpus=" + text_of(gpus));
  // the one of the stream that waits has aged, too, since the one before it started
  const std::int64_t bound = gap * step + step + 2 * run + 1;
  std::int64_t minute = 0;
  while (!is_running(runner, "low")) {
    RC_ASSERT(minute <= bound);
    if (!stream.anyone_waits()) stream.submit(run, 8, " priority=" + text_of(gap));
    runner.run("advance 1m");
    ++minute;
    stream.finish(minute);
    runner.run("cycle");
    stream.note_starts(minute);
  }
  RC_ASSERT(minute >= std::min(run, gap * step));
}

// Case 080: what a job is called follows from its members: waiting with none, running with all,
// a state of its own with some; and the numbers say which.
RC_GTEST_PROP(Case080, APhaseFollowsFromTheMembers, ()) {
  const auto tasks = *rc::gen::inRange<std::int64_t>(2, 6);
  const auto nodes = *rc::gen::inRange<std::int64_t>(1, 7);
  const auto steps = *rc::gen::container<std::vector<int>>(12, rc::gen::inRange(0, 1'000));
  LineRunner runner;
  runner.declare("queue q");
  runner.declare("node n[1-" + text_of(nodes) + "] model=H100-SXM5-80GB gpus=1");
  runner.run("submit g gpus=1 tasks=" + text_of(tasks));
  for (const int step : steps) {
    const engine::JobRecord* job = job_of(runner, "g");
    if (job == nullptr) break;
    const std::string node = "n" + text_of(1 + step / 10 % nodes);
    if (step % 3 == 0 && job->phase == JobPhase::kRunning) {
      runner.run("lose g task=" + text_of(step / 10 % tasks));
    } else {
      runner.run((step % 2 == 0 ? "cordon " : "restore node ") + node);
    }
    runner.run("cycle");
    job = job_of(runner, "g");
    if (job == nullptr) break;
    const auto held = static_cast<std::int64_t>(job->leases.size());
    RC_ASSERT(held == 0 || held <= tasks);
    RC_ASSERT((job->phase == JobPhase::kPending) == (held == 0));
    RC_ASSERT((job->phase == JobPhase::kRunning) == (held == tasks));
    RC_ASSERT((job->phase == JobPhase::kRepairing) == (held > 0 && held < tasks));
    if (held > 0) continue;
    const Rejection& why = job->reasons->front();
    RC_ASSERT(why.rule != Rule::kGang ||
              (why.number("asked") == tasks && why.number("free") < tasks));
  }
}

}  // namespace
}  // namespace berth::sim
