// How a simulated node makes another MIG layout of a card.
#include <algorithm>

#include "sim/sim_executor.h"

namespace berth::sim {
namespace {

using Instances = std::vector<MigInstanceSpec>;

// Failing half-way leaves what is in both: the old instances are gone, the new ones not there.
Instances in_both(const Instances& there, const Instances& wanted) {
  Instances both;
  std::copy_if(wanted.begin(), wanted.end(), std::back_inserter(both), [&](const auto& one) {
    return std::find(there.begin(), there.end(), one) != there.end();
  });
  return both;
}

}  // namespace

void SimExecutor::change_layout(const control::LayoutAsk& ask) {
  asks_.insert_or_assign(CardOfNode{ask.node, ask.card}, ask);
  queue_.push(saturating_add(now(), layout_.draw(layouts_)),
              {SimEventKind::kLayout, 0, ask.number});
}

std::optional<std::pair<NodeIndex, ReportLayout>> SimExecutor::end_layout(std::uint64_t number) {
  const auto found = std::find_if(asks_.begin(), asks_.end(),
                                  [&](const auto& one) { return one.second.number == number; });
  if (found == asks_.end()) return std::nullopt;
  const control::LayoutAsk ask = std::move(found->second);
  asks_.erase(found);
  Instances& there = instances_.try_emplace({ask.node, ask.card}, ask.standing).first->second;
  const bool fails = layout_failure_ppm_ > 0 &&
                     layouts_.below(kPpmOne) < static_cast<std::uint64_t>(layout_failure_ppm_);
  there = fails ? in_both(there, ask.wanted) : ask.wanted;
  ReportLayout report{{}, ask.card, ask.number, there, fails ? "the simulated card failed" : ""};
  return std::pair(ask.node, std::move(report));
}

}  // namespace berth::sim
