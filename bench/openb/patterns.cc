#include "bench/openb/patterns.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace berth::bench::openb {
namespace {

bool could_run(const PodShape& pod, const NodeType& node, PatternSearch::CpuRule rule) {
  const bool cpu_fits = rule == PatternSearch::CpuRule::kIgnored || pod.cpu_milli <= node.cpu_milli;
  return cpu_fits && pod.num_gpu <= node.gpus && pod.accepts(node.model);
}

}  // namespace

PatternSearch::PatternSearch(const FillProblem& problem, CpuRule rule) : problem_(problem) {
  std::int64_t grain_milli = kMilliPerGpu;
  for (const PodType& pod : problem.pods) {
    grain_milli = std::gcd(grain_milli, pod.shape.gpu_milli);
    std::vector<char> runs;
    for (const NodeType& node : problem.nodes) runs.push_back(could_run(pod.shape, node, rule));
    runs_.push_back(std::move(runs));
  }
  capacity_ = static_cast<std::size_t>(kMilliPerGpu / grain_milli);
  for (const PodType& pod : problem.pods) {
    grains_.push_back(static_cast<std::size_t>(pod.shape.gpu_milli / grain_milli));
  }
}

bool PatternSearch::fits_wherever(std::size_t easier, std::size_t harder) const {
  const PodShape& a = problem_.pods[easier].shape;
  const PodShape& b = problem_.pods[harder].shape;
  if (a.cpu_milli > b.cpu_milli || a.num_gpu > b.num_gpu || a.gpu_milli > b.gpu_milli) return false;
  for (std::size_t node = 0; node < problem_.nodes.size(); ++node) {
    if (runs_on(harder, node) && !runs_on(easier, node)) return false;
  }
  return true;
}

Pattern PatternSearch::best(std::size_t node, std::span<const double> worth_per_pod) const {
  struct Item {
    double worth = 0;
    std::size_t pod = 0;
  };
  std::vector<Item> items(capacity_ + 1);  // the best piece of each size
  for (std::size_t pod = 0; pod < grains_.size(); ++pod) {
    if (grains_[pod] == 0 || !runs_on(pod, node)) continue;
    const auto gpus = static_cast<double>(problem_.pods[pod].shape.num_gpu);
    Item& item = items[grains_[pod]];
    if (worth_per_pod[pod] / gpus > item.worth) item = {worth_per_pod[pod] / gpus, pod};
  }
  std::vector<double> total(capacity_ + 1);
  std::vector<std::size_t> last(capacity_ + 1);  // size of the piece added last; 0: a grain idle
  for (std::size_t size = 1; size <= capacity_; ++size) {
    total[size] = total[size - 1];
    for (std::size_t piece = 1; piece <= size; ++piece) {
      if (items[piece].worth <= 0) continue;
      const double worth = total[size - piece] + items[piece].worth;
      if (worth > total[size]) {
        total[size] = worth;
        last[size] = piece;
      }
    }
  }
  Pattern pattern{node, total[capacity_], {}};
  for (std::size_t size = capacity_; size > 0; size -= std::max<std::size_t>(last[size], 1)) {
    if (last[size] == 0) continue;
    const std::size_t pod = items[last[size]].pod;
    const auto gpus = static_cast<double>(problem_.pods[pod].shape.num_gpu);
    pattern.pieces.push_back({pod, 1 / gpus});
  }
  return pattern;
}

}  // namespace berth::bench::openb
