// What an operator can ask a session, as lines of text.
#pragma once

#include <string>
#include <vector>

#include "engine/state/cluster_state.h"

namespace berth::sim {

using Lines = std::vector<std::string>;

Lines show_nodes(const engine::ClusterState& state);
Lines show_cards(const engine::ClusterState& state);
Lines show_queues(const engine::ClusterState& state);
Lines show_jobs(const engine::ClusterState& state);
Lines show_leases(const engine::ClusterState& state);

// Why the job waits, the primary reason first.
Lines why(const engine::ClusterState& state, const std::string& job);

// The free capacity that cannot serve the job's tasks, and whether one move would help.
Lines show_gauge(const engine::ClusterState& state, const std::string& job);

// What a MIG card can make now and after the best re-packing, each profile alone.
Lines show_mig(const engine::ClusterState& state, const std::string& node, std::uint16_t card);

}  // namespace berth::sim
