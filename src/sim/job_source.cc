#include "sim/job_source.h"

#include <algorithm>
#include <utility>

namespace berth::sim {

ListedJobs::ListedJobs(std::vector<SimJob> jobs) : jobs_(std::move(jobs)) {
  std::stable_sort(jobs_.begin(), jobs_.end(),
                   [](const SimJob& a, const SimJob& b) { return a.at < b.at; });
}

std::optional<SimJob> ListedJobs::next() {
  if (next_ == jobs_.size()) return std::nullopt;
  return std::move(jobs_[next_++]);
}

MergedJobs::MergedJobs(std::vector<std::unique_ptr<JobSource>> sources) {
  for (auto& source : sources) {
    Lane lane;
    lane.head = source->next();
    lane.source = std::move(source);
    lanes_.push_back(std::move(lane));
  }
}

std::optional<SimJob> MergedJobs::next() {
  Lane* first = nullptr;
  for (Lane& lane : lanes_) {
    if (lane.head && (first == nullptr || lane.head->at < first->head->at)) first = &lane;
  }
  if (first == nullptr) return std::nullopt;
  return std::exchange(first->head, first->source->next());
}

}  // namespace berth::sim
