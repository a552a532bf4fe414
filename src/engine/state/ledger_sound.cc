#include "engine/state/ledger_sound.h"

#include <algorithm>

namespace berth::engine {
namespace {

class LedgerCheck {
 public:
  explicit LedgerCheck(const ClusterState& state) : state_(state), ledger_(state.ledger()) {}

  bool run() const {
    return ledger_.run_times.size() <= kKindsLearned && receipts_hold() && jobs_hold() &&
           all(ledger_.reservations,
               [&](JobId job, const auto& reservation) {
                 const auto& nodes = reservation->nodes;
                 return reservation->job == job && has_job(job) &&
                        std::all_of(nodes.begin(), nodes.end(),
                                    [&](NodeIndex node) { return has_node(node); });
               }) &&
           all(ledger_.layout_rests,
               [&](const Ledger::CardOfNode& card, TimeMs) { return has_node(card.first); }) &&
           all(ledger_.observations,
               [&](LeaseId lease, const auto&) { return state_.find_lease(lease) != nullptr; }) &&
           all(ledger_.interruptions, [&](NodeIndex node, TimeMs) { return has_node(node); }) &&
           tokens_hold();
  }

 private:
  template <typename Map, typename Holds>
  static bool all(const Map& map, const Holds& holds) {
    return std::all_of(map.begin(), map.end(),
                       [&](const auto& entry) { return holds(entry.first, entry.second); });
  }
  bool has_job(JobId job) const { return state_.find_job(job) != nullptr; }
  bool has_node(NodeIndex node) const { return node.value() < state_.nodes().size(); }

  bool has_place(const TaskPlacement& task) const {
    if (!has_node(task.node)) return false;
    const CardList& cards = state_.node(task.node).cards;
    return std::all_of(task.grants.begin(), task.grants.end(), [&](const CardGrant& grant) {
      if (grant.card >= cards.size()) return false;
      if (grant.mode != CardMode::kMig) return true;
      const auto& grid = state_.card_kind(cards[grant.card].kind).mig;
      return grid != nullptr && grant.placement < grid->placements().size();
    });
  }

  bool receipts_hold() const {
    return all(ledger_.receipts, [&](ReceiptId id, const ReceiptRecord& record) {
      return record.reclaim->receipt == id && id.value() < ledger_.next_receipt &&
             has_places(*record.reclaim) &&
             (record.outcome != ReceiptOutcome::kOpen || may_start(*record.reclaim));
    });
  }

  bool has_places(const Reclaim& reclaim) const {
    const auto& tasks = reclaim.placement;
    const auto& victims = reclaim.victims;
    return std::all_of(tasks.begin(), tasks.end(),
                       [&](const TaskPlacement& task) { return has_place(task); }) &&
           std::all_of(victims.begin(), victims.end(), [&](const Victim& victim) {
             return has_node(victim.node) && (!victim.goes_on() || has_place(victim.target));
           });
  }

  // Who waits for the room is there, with tasks of such roles.
  bool may_start(const Reclaim& reclaim) const {
    const JobRecord* job = state_.find_job(reclaim.beneficiary);
    if (job == nullptr) return false;
    const std::size_t roles = state_.spec_of(*job).shapes.size();
    return std::all_of(reclaim.placement.begin(), reclaim.placement.end(),
                       [&](const TaskPlacement& task) { return task.role < roles; });
  }

  bool tokens_hold() const {
    std::set<std::string> names;
    return ledger_.tokens.size() <= std::min<std::uint64_t>(kTokensKept, ledger_.tokens_issued) &&
           all(ledger_.tokens, [&](const std::string& id, const TokenRecord& record) {
             const Token& token = *record.token;
             return token.id == id && validate(token) && names.insert(token.name).second &&
                    (token.queue.empty() || !state_.find_queue(token.queue).is_none());
           });
  }

  // A job that waits for the room of a receipt is the one that the receipt is about.
  bool jobs_hold() const {
    const std::vector<JobId> jobs = state_.jobs().sorted_ids();
    return std::all_of(jobs.begin(), jobs.end(), [&](JobId id) {
      const ReceiptId receipt = state_.find_job(id)->receipt;
      if (receipt.is_none()) return true;
      const auto found = ledger_.receipts.find(receipt);
      return found != ledger_.receipts.end() && found->second.outcome == ReceiptOutcome::kOpen &&
             found->second.reclaim->beneficiary == id;
    });
  }

  const ClusterState& state_;
  const Ledger& ledger_;
};

}  // namespace

bool is_ledger_sound(const ClusterState& state) { return LedgerCheck(state).run(); }

}  // namespace berth::engine
