#include "bench/topology/replay.h"

#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "bench/drive/timeline.h"

namespace berth::bench::topology {
namespace {

class Replay {
 public:
  Replay(const Fabric& fabric, const Sample& sample, Baseline rule, std::uint64_t seed)
      : sample_(sample),
        floor_(fabric),
        placer_(rule, floor_, seed),
        tally_(fabric, sample),
        hosts_(sample.size()) {}

  Result<Figures> run() {
    Timeline<Arrival> timeline(sample_);
    while (timeline.advance()) {
      for (const std::size_t job : timeline.ended()) give_back(job);
      for (const std::size_t job : timeline.arrived()) waiting_[sample_[job].gpus].push_back(job);
      pass(timeline);
    }
    return tally_.figures();
  }

 private:
  using Lines = std::map<int, std::deque<std::size_t>>;  // by size

  // The whole list in the order of arrival. Room only shrinks during a pass, so that a size which
  // found none is over for the rest of it.
  void pass(Timeline<Arrival>& timeline) {
    std::map<int, bool> blocked;
    for (;;) {
      Lines::iterator next = waiting_.end();
      for (auto it = waiting_.begin(); it != waiting_.end(); ++it) {
        if (it->second.empty() || blocked[it->first]) continue;
        if (next == waiting_.end() || it->second.front() < next->second.front()) next = it;
      }
      if (next == waiting_.end()) return;
      const std::size_t job = next->second.front();
      auto hosts = placer_.find(sample_[job]);
      if (!hosts) {
        blocked[next->first] = true;
        continue;
      }
      next->second.pop_front();
      start(job, std::move(*hosts), timeline);
    }
  }

  void start(std::size_t job, Hosts hosts, Timeline<Arrival>& timeline) {
    for (std::size_t i = 0; i < hosts.size(); ++i) floor_.take(hosts[i], cards(job, i));
    tally_.start(job, timeline.now(), hosts);
    timeline.start(job);
    hosts_[job] = std::move(hosts);
  }

  void give_back(std::size_t job) {
    const Hosts hosts = std::exchange(hosts_[job], {});
    for (std::size_t i = 0; i < hosts.size(); ++i) floor_.give(hosts[i], cards(job, i));
  }

  // That the job has on the ith of its hosts.
  int cards(std::size_t job, std::size_t i) const {
    const Arrival& arrival = sample_[job];
    return i < static_cast<std::size_t>(arrival.whole_hosts()) ? kCardsPerHost
                                                               : arrival.remainder();
  }

  const Sample& sample_;
  Floor floor_;
  BaselinePlacer placer_;
  Tally tally_;
  std::vector<Hosts> hosts_;  // of jobs that run
  Lines waiting_;
};

}  // namespace

Result<Figures> replay(const Fabric& fabric, const Sample& sample, Baseline rule,
                       std::uint64_t seed) {
  return Replay(fabric, sample, rule, seed).run();
}

}  // namespace berth::bench::topology
