// What `berth why` says: of one job all that is known of its waiting, without one who waits.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "engine/cycle/fixes.h"
#include "engine/cycle/outlook.h"
#include "engine/state/cluster_state.h"
#include "sim/scenario/session.h"

namespace berth::cli {

// A cluster that can be asked; what is in it must outlive it.
struct AskedPlace {
  const engine::ClusterState& state;
  TimeMs now = 0;
  std::function<Rejections(JobId job)> why;
  std::function<engine::Outlook(JobId job)> eta;
  std::function<std::vector<engine::Fix>(JobId job)> fixes;
  std::function<Result<bool>(const std::string& job)> has_seen;  // ended ones included
  // To go on from.
  const std::vector<GpuModel>& catalog;
  sim::Moment moment;
};

enum class AnswerFormat : std::uint8_t { kText, kJson };

// Refuses a job that neither waits nor runs there, with the nearest name.
Status answer_why(const AskedPlace& place, const std::string& job, AnswerFormat format,
                  Console& console);
// The jobs that wait or are suspended, oldest first, each with its primary reason.
void list_waiting(const AskedPlace& place, AnswerFormat format, Console& console);

}  // namespace berth::cli
