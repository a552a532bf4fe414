// LendingAccount: what tenants have waited in the shared fleet against what they would have waited
// alone (PrivateShadow), and what follows for lending: whose jobs go first, and how much of what a
// tenant would have free alone the others had better leave alone.
//
// Nothing goes by a tenant's name or by what is still to come. Kept outside the engine; what it
// says enters there as an event. It is a function of what it was told, so a controller that reads
// its whole journal has the same account; one that starts from less begins a new one.
#pragma once

#include <cstdint>
#include <deque>
#include <map>

#include "learn/private_shadow.h"
#include "model/standing.h"

namespace berth::learn {

class LendingAccount {
 public:
  // A tenant that is not known, with a guarantee of so many cards.
  void declare(QueueIndex queue, std::uint32_t cards, std::uint32_t cards_per_node);
  // The next account of the tenant is a new one: what it is guaranteed has changed.
  void forget(QueueIndex queue) { tenants_.erase(queue); }
  bool knows(QueueIndex queue) const { return tenants_.contains(queue); }

  // What happened, in the order of time. Jobs that are not known are none of the account's: those
  // from before it began, and those that would not fit their tenant's guarantee.
  void submitted(QueueIndex queue, JobId job, TimeMs at, TaskCards tasks);
  void started(JobId job, TimeMs at);
  void requeued(JobId job, TimeMs at);
  void ended(JobId job, TimeMs at);

  Standings standings(TimeMs now, const ExpectedRun& expected);

 private:
  // Waiting that is common to the fleet and the projection, up to a time.
  struct Common {
    TimeMs at = 0;
    std::int64_t waited = 0;
  };
  struct Tenant {
    explicit Tenant(const PrivateCluster& empty) : shadow(empty), idle(empty) {}

    PrivateShadow shadow;
    PrivateCluster idle;      // nothing runs on it
    std::int64_t waited = 0;  // job-ms, really, up to `at`
    std::uint32_t waiting = 0;
    std::int64_t arrived = 0;
    TimeMs at = 0;
    // Since the settled replay stands still: the least of both lines, integrated.
    std::int64_t common = 0;
    std::uint32_t common_waiting = 0;
    TimeMs common_at = 0;
    std::deque<Common> commons;
  };

  static void pass(Tenant& tenant, TimeMs at);
  // What the tenant has waited alone at least, as far as that can be told.
  static std::int64_t alone(Tenant& tenant, TimeMs now);
  static QueueStanding standing(Tenant& tenant, TimeMs now, const ExpectedRun& expected);
  Tenant* tenant_of(JobId job);

  std::map<QueueIndex, Tenant> tenants_;
  LookupMap<JobId, QueueIndex> queues_;  // of jobs that have not ended
};

}  // namespace berth::learn
