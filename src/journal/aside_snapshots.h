// AsideSnapshots: saves and compacts on a thread of its own, so that whoever writes the journal
// never waits for a snapshot of a large state or for a store that rewrites its file. One at a time.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "control/ports.h"

namespace berth::journal {

class AsideSnapshots final : public control::Snapshots {
 public:
  // `to` must allow its calls beside those of the journal, as EtcdJournal does. What fails is told
  // to `trouble`, on the thread.
  AsideSnapshots(control::Snapshots& to, std::function<void(const Error&)> trouble);
  // What has begun is finished first.
  ~AsideSnapshots() override;

  // Durable later. kUnavailable: the one before is not yet.
  Status save(const control::Snapshot& snapshot) override;
  Result<std::optional<control::Snapshot>> newest() const override { return to_.newest(); }
  // Comes after each save, by itself.
  Status compact() override { return {}; }

 private:
  void work();

  control::Snapshots& to_;
  std::function<void(const Error&)> trouble_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::optional<control::Snapshot> snapshot_;  // that is being saved
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace berth::journal
