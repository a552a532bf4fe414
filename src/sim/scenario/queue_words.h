// What a line says of a queue. A queue that is declared again keeps what the line does not say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/fleet.h"
#include "sim/scenario/arguments.h"

namespace berth::sim {

// limit=8, lend=none or nothing at all.
struct LimitWord {
  bool is_said = false;
  std::optional<CardUnits> cards;  // none: "none"
};

struct QuotaWords {
  std::string model;
  std::string partition;
  std::optional<CardUnits> guarantee;
  std::optional<std::uint32_t> weight;
  LimitWord limit;
  LimitWord lend;

  bool say_amount() const { return guarantee || limit.is_said || lend.is_said; }
};

struct QueueWords {
  std::string name;
  std::string parent;  // empty: not said, like the other texts
  std::string trust_domain;
  std::optional<std::int32_t> priority;
  std::optional<std::uint32_t> weight;
  std::vector<QuotaWords> quotas;
  std::vector<ClassLimit> class_limits;
  std::optional<QueueOrder> order;
  std::optional<MicroMoney> budget;
  std::optional<BudgetAction> when_spent;

  // The queue as it is from now on; `before` is as it was, or a new one.
  QueueSpec said_of(QueueSpec before) const;
};

QueueWords read_queue_words(Arguments& arguments);

}  // namespace berth::sim
