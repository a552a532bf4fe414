// Admission: may a queue hold so much more? Within its guarantee always; above it by borrowing, as
// far as limits, budgets and what others keep back allow. Where the devices are is placement's
// question.
#pragma once

#include <optional>

#include "engine/quota/quota_tree.h"
#include "model/policy.h"
#include "model/rejection.h"

namespace berth::engine {

// What a job asks of the quota in one flavour.
struct QuotaAsk {
  QueueIndex queue;
  JobClass job_class = JobClass::kTraining;
  FlavourIndex flavour;
  Charge charge;              // of all tasks that start together
  bool is_protected = false;  // must fit inside the guarantee
};

struct Admission {
  LeaseOwnership ownership = LeaseOwnership::kOwned;
  std::optional<Rejection> refusal;  // the rule of the lowest queue that says no
  // Of a refusal: as long as nothing is eased in this queue it stays. None: it may end by itself,
  // with time or by what other queues do.
  QueueIndex refused_by = {};
};

// Names of flavours and prices for messages and budgets.
class QuotaNames {
 public:
  virtual ~QuotaNames() = default;
  virtual std::string flavour_name(const Flavour& flavour) const = 0;
  virtual MicroMoney price_per_gpu_hour(const Flavour& flavour) const = 0;
};

Admission admit(const QuotaTree& tree, const QuotaNames& names, const QuotaAsk& ask, TimeMs now);

// Whether the queue's own jobs, with `more`, stay within what the queue is guaranteed.
bool within_guarantee(const QuotaTree& tree, QueueIndex queue, FlavourIndex flavour,
                      const Charge& more);

// Whether the queue's own budget is spent and does more than warn.
bool budget_is_spent(const QuotaTree& tree, const QuotaNames& names, QueueIndex queue, TimeMs now);

// What the queue and all below it have spent in the month of `now`.
MicroMoney spent_in_month(const QuotaTree& tree, const QuotaNames& names, QueueIndex queue,
                          TimeMs now);

}  // namespace berth::engine
