// LeaseBook: what a node knows of its leases. It takes the orders of a server, what the runner has
// observed and the time, and says what the runner is to do and what the server is to be told.
//
// It holds each grant of a lease (lease, epoch) to one life: prepared, started, gone. What comes
// twice changes nothing, whatever is lost is answered when it is asked again, and no two leases
// hold one part of a card. It follows no server whose term is older than one that it has seen, and
// carries out no grant of another node's cards.
//
// Pure: it knows no clock, process, file or socket. All times are of the caller's one clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/core/card_use.h"
#include "agent/core/messages.h"
#include "agent/core/report_log.h"
#include "base/error.h"

namespace berth::agent {

// What a runner does for a task. kStop: ask it to end; kCheckpoint: ask it to save and end;
// kLetGo: it goes on elsewhere, nothing of it stays here.
enum class ActionKind : std::uint8_t {
  kPrepare,
  kStart,
  kResume,
  kMove,
  kLetGo,
  kStop,
  kSuspend,
  kCheckpoint,
  kKill
};

struct TaskAction {
  ActionKind kind = ActionKind::kKill;
  LeaseKey key;
  // Of one that takes it off its cards.
  ReclaimGrade grade = ReclaimGrade::kKill;
  TimeMs deadline = kNever;
  friend bool operator==(const TaskAction&, const TaskAction&) = default;
};

struct Outcome {
  std::vector<TaskAction> tasks;     // for the runner, in this order
  std::vector<LayoutOrder> layouts;  // the same
  std::vector<Report> reports;       // for the server

  void append(Outcome other);
};

// A grant that the node holds.
struct HeldTask {
  Grant grant;
  TaskState state = TaskState::kPreparing;
  ReclaimGrade grade = ReclaimGrade::kIdle;  // of its revocation
  TimeMs deadline = kNever;                  // the same
  Mib image_mib = 0;
  ReceiptId receipt;
  bool was_killed = false;
  bool was_given_up = false;  // by the node itself: nobody has revoked it

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit(self.grant, self.state, self.grade, self.deadline, self.image_mib, self.receipt,
          self.was_killed, self.was_given_up);
  }
};

class LeaseBook {
 public:
  // So many ended grants are remembered, so that a late order for one of them starts nothing.
  static constexpr std::size_t kEndedKept = 4096;

  // The node, and how many cards it has, as it tells a server when it joins; until then grants of
  // any are carried out. Not saved: who starts again looks again.
  void set_node(std::string name, std::size_t cards) {
    node_ = std::move(name);
    cards_ = cards;
  }

  // From the server. A session of an older term is refused.
  Status welcome(const Welcome& welcome);
  Outcome order(const Order& order, TimeMs now);
  void acknowledge(std::uint64_t number) { log_.acknowledge(number); }
  // The server has heard something that was sent at `sent_at`.
  void contact(TimeMs sent_at);

  // From the runner; what does not fit the state of the lease is late and changes nothing.
  Outcome prepared(LeaseKey key);
  Outcome prepare_failed(LeaseKey key, const std::string& reason);
  Outcome ended(LeaseKey key, EndReason reason);                  // by itself, or it is lost
  Outcome released(LeaseKey key, const std::string& checkpoint);  // because it was to go
  Outcome suspended(LeaseKey key);
  Outcome checkpoint(LeaseKey key, const std::string& id);
  Outcome activity(LeaseKey key, Ppm busy_ppm);
  Outcome layout_read(ReportLayout report);

  // Deadlines that have passed: of revocations, and of tasks that must not outlive the contact.
  Outcome tick(TimeMs now);
  TimeMs next_due() const;

  // For the next session.
  std::uint64_t term() const { return term_; }
  std::vector<HeldLease> held() const;
  std::vector<Report> unacknowledged() const { return log_.waiting(); }

  const HeldTask* find(LeaseId lease) const;
  const std::map<LeaseId, HeldTask>& tasks() const { return tasks_; }

  // For a restart of the agent.
  std::string save() const;
  static Result<LeaseBook> load(std::string_view bytes);

 private:
  struct Layout {
    LayoutOrder order;
    bool is_done = false;
    std::vector<MigInstanceSpec> found;
    std::string error;

    template <typename Self, typename Visitor>
    static void fields(Self& self, Visitor&& visit) {
      visit(self.order, self.is_done, self.found, self.error);
    }
  };

  Outcome follow(const PrepareOrder& order, TimeMs now);
  Outcome follow(const StartOrder& order, TimeMs now);
  Outcome follow(const ResumeOrder& order, TimeMs now);
  Outcome follow(const MoveOrder& order, TimeMs now);
  Outcome follow(const LeaveOrder& order, TimeMs now);
  Outcome follow(const RevokeOrder& order, TimeMs now);
  Outcome follow(const LayoutOrder& order, TimeMs now);

  HeldTask* find(LeaseKey key);
  bool has_ended(LeaseKey key) const;
  // An order for a grant that is not held: it is answered as its end, unless that is on its way.
  Outcome answer_gone(LeaseKey key, ReportBody body);
  Outcome hold(const Grant& grant, TaskState state, ActionKind action);
  Outcome end(LeaseKey key, ReportBody body);
  Outcome tell(ReportBody body);
  Outcome kill(HeldTask& task);
  std::optional<std::string> obstacle(const Grant& grant) const;
  // Why the lease may not have the cards; nothing: it may.
  std::optional<std::string> refusal(LeaseId lease, const CardGrants& cards) const;
  std::optional<std::string> refusal(const Grant& grant) const;
  std::optional<LeaseId> conflict(LeaseId but, const CardGrants& cards) const;
  void remember_end(LeaseKey key);

  std::string node_;  // empty: not told
  std::size_t cards_ = SIZE_MAX;
  std::uint64_t term_ = 0;
  TimeMs contact_at_ = kNever;  // kNever: there was none yet
  std::map<LeaseId, HeldTask> tasks_;
  std::map<LeaseId, std::uint64_t> ended_;   // the highest epoch of each
  std::deque<LeaseKey> ended_order_;         // oldest first
  std::map<std::uint16_t, Layout> layouts_;  // by card: the last ask
  ReportLog log_;
};

}  // namespace berth::agent
