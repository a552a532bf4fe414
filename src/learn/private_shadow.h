// PrivateShadow: what a tenant's jobs would have waited alone on its own guarantee, first come
// first served with backfill over the whole line, from nothing but what has happened: when its jobs
// were submitted, and how long those ran that have ended.
//
// Two replays. The settled one goes only as far as the length of every job that it has started is
// known: a job that runs in the shadow holds it up until the real one has run as long. The
// projected one goes on to the present with expected lengths; it is made anew from the settled one
// once in a while, as long as that lags.
//
// Integers; times in ms. Jobs that would not fit the guarantee even alone must not be told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "base/ids.h"
#include "base/lookup_map.h"
#include "base/units.h"
#include "learn/private_cluster.h"

namespace berth::learn {

// How long a job that has not ended is expected to run in all, as of now.
using ExpectedRun = std::function<DurationMs(JobId)>;

class PrivateShadow {
 public:
  explicit PrivateShadow(const PrivateCluster& empty) : settled_(empty), projected_(empty) {}

  // What happened, in the order of time. A job that ended without having run has run for 0.
  void submitted(JobId job, TimeMs at, const TaskCards& tasks);
  void started(JobId job, TimeMs at);
  void requeued(JobId job);
  void ended(JobId job, TimeMs at);
  bool knows(JobId job) const { return numbers_.contains(job); }
  // Really; of a job that is known.
  bool runs(JobId id) const { return job(*numbers_.find(id)).real_start != kNever; }

  void advance(TimeMs now, const ExpectedRun& expected);

  // Job-milliseconds of waiting, up to `settled_at` and up to the time of the last advance.
  std::int64_t settled_wait() const { return settled_.waited; }
  TimeMs settled_at() const { return settled_.at; }
  std::int64_t projected_wait() const { return present().waited; }
  std::uint32_t waiting() const { return present().waiting; }
  std::uint32_t free_cards() const { return present().cluster.free_cards(); }
  std::uint32_t free_nodes() const { return present().cluster.free_nodes(); }

  // Of each size, the first job that really waits, if it has started in the shadow: when it did.
  struct Late {
    TimeMs since = 0;
    JobId job;
  };
  std::vector<Late> late() const;

 private:
  using Number = std::uint64_t;  // of a job of the tenant, in the order of submission

  struct Job {
    JobId id;
    TimeMs at = 0;
    std::size_t line = 0;
    TimeMs real_start = kNever;
    DurationMs run = -1;  // -1: not known yet
    TimeMs shadow_start = kNever;
    bool has_settled = false;
  };
  // Jobs that ask for the same, oldest first. Positions count from the first job ever.
  struct Line {
    TaskCards tasks;
    std::deque<Number> jobs;
    std::uint64_t gone = 0;        // jobs dropped in front
    std::uint64_t first_real = 0;  // no job before this position waits really
    std::uint64_t size() const { return gone + jobs.size(); }
    Number at(std::uint64_t position) const { return jobs[position - gone]; }
  };
  struct Place {
    std::uint64_t started = 0;  // position in the line
    std::uint64_t arrived = 0;
  };
  struct Run {
    TimeMs start = 0;
    TaskNodes nodes;
  };
  struct End {
    TimeMs at = 0;
    Number job = 0;
    friend bool operator<(const End& a, const End& b) {  // heaps have the soonest in front
      return a.at != b.at ? a.at > b.at : a.job > b.job;
    }
  };
  struct Replay {
    explicit Replay(const PrivateCluster& empty) : cluster(empty) {}

    PrivateCluster cluster;
    TimeMs at = 0;
    std::int64_t waited = 0;
    std::uint32_t waiting = 0;
    Number next = 0;            // to arrive
    std::vector<Place> places;  // by line
    std::map<Number, Run> running;
    std::vector<End> ends;     // a heap
    std::vector<Number> open;  // of those that run: the settled replay does not know how long
  };
  // What the two replays do not have in common.
  enum class Kind : std::uint8_t { kSettled, kProjected };

  const Replay& present() const { return lags_ ? projected_ : settled_; }
  Job& job(Number number) { return jobs_[number - first_]; }
  const Job& job(Number number) const { return jobs_[number - first_]; }
  void pass(Replay& replay, TimeMs to) const;
  // To `until`; the settled replay stops (and says so) when a job of unknown length starts.
  bool replay(Replay& replay, Kind kind, TimeMs until);
  bool end_jobs(Replay& replay, Kind kind);
  bool take_arrivals(Replay& replay);
  bool start_jobs(Replay& replay, Kind kind);
  std::size_t next_line(const Replay& replay) const;
  bool expect_end(Replay& replay, Kind kind, Number number);
  void project_end(Replay& replay, Number number);
  void settle(TimeMs now);
  void fork();
  void forget_old();
  void pass_started(Line& line);

  static void push(Replay& replay, TimeMs at, Number number);

  std::deque<Job> jobs_;
  Number first_ = 0;  // number of jobs_.front()
  LookupMap<JobId, Number> numbers_;
  std::vector<Line> lines_;
  Replay settled_;
  Replay projected_;
  bool lags_ = false;
  TimeMs forked_at_ = 0;
  TimeMs now_ = 0;
  const ExpectedRun* expected_ = nullptr;  // while it advances
};

}  // namespace berth::learn
