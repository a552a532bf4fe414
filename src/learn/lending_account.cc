#include "learn/lending_account.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace berth::learn {
namespace {

// A tenant lends without reserve as long as it has waited clearly less than alone: each of its jobs
// counts as if it had waited this much longer, and that is held against 19/20 of the wait alone.
constexpr DurationMs kGrace = 1200 * kSecondMs;
constexpr std::int64_t kLendsOver = 20;
constexpr std::int64_t kLendsBelow = 19;
// It is behind from nine tenths of the wait alone on: what is expected of jobs that have not ended
// is wrong now and then, and who is at par has nothing to lose.
constexpr std::int64_t kBehindFrom = 9;
constexpr std::int64_t kBehindOf = 10;
// Jobs more than wait alone are expected to wait so long still.
constexpr DurationMs kAhead = 7 * 24 * kHourMs;
// A job is overdue so long after it would have started alone.
constexpr DurationMs kOverdueAfter = 20 * 24 * kHourMs;
constexpr std::size_t kMostOverdue = 64;

}  // namespace

void LendingAccount::declare(QueueIndex queue, std::uint32_t cards, std::uint32_t cards_per_node) {
  tenants_.emplace(queue, Tenant(PrivateCluster(cards, cards_per_node)));
}

void LendingAccount::submitted(QueueIndex queue, JobId job, TimeMs at, TaskCards tasks) {
  const auto it = tenants_.find(queue);
  std::erase(tasks, 0U);
  std::sort(tasks.rbegin(), tasks.rend());
  if (it == tenants_.end() || tasks.empty() || !it->second.idle.fits(tasks)) return;
  Tenant& tenant = it->second;
  pass(tenant, at);
  ++tenant.waiting;
  ++tenant.arrived;
  tenant.shadow.submitted(job, at, tasks);
  queues_.insert(job, queue);
}

void LendingAccount::started(JobId job, TimeMs at) {
  Tenant* tenant = tenant_of(job);
  if (tenant == nullptr) return;
  pass(*tenant, at);
  --tenant->waiting;
  tenant->shadow.started(job, at);
}

void LendingAccount::requeued(JobId job, TimeMs at) {
  Tenant* tenant = tenant_of(job);
  if (tenant == nullptr || !tenant->shadow.runs(job)) return;
  pass(*tenant, at);
  ++tenant->waiting;
  tenant->shadow.requeued(job);
}

void LendingAccount::ended(JobId job, TimeMs at) {
  Tenant* tenant = tenant_of(job);
  if (tenant == nullptr) return;
  pass(*tenant, at);
  if (!tenant->shadow.runs(job)) --tenant->waiting;
  tenant->shadow.ended(job, at);
  queues_.erase(job);
}

LendingAccount::Tenant* LendingAccount::tenant_of(JobId job) {
  const QueueIndex* queue = queues_.find(job);
  if (queue == nullptr) return nullptr;
  const auto it = tenants_.find(*queue);
  return it != tenants_.end() && it->second.shadow.knows(job) ? &it->second : nullptr;
}

void LendingAccount::pass(Tenant& tenant, TimeMs at) {
  tenant.waited += static_cast<std::int64_t>(tenant.waiting) * (at - tenant.at);
  tenant.at = at;
}

// Settled, and from there on what waits both really and in the projection: what the projection
// alone says may never come.
std::int64_t LendingAccount::alone(Tenant& tenant, TimeMs now) {
  auto& commons = tenant.commons;
  if (tenant.shadow.settled_at() >= now) {
    commons.assign(1, {now, tenant.common});
    return tenant.shadow.settled_wait();
  }
  if (commons.empty() || commons.back().at < now) commons.push_back({now, tenant.common});
  while (commons.size() > 1 && commons[1].at <= tenant.shadow.settled_at()) commons.pop_front();
  return tenant.shadow.settled_wait() + tenant.common - commons.front().waited;
}

QueueStanding LendingAccount::standing(Tenant& tenant, TimeMs now, const ExpectedRun& expected) {
  pass(tenant, now);
  tenant.common += static_cast<std::int64_t>(tenant.common_waiting) * (now - tenant.common_at);
  tenant.common_at = now;
  tenant.shadow.advance(now, expected);
  const PrivateShadow& shadow = tenant.shadow;
  tenant.common_waiting = std::min(tenant.waiting, shadow.waiting());
  const std::int64_t least = std::max(kSecondMs, alone(tenant, now));
  const std::int64_t more =
      tenant.waiting > shadow.waiting() ? tenant.waiting - shadow.waiting() : 0;
  QueueStanding result;
  result.is_behind = (tenant.waited + more * kAhead) * kBehindOf >
                     std::max(kSecondMs, shadow.projected_wait()) * kBehindFrom;
  const bool lends_all =
      (tenant.waited + kGrace * tenant.arrived) * kLendsOver <= least * kLendsBelow;
  if (!lends_all) {
    result.kept_nodes = shadow.free_nodes();
    result.kept_cards = shadow.free_cards();
  }
  return result;
}

Standings LendingAccount::standings(TimeMs now, const ExpectedRun& expected) {
  Standings all;
  std::vector<PrivateShadow::Late> late;
  for (auto& [queue, tenant] : tenants_) {
    QueueStanding one = standing(tenant, now, expected);
    one.queue = queue;
    if (one.is_behind || one.kept_cards > 0) all.queues.push_back(one);
    for (const PrivateShadow::Late& job : tenant.shadow.late()) {
      if (now - job.since > kOverdueAfter) late.push_back(job);
    }
  }
  std::sort(late.begin(), late.end(), [](const auto& a, const auto& b) {
    return a.since != b.since ? a.since < b.since : a.job < b.job;
  });
  if (late.size() > kMostOverdue) late.resize(kMostOverdue);
  for (const PrivateShadow::Late& job : late) all.overdue.push_back(job.job);
  return all;
}

}  // namespace berth::learn
