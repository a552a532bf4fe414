#include "journal/etcd_leadership.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "journal/stoppable_pause.h"

namespace berth::journal {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Of the lease's time, so that one renewal may fail and the next comes in time.
constexpr int kRenewalsPerTtl = 3;
constexpr milliseconds kPause{50};  // after a call that failed

control::Term term_of(EtcdRevision created) {
  const auto number = static_cast<std::uint64_t>(created);
  return {number, number};
}

bool may_pass(const Error& error) { return error.code == ErrorCode::kUnavailable; }

}  // namespace

Result<std::unique_ptr<EtcdLeadership>> EtcdLeadership::open(EtcdSettings settings,
                                                             std::string prefix, Options options) {
  if (options.address.empty()) {
    return invalid("is empty; others must be told where to reach the leader", "address");
  }
  if (options.ttl_ms < kSecondMs) {
    return invalid("is " + std::to_string(options.ttl_ms) + " ms; 1000 ms or more are accepted",
                   "ttl_ms");
  }
  auto layout = EtcdLayout::under(std::move(prefix));
  if (!layout) return tl::unexpected(layout.error());
  settings.patience_ms = options.ttl_ms / kRenewalsPerTtl;
  // A member that stands still costs less than the time between two renewals.
  settings.attempt_ms = std::min(settings.attempt_ms, settings.patience_ms / 2);
  auto client = EtcdClient::open(settings);
  if (!client) return tl::unexpected(client.error());
  return std::unique_ptr<EtcdLeadership>(
      new EtcdLeadership(std::move(*client), std::move(*layout), std::move(options)));
}

EtcdLeadership::EtcdLeadership(std::unique_ptr<EtcdClient> client, EtcdLayout layout,
                               Options options)
    : client_(std::move(client)), layout_(std::move(layout)), options_(std::move(options)) {}

EtcdLeadership::~EtcdLeadership() = default;

Result<std::optional<control::Term>> EtcdLeadership::campaign(const std::stop_token& stop) {
  BERTH_CHECK(!holds());
  keeper_ = {};
  while (!stop.stop_requested()) {
    auto elected = try_once(stop);
    if (elected && *elected) return elected;
    if (elected) continue;
    if (!may_pass(elected.error())) return elected;
    pause_for(kPause, stop);
  }
  return std::nullopt;
}

// None: another one leads, or has led until now.
Result<std::optional<control::Term>> EtcdLeadership::try_once(const std::stop_token& stop) {
  const auto holder = client_->range({layout_.leader(), {}});
  if (!holder) return tl::unexpected(holder.error());
  if (!holder->entries.empty()) {
    if (auto s = wait_for_change(holder->revision + 1, stop); !s) return tl::unexpected(s.error());
    return std::nullopt;
  }
  const auto asked = Clock::now();
  const auto grant = client_->grant(options_.ttl_ms);
  if (!grant) return tl::unexpected(grant.error());
  const auto created = take_key(grant->lease);
  if (!created || !*created) {
    static_cast<void>(client_->revoke(grant->lease));  // or it runs out
    if (!created) return tl::unexpected(created.error());
    return std::nullopt;
  }
  const milliseconds ttl(grant->ttl_ms);
  {
    const std::lock_guard lock(mutex_);
    tenure_ = Tenure{grant->lease, **created, ttl, asked + ttl, std::nullopt};
  }
  keeper_ = std::jthread([this](const std::stop_token& end) { keep(end); });
  return term_of(**created);
}

// When the key came to be, if it is ours; the lease says so where an attempt got no answer.
Result<std::optional<EtcdRevision>> EtcdLeadership::take_key(EtcdLease lease) const {
  EtcdTransaction transaction;
  transaction.when = {{EtcdCondition::Of::kCreated, layout_.leader(), 0}};
  transaction.puts = {{layout_.leader(), options_.address, lease}};
  transaction.otherwise_read = {layout_.leader()};
  const auto outcome = client_->transact(transaction);
  if (!outcome) return tl::unexpected(outcome.error());
  if (outcome->kind == EtcdOutcome::Kind::kDone) return outcome->revision;
  const auto& holder = outcome->read.front();
  if (holder && holder->lease == lease) return holder->created;
  return std::nullopt;
}

