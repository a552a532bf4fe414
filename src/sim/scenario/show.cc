#include "sim/scenario/show.h"

#include <algorithm>
#include <map>

#include "base/nearest.h"
#include "engine/cycle/explain.h"
#include "engine/placement/fragmentation.h"
#include "engine/quota/job_quota.h"
#include "sim/report/format.h"
#include "sim/scenario/show_stop.h"
#include "sim/scenario/wording.h"

namespace berth::sim {
namespace {

using engine::CardKind;
using engine::CardState;
using engine::ClusterState;
using engine::NodeRecord;

std::string card_text(const ClusterState& state, const CardState& card) {
  const CardKind& kind = state.card_kind(card.kind);
  std::string text(berth::word(card.mode));
  if (card.health != CardHealth::kHealthy) text += " " + std::string(berth::word(card.health));
  if (card.mode == CardMode::kEmpty || card.mode == CardMode::kWhole) return text;
  if (card.mode != CardMode::kMig) {
    text += " " + std::to_string(card.clients) + (card.clients == 1 ? " client" : " clients");
  }
  return text + ", free " + percent_text(card.compute_free) + " compute and " +
         memory_text(card.memory_free) + " of " + memory_text(kind.usable);
}

std::vector<TaskPlacement> placements_of(const ClusterState& state, const engine::JobRecord& job) {
  std::vector<TaskPlacement> tasks;
  for (const LeaseId id : job.leases) tasks.push_back(state.find_lease(id)->placement);
  return tasks;
}

// Why a pending job waits, the primary reason first; never empty.
Lines reason_texts(const engine::JobRecord& job, const Reasons& reasons) {
  if (job.reasons == nullptr && !job.user_held) return {"not yet considered"};
  Lines texts;
  for (const Rejection& reason : reasons(job.id)) texts.push_back(reason.to_text());
  if (texts.empty()) texts.emplace_back("fits now, the next cycle decides");
  return texts;
}

std::vector<const engine::JobRecord*> jobs_by_name(const ClusterState& state) {
  std::map<std::string, const engine::JobRecord*> sorted;
  for (const JobId id : state.jobs().sorted_ids()) {
    const engine::JobRecord& job = state.jobs().at(id);
    sorted.emplace(job.name, &job);
  }
  std::vector<const engine::JobRecord*> jobs;
  for (const auto& [name, job] : sorted) jobs.push_back(job);
  return jobs;
}

std::string lease_text(const ClusterState& state, const Lease& lease) {
  Charge charge;
  for (const CardGrant& grant : lease.placement.grants) {
    charge += Charge{grant.compute, grant.memory};
  }
  const engine::JobRecord& job = *state.find_job(lease.job);
  std::string text = job.name;
  if (state.spec_of(job).tasks > 1) text += " task " + std::to_string(lease.placement.task);
  text += " " + place_text(state, {lease.placement}) + " " + std::string(berth::word(lease.state));
  if (lease.lateness != Lateness::kInTime) {
    text += " " + std::string(berth::word(lease.lateness)) + " not charged";
  }
  if (lease.placement.grants.empty()) return text;
  text += " " + std::string(berth::word(lease.placement.grants.front().mode)) + ": " +
          amounts_text(charge);
  const bool ruled = !is_unruled(state, state.spec_of(job));
  return ruled && lease.ownership == LeaseOwnership::kBorrowed ? text + ", borrowed" : text;
}

std::string move_text(const ClusterState& state, const engine::HelpfulMove& move) {
  const Lease& lease = *state.find_lease(move.lease);
  TaskPlacement target = lease.placement;
  target.node = move.node;
  target.grants = move.grants;
  return state.find_job(lease.job)->name + " " + place_text(state, {lease.placement}) + " to " +
         place_text(state, {target});
}

// "3g.40gb: 0 now, 1 after moving 1g.10gb@5 to @2"
std::string repacking_text(const engine::MigGeometry& geometry, const GpuModel& model,
                           engine::MigOccupancy before, engine::MigOccupancy after) {
  const auto starts = [&](engine::MigOccupancy set) {
    std::map<std::string, std::vector<int>> found;
    for (; set != 0; set &= set - 1) {
      const auto& placement = geometry.placement(
          engine::MigPlacementIndex(static_cast<std::uint8_t>(__builtin_ctzll(set))));
      found[model.mig_profiles[placement.profile.value()].name].push_back(placement.start);
    }
    return found;
  };
  const auto gone = starts(before & ~after);
  auto come = starts(after & ~before);
  std::string text;
  for (const auto& [profile, from] : gone) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (!text.empty()) text += ", ";
      text +=
          profile + "@" + std::to_string(from[i]) + " to @" + std::to_string(come.at(profile)[i]);
    }
  }
  return text;
}

