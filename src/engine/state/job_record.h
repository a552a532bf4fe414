// What the state knows of a job that has not ended, and of a spec.
#pragma once

#include <boost/container/small_vector.hpp>
#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "engine/quota/card_time.h"
#include "engine/reserve/run_time_book.h"
#include "engine/state/ask_table.h"
#include "model/job.h"
#include "model/lease.h"
#include "model/rejection.h"

namespace berth::engine {

// Where a spec belongs: settled when a job of it is submitted, whatever is declared later.
struct SpecHome {
  QueueIndex queue;
  PartitionIndex partition;
  TrustDomainIndex trust_domain;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.queue, self.partition, self.trust_domain);
  }
};

// A spec with what is derived from it once. Specs are interned by content.
struct SpecRecord {
  JobSpecPtr spec;
  SpecHome home;
  std::vector<ShapeIndex> shapes;  // per role
  AskIndex ask;
  KindIndex kind;                // whose run times it shares
  std::uint32_t tasks = 0;       // of all roles
  std::uint64_t cards = 0;       // devices of all tasks
  std::uint32_t references = 0;  // live jobs of this spec
  std::string bytes;             // canonical; the key of interning
};

// That a job had to give its cards back though it could have gone on; until it goes on.
struct Stop {
  TimeMs at = kNever;                   // when it was off them; kNever: it is not stopped
  EndReason reason = EndReason::kLost;  // of what happened to it last
  ReceiptId receipt;                    // that takes it; none: it is not taken back for another

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.at, self.reason, self.receipt);
  }
};

struct JobRecord {
  JobId id;
  std::string name;
  SpecIndex spec;
  JobPhase phase = JobPhase::kPending;
  bool user_held = false;
  EndReason ending = EndReason::kSucceeded;  // while kReleasing: how it will end
  bool requeue = false;                      // while kReleasing: goes back to Pending
  bool formed = false;                       // has started with its group once
  std::uint32_t attempts = 0;
  std::uint32_t prepared = 0;        // leases past the barrier's first half
  std::vector<std::uint32_t> ended;  // tasks that ended well, by role
  TimeMs submitted_at = 0;
  TimeMs started_at = kNever;
  Stop stop;
  TimeMs backoff_until = 0;
  TimeMs deferred_since = kNever;  // it could start and waits for a place in fewer domains
  DurationMs deferred_ms = 0;      // it did so before
  CardTime attained;               // of the leases that it has given back, since they started
  // Of the last hold, with the numbers of that time; null: not yet considered.
  RejectionsPtr reasons;
  boost::container::small_vector<LeaseId, 1> leases;
  // Leases of its last reclaim that wait for their room; not among `leases`.
  boost::container::small_vector<LeaseId, 1> promises;
  ReceiptId receipt;              // that made them; none: there are none
  std::vector<TimeMs> evictions;  // by reclaims within kEvictionWindowMs of the last, rising
  DurationMs saved_ms = 0;        // of its run, in its last checkpoint
  DurationMs base_ms = 0;         // saved_ms when it last started
  TimeMs checkpoint_at = kNever;  // of the last checkpoint since it started; kNever: none is known
  std::uint32_t holder_at = 0;    // its place among those of its queue that hold leases; derived
  // Roles below their minimum, and until when they are repaired.
  std::vector<std::pair<std::uint16_t, TimeMs>> repairs;
  // The lowest domain whose countable resources it holds; empty: it holds none.
  std::string domain_level;
  std::string domain_name;

  // How long it has waited for a better place while it could have started.
  DurationMs deferred_for(TimeMs now) const {
    return deferred_ms + (deferred_since == kNever ? 0 : now - deferred_since);
  }
  // Since when it waits: a job that was stopped does so anew.
  TimeMs waits_since() const { return stop.at == kNever ? submitted_at : stop.at; }
  // When it would have started if it had never been interrupted; it must run.
  TimeMs running_since() const { return started_at - base_ms; }
  std::uint32_t ended_in(std::size_t role) const { return role < ended.size() ? ended[role] : 0; }
};

// What the lease has served its job until `now`, by compute.
inline CardTime card_time(const Lease& lease, TimeMs now) {
  CardTime time;
  if (lease.started_at == kNever) return time;
  for (const CardGrant& grant : lease.placement.grants) {
    time.add(grant.compute, now - lease.started_at);
  }
  return time;
}

// What a job that runs has of each role, and what it lacks.
struct RoleTasks {
  std::vector<std::uint32_t> held;     // numbers of its tasks with a lease, rising
  std::vector<std::uint32_t> missing;  // numbers for the tasks that it lacks, rising
  std::uint32_t least_missing = 0;     // of them, so many must come together to reach the minimum
};

}  // namespace berth::engine
