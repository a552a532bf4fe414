#include "bench/tenants/reference.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <utility>

namespace berth::bench::tenants {
namespace {

// Nodes of 8 GPUs.
class Nodes {
 public:
  explicit Nodes(int count) : free_(static_cast<std::size_t>(count), kGpusPerNode) {
    counts_[kGpusPerNode] = count;
  }

  bool fits(int gpus) const {
    const int whole = gpus / kGpusPerNode;
    const int rest = gpus % kGpusPerNode;
    if (counts_[kGpusPerNode] < whole) return false;
    if (rest == 0 || counts_[kGpusPerNode] > whole) return true;
    return std::any_of(counts_ + rest, counts_ + kGpusPerNode, [](int n) { return n > 0; });
  }

  // The job must fit; its nodes, whole ones first.
  std::vector<std::size_t> take(int gpus) {
    std::vector<std::size_t> nodes;
    for (int left = gpus; left > 0; left -= kGpusPerNode) {
      const int part = std::min(left, kGpusPerNode);
      int free = part;
      while (counts_[free] == 0) ++free;
      const auto it = std::find(free_.begin(), free_.end(), free);
      nodes.push_back(static_cast<std::size_t>(it - free_.begin()));
      change(nodes.back(), -part);
    }
    return nodes;
  }

  void give(int gpus, const std::vector<std::size_t>& nodes) {
    for (const std::size_t node : nodes) {
      const int part = std::min(gpus, kGpusPerNode);
      change(node, part);
      gpus -= part;
    }
  }

 private:
  void change(std::size_t node, int by) {
    --counts_[free_[node]];
    free_[node] += by;
    ++counts_[free_[node]];
  }

  std::vector<int> free_;
  int counts_[kGpusPerNode + 1] = {};  // of nodes by free GPUs
};

class Replay {
 public:
  Replay(const Sample& sample, const Discipline& discipline, int nodes, Starts& starts)
      : sample_(sample), discipline_(discipline), nodes_(nodes), starts_(starts) {}

  // `jobs`: by time.
  void run(const std::vector<std::size_t>& jobs) {
    std::size_t next = 0;
    while (next < jobs.size() || !ends_.empty()) {
      now_ = next < jobs.size() ? sample_.jobs[jobs[next]].at : kNever;
      if (!ends_.empty()) now_ = std::min(now_, ends_.top().first);
      for (; !ends_.empty() && ends_.top().first == now_; ends_.pop()) end(ends_.top().second);
      for (; next < jobs.size() && sample_.jobs[jobs[next]].at == now_; ++next) wait(jobs[next]);
      while (start_one()) {
      }
    }
  }

 private:
  using Key = std::pair<DurationMs, std::size_t>;  // what counts first, then the order of arrival

  void wait(std::size_t job) {
    const TraceJob& row = sample_.jobs[job];
    lines_[row.gpus].emplace(discipline_.shortest_first ? row.run_ms : 0, job);
  }

  void end(std::size_t job) {
    nodes_.give(sample_.jobs[job].gpus, places_.at(job));
    places_.erase(job);
  }

  // The first job in order that fits; strict: the first job, if it fits.
  bool start_one() {
    std::set<Key>* best = nullptr;
    for (auto& [gpus, line] : lines_) {
      if (line.empty() || (best != nullptr && *best->begin() < *line.begin())) continue;
      if (discipline_.strict || nodes_.fits(gpus)) best = &line;
    }
    if (best == nullptr) return false;
    const std::size_t job = best->begin()->second;
    const TraceJob& row = sample_.jobs[job];
    if (!nodes_.fits(row.gpus)) return false;
    best->erase(best->begin());
    places_[job] = nodes_.take(row.gpus);
    starts_[job] = now_;
    ends_.emplace(now_ + row.run_ms, job);
    return true;
  }

  using End = std::pair<TimeMs, std::size_t>;

  const Sample& sample_;
  const Discipline& discipline_;
  Nodes nodes_;
  Starts& starts_;
  TimeMs now_ = 0;
  std::map<int, std::set<Key>> lines_;  // waiting jobs by GPUs
  std::map<std::size_t, std::vector<std::size_t>> places_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

}  // namespace

const std::vector<Discipline>& disciplines() {
  static const std::vector<Discipline> kAll = {
      {"private_fifo", true, false, false},       {"private_sjf", true, true, false},
      {"private_fifo_strict", true, false, true}, {"private_sjf_strict", true, true, true},
      {"shared_fifo", false, false, false},       {"shared_sjf", false, true, false},
      {"shared_fifo_strict", false, false, true}, {"shared_sjf_strict", false, true, true}};
  return kAll;
}

Starts replay(const Sample& sample, const Discipline& discipline) {
  Starts starts(sample.jobs.size(), kNever);
  std::vector<std::vector<std::size_t>> jobs(discipline.is_private ? sample.names.size() : 1);
  for (std::size_t i = 0; i < sample.jobs.size(); ++i) {
    jobs[discipline.is_private ? sample.jobs[i].tenant : 0].push_back(i);
  }
  for (std::size_t t = 0; t < jobs.size(); ++t) {
    const int nodes = discipline.is_private ? sample.nodes[t] : sample.all_nodes();
    Replay(sample, discipline, nodes, starts).run(jobs[t]);
  }
  return starts;
}

}  // namespace berth::bench::tenants