std::string profile_text(const engine::MigGeometry& geometry, const GpuModel& model,
                         engine::MigOccupancy occupied, engine::MigProfileIndex profile) {
  const int now = geometry.can_make_now(occupied)[profile.value()];
  const int later = geometry.after_repacking(occupied)[profile.value()];
  std::string text = model.mig_profiles[profile.value()].name + ": " + std::to_string(now) +
                     " now, " + std::to_string(later) + " after the best re-packing";
  if (later <= now) return text;
  const engine::MigOccupancy packed = geometry.best_repacking(occupied, profile);
  const int moves = __builtin_popcountll(occupied & ~packed);
  return text + ", " + std::to_string(moves) + (moves == 1 ? " move: " : " moves: ") +
         repacking_text(geometry, model, occupied, packed);
}

std::string instances_text(const engine::MigGeometry& geometry, const GpuModel& model,
                           engine::MigOccupancy occupied) {
  std::string text;
  for (; occupied != 0; occupied &= occupied - 1) {
    const auto& placement = geometry.placement(
        engine::MigPlacementIndex(static_cast<std::uint8_t>(__builtin_ctzll(occupied))));
    text += " " + model.mig_profiles[placement.profile.value()].name + "@" +
            std::to_string(placement.start);
  }
  return text.empty() ? " nothing" : text;
}

}  // namespace

Lines unknown_job(const ClusterState& state, const std::string& name) {
  std::vector<std::string> names;
  for (const engine::JobRecord* job : jobs_by_name(state)) names.push_back(job->name);
  if (names.empty()) return {"no job " + name + "; no job waits or runs"};
  return {"no job " + name + suggestion(name, std::span<const std::string>(names))};
}

Lines show_nodes(const ClusterState& state) {
  Lines lines;
  for (const NodeIndex index : state.nodes_by_name()) {
    const NodeRecord& node = state.node(index);
    const auto empty = std::count_if(node.cards.begin(), node.cards.end(),
                                     [](const CardState& c) { return c.is_empty() && c.usable(); });
    lines.push_back(node.spec->name + " " + std::string(berth::word(node.condition)) + " " +
                    node.spec->model + ": " + std::to_string(empty) + " of " +
                    std::to_string(node.cards.size()) + " cards empty, free " +
                    cpu_text(node.cpu_free) + " CPU and " +
                    memory_text(node.memory_free * kEighthsPerMib));
  }
  return lines;
}

Lines show_cards(const ClusterState& state) {
  Lines lines;
  for (const NodeIndex index : state.nodes_by_name()) {
    const NodeRecord& node = state.node(index);
    for (std::size_t c = 0; c < node.cards.size();) {
      const std::string text = card_text(state, node.cards[c]);
      std::vector<std::int64_t> equal;
      for (; c < node.cards.size() && card_text(state, node.cards[c]) == text; ++c) {
        equal.push_back(static_cast<std::int64_t>(c));
      }
      lines.push_back(cards_text(node.spec->name, equal) + " " + text);
    }
  }
  return lines;
}

Lines show_jobs(const ClusterState& state, const Reasons& reasons) {
  Lines lines;
  for (const engine::JobRecord* job : jobs_by_name(state)) {
    std::string text = job->name + " " + std::string(berth::word(job->phase));
    if (!job->leases.empty()) text += " " + place_text(state, placements_of(state, *job));
    if (job->phase == JobPhase::kPending) text += ": " + reason_texts(*job, reasons).front();
    lines.push_back(text);
  }
  return lines;
}

