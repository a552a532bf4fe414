// Orders and grants in one line. Tests only.
#pragma once

#include <string>
#include <vector>

#include "agent/core/lease_book.h"

namespace berth::agent::testing {

inline LeaseKey key(std::uint64_t lease, std::uint64_t epoch = 1) {
  return {LeaseId(lease), epoch};
}

inline CardGrants cards(std::uint16_t card, CardUnits compute = kCard) {
  CardGrant grant;
  grant.card = card;
  grant.mode = compute == kCard ? CardMode::kWhole : CardMode::kTimeslice;
  grant.compute = compute;
  CardGrants grants;
  grants.push_back(grant);
  return grants;
}

inline Grant grant(std::uint64_t lease, std::uint16_t card, std::uint64_t epoch = 1) {
  Grant made;
  made.key = key(lease, epoch);
  made.term = 1;
  made.job = JobId(lease);
  made.cards = cards(card);
  return made;
}

inline Order order(OrderBody body, std::uint64_t term = 1) { return {term, std::move(body)}; }
inline Order revoke(std::uint64_t lease, ReclaimGrade grade, std::optional<DurationMs> grace_ms) {
  return order(RevokeOrder{key(lease), grade, grace_ms, 0, {}});
}

// "prepare 1", "kill 2", "report prepared 1", "refused 3: ...", in the order of the outcome.
inline std::vector<std::string> text_of(const Outcome& outcome) {
  static const char* const kKinds[] = {"prepare", "start",   "resume",     "move", "let go",
                                       "stop",    "suspend", "checkpoint", "kill"};
  static const char* const kReports[] = {"prepared", "prepare failed", "ended",
                                         "released", "suspended",      "checkpoint",
                                         "activity", "layout",         "refused"};
  std::vector<std::string> lines;
  for (const TaskAction& action : outcome.tasks) {
    lines.push_back(std::string(kKinds[static_cast<std::size_t>(action.kind)]) + " " +
                    std::to_string(action.key.lease.value()));
  }
  for (const LayoutOrder& layout : outcome.layouts) {
    lines.push_back("layout " + std::to_string(layout.number));
  }
  for (const Report& report : outcome.reports) {
    std::string line = "report " + std::string(kReports[report.body.index()]);
    if (const auto* ended = std::get_if<ReportEnded>(&report.body)) {
      line += " " + std::string(word(ended->reason));
    }
    const LeaseKey of = key_of(report.body);
    if (!of.lease.is_none()) line += " " + std::to_string(of.lease.value());
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace berth::agent::testing
