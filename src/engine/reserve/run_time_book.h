// RunTimeBook: how long jobs run, learned from those that have ended, per kind of job. A kind is
// what the job says it is, else all jobs of its queue that ask for as many cards.
//
// A kind keeps a histogram on a logarithmic scale; what it says of a running job takes into account
// how long that has run. Part of the state: what it knows comes from events alone. Integers only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/lookup_map.h"
#include "base/units.h"

namespace berth::engine {

using KindIndex = StrongId<struct KindTag, std::uint32_t>;

// Durations by 32 bins an octave, with counts of all bins above any of them in O(log bins).
class DurationHistogram {
 public:
  static constexpr std::uint32_t kBins = 32 * 40;  // up to 2^44 ms, five centuries

  void add(DurationMs duration, std::uint32_t times = 1);
  std::uint64_t count() const { return count_; }
  // Of the durations, weighed with a prior of two that knows nothing: the part, in 1/65536, that is
  // longer than `age + more` among those longer than `age`.
  std::uint32_t survival(DurationMs age, DurationMs more) const;
  // The least `more` for which survival is at most `part`; at least 1 ms.
  DurationMs remaining(DurationMs age, std::uint32_t part) const;

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  // Weight of what is longer, in 1/1024 of a duration; inside a bin it is spread evenly.
  std::uint64_t weight_above(DurationMs duration) const;
  std::uint64_t above(std::uint32_t bin) const;  // durations in higher bins

  std::vector<std::uint32_t> bins_;
  std::vector<std::uint32_t> sums_;  // Fenwick tree over bins_
  std::uint64_t count_ = 0;
};

// The mean of a kind's run times, the later ones counting more: one weighs 1 - 1 / window of the
// one after it.
class RunMean {
 public:
  void add(DurationMs ran, std::uint32_t window);
  // Of these run times, of one of `prior`, and of what jobs that still run have run so far,
  // `running`. As long as those run they have not ended: they add time and no job.
  DurationMs value(DurationMs prior, DurationMs running) const;

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  std::uint64_t total_ = 0;   // ms
  std::uint64_t weight_ = 0;  // in 1/1024 of a job
};

class RunTimeBook {
 public:
  KindIndex intern(const std::string& key);
  const DurationHistogram& of(KindIndex kind) const { return kinds_[kind.value()].times; }
  void record(KindIndex kind, DurationMs ran) { learn(kind, ran, 1); }
  // A job of the kind runs since then, or (the same time again) no longer.
  void start(KindIndex kind, TimeMs at);
  void stop(KindIndex kind, TimeMs at);
  // How long a job of the kind runs on average, as of `now`. A kind of which nothing has ended is
  // taken for one like all others; the first job of all for one of an hour.
  DurationMs mean(KindIndex kind, TimeMs now) const;
  // What was learned elsewhere counts like that many jobs, at most kSeedJobs.
  static constexpr std::uint32_t kSeedJobs = 64;
  void seed(KindIndex kind, DurationMs median, DurationMs p90, std::uint32_t jobs);
  std::size_t size() const { return kinds_.size(); }

  // Kinds that know something, by name.
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  struct Kind {
    std::string key;
    DurationHistogram times;
    RunMean mean;
    std::uint32_t running = 0;  // jobs; derived
    TimeMs running_since = 0;   // the sum of their starts
  };

  void learn(KindIndex kind, DurationMs ran, std::uint32_t jobs);

  std::vector<Kind> kinds_;
  NameMap<KindIndex> by_key_;
  RunMean all_;
};

}  // namespace berth::engine
