// AskedPlace: a cluster that can be asked, wherever it lives; Told: an answer, for programs and for
// people.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codec/document.h"
#include "engine/cycle/fixes.h"
#include "engine/cycle/outlook.h"
#include "engine/state/cluster_state.h"
#include "server/redaction.h"
#include "sim/scenario/session.h"

namespace berth::server {

// What is in it must outlive it.
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
  Visibility sight = {};  // of who asks
};

struct Told {
  codec::Document document;
  std::string text;  // lines, each with its end
};

}  // namespace berth::server