// Of the leader's key. Ends after the time of a lease at the latest, so that a watch that has
// fallen silent is no more than slow.
Status EtcdLeadership::wait_for_change(EtcdRevision from, const std::stop_token& stop) const {
  const auto watch = client_->watch(layout_.leader(), {}, from);
  const std::stop_callback cancel(stop, [&] { watch->cancel(); });
  const auto news = watch->next(options_.ttl_ms);
  if (news || news.error().code == ErrorCode::kNotFound) return {};  // compacted: read it again
  return tl::unexpected(news.error());
}

void EtcdLeadership::keep(const std::stop_token& stop) {
  milliseconds wait(0);
  for (;;) {
    std::unique_lock lock(mutex_);
    const Tenure tenure = *tenure_;
    if (wait == milliseconds(0)) wait = tenure.ttl / kRenewalsPerTtl;
    changed_.wait_for(lock, stop, wait, [] { return false; });
    if (stop.stop_requested() || tenure_->lost) return;
    lock.unlock();
    const auto certain_until = renew(tenure);
    lock.lock();
    const auto now = Clock::now();
    if (!certain_until && !may_pass(certain_until.error())) return lose(certain_until.error());
    if (now >= tenure_->certain_until) return lose(ran_out());
    wait = certain_until ? milliseconds(0) : kPause;
    if (certain_until) tenure_->certain_until = *certain_until;
  }
}

// Until when the lease and its key are certain by now.
Result<EtcdLeadership::Time> EtcdLeadership::renew(const Tenure& tenure) const {
  const auto asked = Clock::now();
  const auto left = client_->keep_alive(tenure.lease);
  if (!left && left.error().code == ErrorCode::kNotFound) return tl::unexpected(ran_out());
  if (!left) return tl::unexpected(left.error());
  const auto key = client_->get(layout_.leader());
  if (!key) return tl::unexpected(key.error());
  if (*key && (*key)->created == tenure.created) return asked + milliseconds(*left);
  return fail(ErrorCode::kConflict, "the key " + layout_.leader() +
                                        " in etcd was taken away from this process; " +
                                        (*key ? (*key)->value + " leads" : "nobody leads"));
}

Error EtcdLeadership::ran_out() const {
  return {ErrorCode::kConflict,
          "this process does not lead any more: etcd did not renew its lease of " +
              std::to_string(options_.ttl_ms) + " ms in time",
          {},
          0};
}

// Under the lock; the first reason stays.
void EtcdLeadership::lose(Error why) {
  if (!tenure_->lost) tenure_->lost = std::move(why);
  changed_.notify_all();
}

bool EtcdLeadership::holds() const {
  const std::lock_guard lock(mutex_);
  return tenure_ && !tenure_->lost && Clock::now() < tenure_->certain_until;
}

std::optional<Error> EtcdLeadership::wait_lost(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (!tenure_) return Error{ErrorCode::kConflict, "this process was not elected", {}, 0};
  while (!tenure_->lost) {
    if (Clock::now() >= tenure_->certain_until) {
      lose(ran_out());
      break;
    }
    if (stop.stop_requested()) return std::nullopt;
    const Time until = tenure_->certain_until;  // it moves on while this waits
    changed_.wait_until(lock, stop, until, [&] { return tenure_->lost.has_value(); });
  }
  return tenure_->lost;
}

Status EtcdLeadership::resign() {
  keeper_ = {};
  std::unique_lock lock(mutex_);
  if (!tenure_) return {};
  lose({ErrorCode::kConflict, "this process has resigned", {}, 0});
  const EtcdLease lease = tenure_->lease;
  lock.unlock();
  Status revoked = client_->revoke(lease);
  if (!revoked && revoked.error().code == ErrorCode::kNotFound) return {};  // it has run out
  return revoked;
}

Result<std::optional<control::Leader>> EtcdLeadership::leader() const {
  auto key = client_->get(layout_.leader());
  if (!key) return tl::unexpected(key.error());
  if (!*key) return std::nullopt;
  return control::Leader{std::move((*key)->value), term_of((*key)->created).number};
}

}  // namespace berth::journal
