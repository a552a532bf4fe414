// What the state knows of a job that has not ended, of a queue, and of a spec.
#pragma once

#include <boost/container/small_vector.hpp>
#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "model/fleet.h"
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
  std::uint32_t tasks = 0;         // of all roles
  std::uint32_t references = 0;    // live jobs of this spec
  std::string bytes;               // canonical; the key of interning
};

struct JobRecord {
  JobId id;
  std::string name;
  SpecIndex spec;
  JobPhase phase = JobPhase::kPending;
  bool user_held = false;
  EndReason ending = EndReason::kSucceeded;  // while kReleasing: how it will end
  bool requeue = false;                      // while kReleasing: goes back to Pending
  std::uint32_t attempts = 0;
  std::uint32_t prepared = 0;  // leases past the barrier's first half
  std::uint32_t ended = 0;     // tasks that ended well
  TimeMs submitted_at = 0;
  TimeMs started_at = kNever;
  TimeMs backoff_until = 0;
  // Of the last hold, with the numbers of that time; null: not yet considered.
  RejectionsPtr reasons;
  boost::container::small_vector<LeaseId, 1> leases;
};

// Order of pending jobs: class, priority (highest first), then the order of submission.
struct PendingKey {
  JobClass job_class = JobClass::kTraining;
  std::int32_t negative_priority = 0;
  JobId job;

  friend auto operator<=>(const PendingKey&, const PendingKey&) = default;
};

struct FlavourUsage {
  ModelIndex model;
  PartitionIndex partition;
  Charge charge;

  friend bool operator==(const FlavourUsage&, const FlavourUsage&) = default;
};

struct QueueRecord {
  std::shared_ptr<const QueueSpec> spec;
  QueueIndex parent;
  TrustDomainIndex trust_domain;
  std::vector<FlavourUsage> usage;  // own leases and those of all queues below, sorted
};

}  // namespace berth::engine
