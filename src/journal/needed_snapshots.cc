#include "journal/needed_snapshots.h"

#include "control/ports.h"

namespace berth::journal {
namespace {

// A history is longer than asked by at most this part of it.
constexpr DurationMs kSteps = 8;

// The last snapshot that has the whole history after it; none: the first records are needed.
std::size_t beginning(const std::vector<SnapshotTime>& snapshots, DurationMs history) {
  std::size_t at = snapshots.size() - control::kSnapshotsKept;
  while (at > 0 && snapshots[at].at > snapshots.back().at - history) --at;
  return at;
}

}  // namespace

NeededSnapshots needed_snapshots(const std::vector<SnapshotTime>& snapshots, DurationMs history) {
  NeededSnapshots needed;
  if (snapshots.size() < control::kSnapshotsKept) return needed;
  const std::size_t first = beginning(snapshots, history);
  const bool has_all = snapshots[first].at <= snapshots.back().at - history;
  if (has_all) needed.records_from = snapshots[first].revision;
  TimeMs last = snapshots[first].at;
  for (std::size_t s = 0; s + control::kSnapshotsKept < snapshots.size(); ++s) {
    const bool is_step = s > first && snapshots[s].at - last >= history / kSteps;
    if (s == first || is_step) {
      last = snapshots[s].at;
    } else {
      needed.forgotten.push_back(snapshots[s].revision);
    }
  }
  return needed;
}

}  // namespace berth::journal
