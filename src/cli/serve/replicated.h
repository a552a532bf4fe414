// Replicated: one of several servers over etcd. It follows the journal until it is elected, leads
// until it is not, and follows again.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "cli/serve/following.h"
#include "cli/serve/leading.h"
#include "journal/etcd_client.h"
#include "journal/etcd_leadership.h"

namespace berth::cli {

struct ReplicatedOptions {
  journal::EtcdSettings etcd;
  std::string prefix = "/berth/default";
  std::string address;     // URL where others reach this server's API
  std::string servers_ca;  // path of the CA of their certificates; empty: the system's
  DurationMs ttl_ms = 3'000;
};

class Replicated {
 public:
  // Builds what leads, for a journal and a term; called on its thread.
  using Lead = std::function<Result<std::unique_ptr<Leading>>(
      control::Journal&, control::Snapshots&, std::uint64_t term,
      std::function<void(const Error&)> failed)>;
  // Tells the server what leads now; null: nothing does, before it is taken down.
  using Switch = std::function<void(Leading*)>;

  static Result<std::unique_ptr<Replicated>> start(ReplicatedOptions options,
                                                   server::Replica& replica, Lead lead,
                                                   Switch on_switch);
  ~Replicated();

  bool leads() const { return leads_; }
  // How old at most a read here is; 0 while it leads; none: it has not caught up yet.
  std::optional<DurationMs> staleness() const;
  // Where the leader's API is; none: nobody leads.
  std::optional<std::string> leader() const;

 private:
  Replicated(ReplicatedOptions options, server::Replica& replica, Lead lead, Switch on_switch);
  void run(const std::stop_token& stop);
  std::optional<control::Term> wait_for_term(const std::stop_token& stop);
  bool lead(const control::Term& term, const std::stop_token& stop);
  void give_room_back() const;

  ReplicatedOptions options_;
  server::Replica& replica_;
  Lead lead_;
  Switch on_switch_;
  std::unique_ptr<control::JournalFeed> feed_;
  std::unique_ptr<journal::EtcdLeadership> leadership_;
  std::atomic<bool> leads_ = false;

  mutable std::mutex mutex_;
  std::unique_ptr<Following> following_;  // guarded

  mutable std::mutex leader_mutex_;  // held while etcd is asked
  mutable std::optional<std::string> leader_;
  mutable std::chrono::steady_clock::time_point looked_at_;

  std::jthread thread_;  // last: it ends first
};

}  // namespace berth::cli
