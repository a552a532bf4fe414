// EtcdLeadership: leads as long as a key of etcd is its own. The key goes with a lease that must be
// renewed; the fence of a term is the revision at which the key was made, so that etcd itself
// refuses what a former leader writes. It must never call a term good for longer than the lease is
// certain: from before the last renewal that was answered was sent, by the monotonic clock.
//
// campaign() and resign() are one caller's; the others may be called by any thread. An object that
// goes away leaves its lease to run out; resign() first hands over at once.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "control/leadership.h"
#include "journal/etcd_client.h"
#include "journal/etcd_layout.h"

namespace berth::journal {

class EtcdLeadership final : public control::Leadership {
 public:
  struct Options {
    std::string address;  // where others reach this process; what they are told
    // Until others take over from a leader that is gone. etcd grants no less than one and a half
    // times its election timeout: 2 s by default.
    DurationMs ttl_ms = 3'000;
  };
  static Result<std::unique_ptr<EtcdLeadership>> open(EtcdSettings settings, std::string prefix,
                                                      Options options);
  ~EtcdLeadership() override;

  Result<std::optional<control::Term>> campaign(const std::stop_token& stop) override;
  bool holds() const override;
  std::optional<Error> wait_lost(const std::stop_token& stop) override;
  Status resign() override;
  Result<std::optional<control::Leader>> leader() const override;

 private:
  using Time = std::chrono::steady_clock::time_point;

  // One lease and what is known of it.
  struct Tenure {
    EtcdLease lease = 0;
    EtcdRevision created = 0;  // of the key
    std::chrono::milliseconds ttl{0};
    Time certain_until;
    std::optional<Error> lost;
  };

  EtcdLeadership(std::unique_ptr<EtcdClient> client, EtcdLayout layout, Options options);

  Result<std::optional<EtcdRevision>> take_key(EtcdLease lease) const;
  Status wait_for_change(EtcdRevision from, const std::stop_token& stop) const;
  Result<std::optional<control::Term>> try_once(const std::stop_token& stop);
  void keep(const std::stop_token& stop);
  Result<Time> renew(const Tenure& tenure) const;
  Error ran_out() const;
  void lose(Error why);

  std::unique_ptr<EtcdClient> client_;
  EtcdLayout layout_;
  Options options_;

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Tenure> tenure_;  // guarded; none: never elected, or resigned
  std::jthread keeper_;           // last, so that it ends first
};

}  // namespace berth::journal
