// What a server and the agent of a node say to each other, as plain values; src/wire has their
// form on the wire, and proto/berth/agent/v1/agent.proto says what each field means.
//
// Nothing here names a point in time of the other side: a duration is counted from when it is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "model/command.h"
#include "model/fleet.h"
#include "model/job.h"
#include "model/lease.h"
#include "model/words.h"

namespace berth::agent {

inline constexpr std::uint32_t kProtocolVersion = 1;
// At most so many leases on one node: 64 cards with 16 clients each.
inline constexpr std::size_t kLeasesPerNodeLimit = 1024;
inline constexpr std::size_t kTokenLimit = 4096;  // bytes
inline constexpr std::size_t kReasonLimit = 256;  // bytes that a state keeps of a reason

enum class TaskState : std::uint8_t {
  kPreparing,
  kPrepared,
  kRunning,
  kLeaving,  // revoked; its devices are not free yet
  kSuspended,
  kEnded  // gone; the report that says so is unacknowledged
};

// One grant of a lease.
struct LeaseKey {
  LeaseId lease;
  std::uint64_t epoch = 0;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.lease, self.epoch);
  }
  friend auto operator<=>(const LeaseKey&, const LeaseKey&) = default;
};

struct HeldLease {
  LeaseKey key;
  std::uint64_t term = 0;
  TaskState state = TaskState::kPreparing;
  friend bool operator==(const HeldLease&, const HeldLease&) = default;
};

struct Join {
  std::uint32_t protocol = kProtocolVersion;
  std::string token;
  std::string instance;    // of the agent's memory; its reports' numbers are counted in it
  std::uint64_t term = 0;  // the highest seen
  NodeSpec node;
  std::vector<HeldLease> leases;
  friend bool operator==(const Join&, const Join&) = default;
};

struct Welcome {
  std::uint64_t term = 0;
  DurationMs heartbeat_ms = 0;
  DurationMs lost_after_ms = 0;
  friend bool operator==(const Welcome&, const Welcome&) = default;
};

struct Heartbeat {
  std::uint64_t number = 0;
  friend bool operator==(const Heartbeat&, const Heartbeat&) = default;
};

struct Acknowledged {
  std::uint64_t number = 0;  // and all before it
  friend bool operator==(const Acknowledged&, const Acknowledged&) = default;
};

// What a task is, as far as its node needs to know.
struct TaskSpec {
  JobClass job_class = JobClass::kTraining;
  std::string role;
  std::uint32_t tasks = 1;
  std::uint32_t min_tasks = 1;
  std::vector<Container> containers;  // of `devices` only the count is told
  CheckpointSpec checkpoint;
  std::optional<DurationMs> run_time_ms;
  DurationMs start_timeout_ms = 0;
  DurationMs at_most_once_ms = 0;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.job_class, self.role, self.tasks, self.min_tasks, self.containers, self.checkpoint,
          self.run_time_ms, self.start_timeout_ms, self.at_most_once_ms);
  }
  friend bool operator==(const TaskSpec&, const TaskSpec&) = default;
};

struct Grant {
  LeaseKey key;
  std::uint64_t term = 0;  // that granted it
  JobId job;
  std::uint16_t role = 0;
  std::uint32_t task = 0;
  std::string node;  // whose cards they are; empty: of the node that is told
  CardGrants cards;
  TaskSpec spec;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.key, self.term, self.job, self.role, self.task, self.node, self.cards, self.spec);
  }
  friend bool operator==(const Grant&, const Grant&) = default;
};

struct PrepareOrder {
  Grant grant;
  friend bool operator==(const PrepareOrder&, const PrepareOrder&) = default;
};
struct StartOrder {
  LeaseKey key;
  friend bool operator==(const StartOrder&, const StartOrder&) = default;
};
struct ResumeOrder {
  LeaseKey key;
  CardGrants cards;
  friend bool operator==(const ResumeOrder&, const ResumeOrder&) = default;
};
struct MoveOrder {
  Grant grant;
  std::string from;  // node; empty: it is here
  friend bool operator==(const MoveOrder&, const MoveOrder&) = default;
};
struct LeaveOrder {
  LeaseKey key;
  friend bool operator==(const LeaveOrder&, const LeaveOrder&) = default;
};
struct RevokeOrder {
  LeaseKey key;
  ReclaimGrade grade = ReclaimGrade::kKill;
  std::optional<DurationMs> grace_ms;
  Mib image_mib = 0;
  ReceiptId receipt;
  friend bool operator==(const RevokeOrder&, const RevokeOrder&) = default;
};
struct LayoutOrder {
  std::uint64_t number = 0;
  std::uint16_t card = 0;
  std::vector<MigInstanceSpec> wanted;
  std::vector<MigInstanceSpec> standing;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.number, self.card, self.wanted, self.standing);
  }
  friend bool operator==(const LayoutOrder&, const LayoutOrder&) = default;
};

using OrderBody = std::variant<PrepareOrder, StartOrder, ResumeOrder, MoveOrder, LeaveOrder,
                               RevokeOrder, LayoutOrder>;
// What the order is about; of a layout no lease.
inline LeaseKey key_of(const OrderBody& body) {
  return std::visit(
      [](const auto& order) -> LeaseKey {
        if constexpr (requires { order.key; }) {
          return order.key;
        } else if constexpr (requires { order.grant; }) {
          return order.grant.key;
        } else {
          return {};
        }
      },
      body);
}
struct Order {
  std::uint64_t term = 0;  // of the server that sends it
  OrderBody body;
  friend bool operator==(const Order&, const Order&) = default;
};

// An order that was not followed.
struct OrderRefused {
  LeaseKey key;
  std::string reason;
};

// The commands that they become; a layout's node is left empty, the session tells it.
using ReportBody =
    std::variant<ReportPrepared, ReportPrepareFailed, ReportEnded, ReportReleased, ReportSuspended,
                 ReportCheckpoint, ReportActivity, ReportLayout, OrderRefused>;
struct Report {
  std::uint64_t number = 0;  // 0: not kept until it is acknowledged
  ReportBody body;
};

using FromAgent = std::variant<Join, Report, Heartbeat>;
using FromServer = std::variant<Welcome, Order, Acknowledged, Heartbeat>;

}  // namespace berth::agent

namespace berth {

BERTH_WORDS(agent::TaskState, "preparing", "prepared", "running", "leaving", "suspended", "ended");

}  // namespace berth