namespace {

// How far off an instant is, as exactly as anyone wants to know it.
std::string about_text(DurationMs duration) {
  if (duration % kMinuteMs == 0 || duration < kMinuteMs) return duration_text(duration);
  return "about " + duration_text(static_cast<double>(duration));
}

std::string basis_text(engine::EndBasis basis) {
  if (basis == engine::EndBasis::kDeclared) return " (declared)";
  if (basis == engine::EndBasis::kLearned) return " (learned)";
  return " (how long such jobs run is not known yet)";
}

std::map<JobId, std::string> victim_names(const Reclaim& reclaim, const JobNames& names) {
  std::map<JobId, std::string> jobs;
  for (const Victim& victim : reclaim.victims) jobs[victim.job] = names(victim.job, victim.name);
  return jobs;
}

// "driver gives way", "3 jobs give way"
std::string giving_text(const Reclaim& reclaim, const JobNames& names) {
  const std::map<JobId, std::string> jobs = victim_names(reclaim, names);
  const bool moves = reclaim.right == ReclaimRight::kConsolidation;
  if (jobs.size() == 1) return jobs.begin()->second + (moves ? " has moved" : " gives way");
  return std::to_string(jobs.size()) + (moves ? " jobs have moved" : " jobs give way");
}

std::string receipt_text(const ClusterState& state, const Reclaim& reclaim, TimeMs now) {
  const auto& receipts = state.ledger().receipts;
  const auto known = receipts.find(reclaim.receipt);
  if (known == receipts.end() || known->second.reclaim->beneficiary != reclaim.beneficiary) {
    return "taken back by " + std::string(berth::word(reclaim.right));
  }
  return "receipt " + std::to_string(reclaim.receipt.value()) + ", which expires in " +
         about_text(std::max<DurationMs>(0, reclaim.expires_at - now));
}

// "; takes back 8 cards from J1, price 0.13"
std::string taken_text(const Reclaim& reclaim, const JobNames& names) {
  const std::map<JobId, std::string> jobs = victim_names(reclaim, names);
  const std::string from =
      jobs.size() == 1 ? jobs.begin()->second : std::to_string(jobs.size()) + " jobs";
  const bool moves = reclaim.right == ReclaimRight::kConsolidation;
  return (moves ? "moves " : "takes back ") + held_text(held_by_victims(reclaim)) +
         (moves ? " of " : " from ") + from + ", price " + money_text(reclaim.price);
}

}  // namespace

Lines show_leases(const ClusterState& state) {
  std::map<std::pair<std::string, std::uint32_t>, std::string> sorted;
  for (const LeaseId id : state.leases().sorted_ids()) {
    const Lease& lease = state.leases().at(id);
    sorted[{state.find_job(lease.job)->name, lease.placement.task}] = lease_text(state, lease);
  }
  Lines lines;
  for (const auto& [key, text] : sorted) lines.push_back(text);
  return lines;
}

bool is_waiting(const engine::JobRecord& job) {
  return job.phase == JobPhase::kPending || job.phase == JobPhase::kSuspended;
}

Lines why(const ClusterState& state, const Reasons& reasons, const std::string& name, TimeMs now) {
  const engine::JobRecord* job = state.find_job(name);
  if (job == nullptr) return unknown_job(state, name);
  Lines lines;
  if (job->phase == JobPhase::kPending) {
    lines = reason_texts(*job, reasons);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      lines[i].insert(0, i == 0 ? name + " is pending: " : "  also: ");
    }
  } else {
    lines = {name + " is " + std::string(berth::word(job->phase)) + " on " +
             place_text(state, placements_of(state, *job))};
    for (const Rejection& reason : reasons(job->id)) lines.push_back("  " + reason.to_text());
  }
  for (const std::string& line : stop_lines(state, *job, now)) lines.push_back("  " + line);
  return lines;
}

