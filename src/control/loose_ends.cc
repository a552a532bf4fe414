#include "control/loose_ends.h"

#include <vector>

#include "model/serial.h"

namespace berth::control {

void LooseEnds::save(ByteWriter& out) const {
  serial::write(out, std::vector<LeaseId>(moved_.begin(), moved_.end()));
  serial::write(out, std::vector<LeaseId>(resumed_.begin(), resumed_.end()));
  serial::write(out, submitted_);
}

LooseEnds LooseEnds::load(ByteReader& in) {
  LooseEnds loose;
  for (std::set<LeaseId>* leases : {&loose.moved_, &loose.resumed_}) {
    std::vector<LeaseId> saved;
    serial::read(in, saved);
    leases->insert(saved.begin(), saved.end());
  }
  serial::read(in, loose.submitted_);
  return loose;
}

void LooseEnds::follow(const EventBatch& batch) {
  for (const Event& event : batch) {
    if (const auto* moved = std::get_if<LeaseMoved>(&event.body)) moved_.insert(moved->lease);
    if (const auto* resumed = std::get_if<LeaseResumed>(&event.body)) {
      resumed_.insert(resumed->lease);
    }
    if (const auto* suspended = std::get_if<LeaseSuspended>(&event.body)) {
      resumed_.erase(suspended->lease);
    }
    if (const auto* released = std::get_if<LeaseReleased>(&event.body)) {
      moved_.erase(released->lease);
      resumed_.erase(released->lease);
    }
  }
  if (!batch.empty()) follow_submit(batch);
}

void LooseEnds::follow_submit(const EventBatch& batch) {
  const EventBody& first = batch.front().body;
  if (const auto* submit = std::get_if<JobSubmitted>(&first)) {
    submitted_ = submit->job;
  } else if (!std::holds_alternative<FitObserved>(first) &&
             !std::holds_alternative<PricesObserved>(first)) {
    submitted_ = JobId::none();
  }
}

}  // namespace berth::control
