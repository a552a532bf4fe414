// Narrator: turns events into the lines of a transcript. It remembers who holds what, because the
// state no longer knows a lease that was given back. Ids never reach a transcript: names do.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/state/cluster_state.h"
#include "model/event.h"

namespace berth::sim {

class Narrator {
 public:
  // Whether the two halves of a start are told; without, `place` says it all.
  enum class Detail : std::uint8_t { kPlaces, kBarrier };

  Narrator() = default;
  // As if it had heard all that led to the state.
  explicit Narrator(const engine::ClusterState& state);

  bool has_seen(const std::string& job) const;
  void hear(const EventBatch& events, Detail detail);
  // A line that no event stands for.
  void say(std::string line);

  // The lines since the last call. Lines of consecutive names that say the same become one:
  // "place m[1-23] n1:0".
  std::vector<std::string> take(const engine::ClusterState& state);

 private:
  struct Line {
    std::string verb;
    std::string job;
    std::vector<TaskPlacement> tasks;
    std::string place;  // of the tasks; written by take()
    std::string tail;
    std::vector<TaskPlacement> targets = {};  // of a move
    std::vector<NodeIndex> nodes = {};        // of a reservation
    std::shared_ptr<const Regeometry> change = nullptr;
  };
  struct Holding {
    std::string job;
    TaskPlacement task;
  };

  void tell(const Event& event, Detail detail);
  void tell_receipt(const Reclaim& reclaim);
  void tell_layout(const RegeometryAdvanced& advanced, TimeMs now);
  void tell_reserved(const Reserve& reservation, TimeMs now);
  void tell_granted(const LeaseGranted& granted);
  void tell_prepared(const LeasePrepared& prepared);
  void tell_revoking(const LeaseRevoking& revoking, TimeMs now);
  void tell_moved(const LeaseMoved& moved);
  void tell_released(const LeaseReleased& released);
  // Adds a task to the last line when it is about the same job, else begins a line.
  void add_task(const std::string& verb, const Holding& holding, const std::string& tail);
  void add(std::string verb, const std::string& job, std::string tail);
  const std::string& name_of(JobId job) const;

  std::map<JobId, std::string> names_;
  std::map<LeaseId, Holding> holdings_;
  std::map<ReceiptId, std::string> receipts_;  // whose they are
  std::vector<Line> lines_;
};

}  // namespace berth::sim
