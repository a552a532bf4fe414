// What an operator can ask a session, as lines of text.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/cycle/fixes.h"
#include "engine/cycle/outlook.h"
#include "engine/state/cluster_state.h"
#include "model/rejection.h"

namespace berth::sim {

using Lines = std::vector<std::string>;
// What a job is called before whoever reads: by its name, unless it is none of his.
using JobNames = std::function<std::string(JobId job, const std::string& name)>;
inline std::string by_name(JobId /*job*/, const std::string& name) { return name; }
// Why a pending job waits now; empty when it fits.
using Reasons = std::function<Rejections(JobId job)>;

Lines show_nodes(const engine::ClusterState& state);
Lines show_cards(const engine::ClusterState& state);
// What each holds beside its quotas, with what is to be known of them: quota_warnings.h.
Lines show_queues(const engine::ClusterState& state, TimeMs now);
// Waiting jobs as the next cycle looks at them, if nothing changed in between.
Lines show_order(const engine::ClusterState& state, TimeMs now);
Lines show_reservations(const engine::ClusterState& state, TimeMs now);
// The fields that differ from the product's policy.
Lines show_policy(const engine::ClusterState& state);
Lines show_jobs(const engine::ClusterState& state, const Reasons& reasons);
Lines show_leases(const engine::ClusterState& state);

// That there is none, with the nearest name or the names that there are.
Lines unknown_job(const engine::ClusterState& state, const std::string& name);

// Why the job waits, the primary reason first; of one that was stopped also by whom.
Lines why(const engine::ClusterState& state, const Reasons& reasons, const std::string& job,
          TimeMs now);
// Whether it waits for a place, or, suspended, for cards to go on.
bool is_waiting(const engine::JobRecord& job);
// "g could start in 10 min, when s2 ends (declared)", "x could start in 30 s at the latest, when v
// gives way (receipt 4, which expires in 90 s)"
std::string eta_text(const engine::ClusterState& state, const std::string& job,
                     const engine::Outlook& eta, TimeMs now, const JobNames& names = by_name);
// "wait for job s2, in 20m (declared)"; of other fixes what they say themselves
std::string fix_text(const engine::Fix& fix, TimeMs now, const JobNames& names = by_name);

// The free capacity that cannot serve the job's tasks, and whether one move would help.
Lines show_gauge(const engine::ClusterState& state, const std::string& job);

// What a MIG card can make now and after the best re-packing, each profile alone.
Lines show_mig(const engine::ClusterState& state, const std::string& node, std::uint16_t card);

}  // namespace berth::sim
