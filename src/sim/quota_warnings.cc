#include "sim/quota_warnings.h"

#include <string_view>

#include "engine/quota/admission.h"
#include "model/quantity_text.h"

namespace berth::sim {
namespace {

std::string money_text(MicroMoney money) { return thousandths_text(money / 1000); }

std::string_view effect(BudgetAction action) {
  switch (action) {
    case BudgetAction::kStopBorrowing:
      return "it may not borrow";
    case BudgetAction::kHoldNew:
      return "nothing new starts";
    default:
      return "nothing is stopped";
  }
}

}  // namespace

std::vector<std::string> quota_warnings(const engine::ClusterState& state, TimeMs now) {
  std::vector<std::string> lines;
  for (const std::string& name : state.queue_names()) {
    const QueueIndex queue = state.find_queue(name);
    const BudgetSpec& budget = state.queues()[queue.value()].spec->budget;
    if (budget.per_month == 0) continue;
    const MicroMoney spent = engine::spent_in_month(state.quota(), state, queue, now);
    if (spent < budget.per_month) continue;
    lines.push_back("queue " + name + ": budget of the month spent, " + money_text(spent) + " of " +
                    money_text(budget.per_month) + " (" + std::string(effect(budget.action)) + ")");
  }
  return lines;
}

}  // namespace berth::sim
