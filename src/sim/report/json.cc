#include "sim/report/json.h"

#include <utility>

#include "codec/document.h"
#include "codec/writer.h"
#include "sim/report/format.h"
#include "sim/report/metrics.h"

namespace berth::sim {
namespace {

using codec::Document;
using codec::Member;

constexpr int kDecimals = 6;

Document number(double value) {
  std::string text = plain_number(value, kDecimals);
  if (text.empty()) return {};
  if (text.find('.') == std::string::npos) text += ".0";
  return Document::decimal(std::move(text));
}

Document map_of(std::initializer_list<std::pair<const char*, Document>> members) {
  Document map = Document::map();
  for (const auto& [key, value] : members) map.add(key, value);
  return map;
}

template <typename Items, typename Convert>
Document list_of(const Items& items, Convert convert) {
  Document list = Document::list();
  for (const auto& item : items) list.append(convert(item));
  return list;
}

Document to_document(const JobCounts& jobs) {
  return map_of({{"submitted", Document::integer(jobs.submitted)},
                 {"refused", Document::integer(jobs.refused)},
                 {"finished", Document::integer(jobs.finished)},
                 {"running", Document::integer(jobs.running)},
                 {"waiting", Document::integer(jobs.waiting)}});
}

Document to_document(const WaitStats& wait) {
  return map_of({{"jobs", Document::integer(wait.jobs)},
                 {"mean_ms", number(wait.mean_ms)},
                 {"p50_ms", Document::integer(wait.p50_ms)},
                 {"p90_ms", Document::integer(wait.p90_ms)},
                 {"p99_ms", Document::integer(wait.p99_ms)},
                 {"max_ms", Document::integer(wait.max_ms)}});
}

Document group_document(const JobGroup& group) {
  return map_of({{"name", Document::string(group.name)},
                 {"gpu_hours", number(group.gpu_hours)},
                 {"jobs", to_document(group.jobs)},
                 {"wait", to_document(group.wait)}});
}

Document model_document(const ModelUse& use) {
  return map_of({{"model", Document::string(use.model)},
                 {"used_gpu_hours", number(use.used_gpu_hours)},
                 {"capacity_gpu_hours", number(use.capacity_gpu_hours)}});
}

Document queue_document(const QueueShare& share) {
  return map_of({{"name", Document::string(share.name)},
                 {"guarantee_cards", number(share.guarantee_cards)},
                 {"fair_cards", number(share.fair_cards)},
                 {"held_cards", number(share.held_cards)}});
}

Document gang_document(const GangSpread& group) {
  return map_of({{"name", Document::string(group.name)},
                 {"gangs", Document::integer(group.gangs)},
                 {"in_one", Document::integer(group.in_one)},
                 {"domains", number(group.domains)},
                 {"least", number(group.least)}});
}

Document sample_document(const Sample& sample) {
  Document causes = Document::map();
  for (std::size_t i = 0; i < kCauseCount; ++i) {
    causes.add(std::string(word(static_cast<Cause>(i))), number(sample.unschedulable_cards[i]));
  }
  return map_of({{"at_ms", Document::integer(sample.at_ms)},
                 {"allocated_cards", list_of(sample.allocated_cards, number)},
                 {"waiting_cards", number(sample.waiting_cards)},
                 {"running_jobs", Document::integer(sample.running_jobs)},
                 {"pending_jobs", Document::integer(sample.pending_jobs)},
                 {"unschedulable_cards", std::move(causes)},
                 {"queue_cards", list_of(sample.queue_cards, number)},
                 {"queue_fair_cards", list_of(sample.queue_fair_cards, number)},
                 {"kept_cards", number(sample.kept_cards)},
                 {"deferring_jobs", Document::integer(sample.deferring_jobs)}});
}

template <typename Enum, typename Values, typename Convert>
Document by_word(const Values& values, Convert convert) {
  Document map = Document::map();
  for (std::size_t i = 0; i < values.size(); ++i) {
    map.add(std::string(word(static_cast<Enum>(i))), convert(values[i]));
  }
  return map;
}

Document work_document(const WorkHours& work) {
  return map_of({{"spent", by_word<Spending>(work.spent, number)},
                 {"recomputed", by_word<Interruption>(work.recomputed, number)}});
}

Document team_work_document(const TeamWork& team) {
  return map_of({{"name", Document::string(team.name)}, {"work", work_document(team.work)}});
}

Document job_work_document(const JobWork& job) {
  return map_of({{"name", Document::string(job.name)},
                 {"interruptions", Document::integer(job.interruptions)},
                 {"evictions", Document::integer(job.evictions)},
                 {"work", work_document(job.work)}});
}

Document loss_document(const LossStep& step) {
  return map_of({{"at_ms", Document::integer(step.at_ms)},
                 {"work", work_document(step.lost)},
                 {"interruptions", by_word<Interruption>(step.interruptions, Document::integer)},
                 {"evictions", by_word<ReclaimGrade>(step.evictions, Document::integer)}});
}

Document victim_document(const VictimNote& victim) {
  return map_of({{"job", Document::string(victim.job)},
                 {"grade", Document::string(std::string(word(victim.grade)))},
                 {"cards", number(victim.cards)},
                 {"lost_ms", Document::integer(victim.lost_ms)},
                 {"price", number(victim.price)}});
}

Document map_node_document(const MapNode& node) {
  return map_of({{"name", Document::string(node.name)}, {"cards", Document::integer(node.cards)}});
}

Document owned_document(const OwnedCard& card) {
  return map_of({{"node", Document::string(card.node)},
                 {"card", Document::integer(card.card)},
                 {"owner", Document::string(card.owner)}});
}

Document consolidation_document(const ConsolidationNote& note) {
  return map_of({{"at_ms", Document::integer(note.at_ms)},
                 {"job", Document::string(note.job)},
                 {"jobs", Document::integer(note.jobs)},
                 {"moved_cards", number(note.moved_cards)},
                 {"price", number(note.price)},
                 {"gain", number(note.gain)},
                 {"nodes", list_of(note.nodes, map_node_document)},
                 {"before", list_of(note.before, owned_document)},
                 {"after", list_of(note.after, owned_document)}});
}

Document piece_document(const LayoutPiece& piece) {
  return map_of({{"profile", Document::string(piece.profile)},
                 {"start", Document::integer(piece.start)},
                 {"slots", Document::integer(piece.slots)}});
}

Document layout_document(const LayoutUse& use) {
  return map_of({{"model", Document::string(use.model)},
                 {"slots", Document::integer(use.slots)},
                 {"pieces", list_of(use.pieces, piece_document)},
                 {"cards_before", Document::integer(use.cards_before)},
                 {"cards_after", Document::integer(use.cards_after)},
                 {"used_after", Document::integer(use.used_after)}});
}

Document layout_change_document(const LayoutChangeNote& change) {
  return map_of({{"at_ms", Document::integer(change.at_ms)},
                 {"took_ms", Document::integer(change.took_ms)},
                 {"node", Document::string(change.node)},
                 {"card", Document::integer(change.card)},
                 {"before", Document::string(change.before)},
                 {"after", Document::string(change.after)},
                 {"outcome", Document::string(std::string(word(change.outcome)))},
                 {"cause", Document::string(change.cause)}});
}

Document receipt_document(const ReceiptNote& receipt) {
  return map_of({{"at_ms", Document::integer(receipt.at_ms)},
                 {"job", Document::string(receipt.job)},
                 {"right", Document::string(std::string(word(receipt.right)))},
                 {"outcome", Document::string(std::string(word(receipt.outcome)))},
                 {"cards", number(receipt.cards)},
                 {"price", number(receipt.price)},
                 {"gain", number(receipt.gain)},
                 {"victims", list_of(receipt.victims, victim_document)}});
}

Document card_document(const CardUse& card) {
  return map_of({{"mode", Document::string(std::string(word(card.mode)))},
                 {"health", Document::string(std::string(word(card.health)))},
                 {"allocated_share", number(card.allocated_share)},
                 {"tasks", Document::integer(card.tasks)}});
}

Document node_document(const NodeUse& node) {
  return map_of({{"name", Document::string(node.name)},
                 {"model", Document::string(node.model)},
                 {"condition", Document::string(std::string(word(node.condition)))},
                 {"cpu_share", number(node.cpu_share)},
                 {"memory_share", number(node.memory_share)},
                 {"cards", list_of(node.cards, card_document)}});
}

Document fleet_document(const FleetSummary& fleet) {
  return map_of({{"nodes", Document::integer(fleet.nodes)},
                 {"cards", Document::integer(fleet.cards)},
                 {"models", list_of(fleet.models, [](const FleetModel& model) {
                    return map_of({{"model", Document::string(model.model)},
                                   {"nodes", Document::integer(model.nodes)},
                                   {"cards", Document::integer(model.cards)}});
                  })}});
}

Document wait_point(const WaitPoint& point) {
  return map_of(
      {{"wait_ms", Document::integer(point.wait_ms)}, {"jobs", Document::integer(point.jobs)}});
}

Document run_document(const RunResult& run) {
  return map_of({{"format", Document::string(kRunFormat)},
                 {"name", Document::string(run.name)},
                 {"policy", Document::string(run.policy)},
                 // As text: many readers of JSON keep only 53 bits of a number.
                 {"seed", Document::string(std::to_string(run.seed))},
                 {"state_hash", Document::string(hash_text(run.state_hash))},
                 {"events_applied", Document::string(std::to_string(run.events_applied))},
                 {"duration_ms", Document::integer(run.duration_ms)},
                 {"fleet", fleet_document(run.fleet)},
                 {"allocated_share", number(allocated_share(run))},
                 {"unschedulable_share", number(unschedulable_share(run))},
                 {"start_up_gpu_hours", number(run.start_up_gpu_hours)},
                 {"work", work_document(run.work)},
                 {"interruptions", by_word<Interruption>(run.interruptions, Document::integer)},
                 {"evictions", by_word<ReclaimGrade>(run.evictions, Document::integer)},
                 {"team_work", list_of(run.team_work, team_work_document)},
                 {"hit_jobs", list_of(run.hit_jobs, job_work_document)},
                 {"losses", list_of(run.losses, loss_document)},
                 {"receipts", Document::integer(run.receipts)},
                 {"dearest_receipts", list_of(run.dearest_receipts, receipt_document)},
                 {"consolidations", list_of(run.consolidations, consolidation_document)},
                 {"layouts_changed", Document::integer(run.layouts_changed)},
                 {"layouts_rolled_back", Document::integer(run.layouts_rolled_back)},
                 {"layouts", list_of(run.layouts, layout_document)},
                 {"layout_changes", list_of(run.layout_changes, layout_change_document)},
                 {"first_refusal", Document::string(run.first_refusal)},
                 {"warnings", list_of(run.warnings, Document::string)},
                 {"jobs", to_document(run.jobs)},
                 {"wait", to_document(run.wait)},
                 {"wait_cdf", list_of(run.wait_cdf, wait_point)},
                 {"classes", list_of(run.classes, group_document)},
                 {"teams", list_of(run.teams, group_document)},
                 {"sizes", list_of(run.sizes, group_document)},
                 {"models", list_of(run.models, model_document)},
                 {"queues", list_of(run.queues, queue_document)},
                 {"gangs", list_of(run.gangs, gang_document)},
                 {"step_ms", Document::integer(run.step_ms)},
                 {"samples", list_of(run.samples, sample_document)},
                 {"nodes", list_of(run.nodes, node_document)}});
}

Document metric_document(const Metric& metric) {
  return map_of({{"name", Document::string(std::string(metric.name))},
                 {"values", list_of(metric.values, number)}});
}

// One line per member and per item of a list, so that a difference of two results reads well and a
// long series stays small.
std::string laid_out(const Document& map, const std::string& indent) {
  std::string text = "{";
  for (const Member& member : map.members()) {
    text +=
        (text.size() > 1 ? ",\n" : "\n") + indent + "  " + codec::json_string(member.key) + ": ";
    if (!member.value.is(Document::Kind::kList) || member.value.items().empty()) {
      text += codec::write_json_line(member.value);
      continue;
    }
    const char* separator = "[\n";
    for (const Document& item : member.value.items()) {
      text += separator + indent + "    ";
      text += member.key == "runs" ? laid_out(item, indent + "    ") : codec::write_json_line(item);
      separator = ",\n";
    }
    text += "\n" + indent + "  ]";
  }
  return text + "\n" + indent + "}";
}

}  // namespace

std::string run_json(const RunResult& run) { return laid_out(run_document(run), "") + "\n"; }

std::string comparison_json(std::span<const RunResult> runs) {
  const Document document =
      map_of({{"format", Document::string(kComparisonFormat)},
              {"headline", list_of(headline(runs), metric_document)},
              {"runs", list_of(runs, [](const RunResult& run) { return run_document(run); })}});
  return laid_out(document, "") + "\n";
}

}  // namespace berth::sim