std::string eta_text(const ClusterState& state, const std::string& job, const engine::Outlook& eta,
                     TimeMs now, const JobNames& names) {
  if (eta.is_held) return job + " starts when its owner releases it, at the earliest";
  const engine::JobRecord* asked = state.find_job(job);
  const bool goes_on = asked != nullptr && asked->phase == JobPhase::kSuspended;
  if (eta.at == kNever)
    return job + (goes_on ? " does not go on" : " does not start") + " by waiting alone";
  std::string text = job + (goes_on ? " could go on" : " could start");
  const bool known = eta.basis != engine::EndBasis::kUnknown;
  if (known) text += eta.at <= now ? " now" : " in " + about_text(eta.at - now);
  if (known && eta.taken != nullptr && eta.at > now) text += " at the latest";
  if (known && eta.at_earliest) text += " at the earliest";
  const engine::JobRecord* last = state.find_job(eta.last);
  if (eta.taken != nullptr) {
    text += (known ? ", when " : " when ") + giving_text(*eta.taken, names) + " (" +
            receipt_text(state, *eta.taken, now) + ")";
  } else if (last != nullptr && !eta.at_earliest) {
    text += (known ? ", when " : " when ") + names(last->id, last->name) + " ends";
  }
  const bool rests_on_ends = eta.taken == nullptr || eta.basis != engine::EndBasis::kDeclared;
  if (!eta.last.is_none() && rests_on_ends) text += basis_text(eta.basis);
  if (eta.before == 0) return text;
  return text + "; " + std::to_string(eta.before) +
         (eta.before == 1 ? " job starts" : " jobs start") + " before it";
}

std::string fix_text(const engine::Fix& fix, TimeMs now, const JobNames& names) {
  std::string text = fix.text;
  if (fix.by == engine::FixBy::kTime && fix.at > now) {
    text += ", in " + about_text(fix.at - now);
    text += fix.taken == nullptr ? basis_text(fix.basis) : " at the latest";
  }
  if (fix.taken != nullptr) text += "; " + taken_text(*fix.taken, names);
  return text;
}

Lines show_gauge(const ClusterState& state, const std::string& name) {
  const engine::JobRecord* job = state.find_job(name);
  if (job == nullptr) return unknown_job(state, name);
  const ShapeIndex shape = state.spec_of(*job).shapes.front();
  const engine::FragmentationGauge gauge = engine::gauge_of(state, shape);
  Lines lines = {"free " + amounts_text(gauge.free),
                 "stranded for " + name + ": " + amounts_text(gauge.stranded)};
  for (std::size_t c = 0; c < engine::kStrandedCauses; ++c) {
    if (gauge.by_cause[c] == Charge{}) continue;
    lines.push_back("  " + std::string(engine::stranded_word(static_cast<engine::StrandedBy>(c))) +
                    ": " + amounts_text(gauge.by_cause[c]));
  }
  ClusterState copy = state;
  if (!engine::explain(state, shape).empty()) {
    const auto move = engine::find_helpful_move(copy, shape);
    lines.push_back(move ? "one move helps: " + move_text(state, *move) : "no single move helps");
  }
  return lines;
}

Lines show_mig(const ClusterState& state, const std::string& node, std::uint16_t index) {
  const NodeIndex found = state.find_node(node);
  if (found.is_none() || index >= state.node(found).cards.size()) {
    return {"no card " + node + ":" + std::to_string(index)};
  }
  const CardState& card = state.node(found).cards[index];
  const CardKind& kind = state.card_kind(card.kind);
  const std::string name = node + ":" + std::to_string(index);
  if (kind.mig == nullptr) return {name + " has no MIG"};
  Lines lines = {name + " holds" + instances_text(*kind.mig, *kind.gpu, card.mig)};
  for (int p = 0; p < kind.mig->profile_count(); ++p) {
    const engine::MigProfileIndex profile(static_cast<std::uint8_t>(p));
    lines.push_back(profile_text(*kind.mig, *kind.gpu, card.mig, profile));
  }
  return lines;
}

}  // namespace berth::sim
