// What callers must not read of an answer that they may see: the values of environment variables,
// and what others call their jobs and queues. Amounts stay: how much is used everybody may know,
// by whom its owner.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/document.h"
#include "engine/cycle/fixes.h"
#include "model/rejection.h"
#include "server/access.h"
#include "server/replica.h"
#include "sim/scenario/show.h"

namespace berth::server {

inline constexpr const char* kHidden = "hidden";
// A job or a queue of another tenant: in a field, and in a sentence.
inline constexpr const char* kOther = "other";
inline constexpr const char* kOtherJob = "a job of another tenant";

// The document with each value of each map that is called "environment" replaced, at any depth.
codec::Document without_environment(const codec::Document& document);

// Which jobs and queues one caller may read the names of, and answers without the others: those of
// its subtree. One that is limited to none reads all of them.
class Visibility {
 public:
  // The queue of a job that the state does not have any more; empty: it is not known.
  using QueueOfEnded = std::function<std::string(JobId job)>;

  Visibility() = default;
  // `state` must outlive it. `root`: Principal::queue.
  Visibility(std::string root, const engine::ClusterState& state, QueueOfEnded ended = nullptr)
      : root_(std::move(root)), state_(&state), ended_(std::move(ended)) {}
  // `reading` must outlive it.
  Visibility(const Principal& who, const Reading& reading);

  bool is_limited() const { return !root_.empty(); }
  bool covers(std::string_view queue) const;
  // A job of which nothing is known any more is nobody's.
  bool sees(JobId job) const;
  // Whether the job takes or gives in it and is seen; without a name: whether any is.
  bool concerns(const Reclaim& reclaim, const std::optional<std::string>& job) const;

  // What the job is called in a field, and what jobs are called in sentences.
  std::string in_field(JobId job, const std::string& name) const;
  sim::JobNames in_text() const;  // must not outlive it
  // Whether its place is of a queue that is not covered.
  bool is_of_other_queue(const Rejection& reason) const;
  Rejection shown(Rejection reason) const;
  // Without the commands where they hold the spec of a queue that is not covered.
  engine::Fix shown(engine::Fix fix) const;
  EventView shown(EventView event) const;

 private:
  std::string queue_text(const std::string& name) const;
  std::string owners_text(const std::string& names) const;
  std::string change_text(const QueueSpec& wanted) const;

  std::string root_;
  const engine::ClusterState* state_ = nullptr;
  QueueOfEnded ended_;
};

// The names of live jobs that are seen, the oldest first.
std::vector<std::string> job_names(const engine::ClusterState& state, const Visibility& sight);

}  // namespace berth::server
