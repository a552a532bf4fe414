#include "journal/aside_snapshots.h"

#include <utility>

namespace berth::journal {

AsideSnapshots::AsideSnapshots(control::Snapshots& to, std::function<void(const Error&)> trouble)
    : to_(to), trouble_(std::move(trouble)), thread_([this] { work(); }) {}

AsideSnapshots::~AsideSnapshots() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

Status AsideSnapshots::save(const control::Snapshot& snapshot) {
  {
    const std::lock_guard lock(mutex_);
    if (snapshot_) {
      return fail(ErrorCode::kUnavailable, "the snapshot of revision " +
                                               std::to_string(snapshot_->revision) +
                                               " is still being saved");
    }
    snapshot_ = snapshot;
  }
  wake_.notify_one();
  return {};
}

void AsideSnapshots::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return is_ending_ || snapshot_; });
    if (!snapshot_) return;
    lock.unlock();
    Status done = to_.save(*snapshot_);  // nobody else changes it while it is there
    if (done) done = to_.compact();
    if (!done) trouble_(done.error());
    lock.lock();
    snapshot_.reset();
  }
}

}  // namespace berth::journal
