// ScriptedExecutor: carries out leases as a scenario says. In automatic mode every task is prepared
// and every revoked lease given back as soon as the executor is asked for its reports; in manual
// mode both wait for the script. It keeps what its nodes hold, so it outlives a restart of the
// controller, and it executes a lease to the letter or refuses it as a whole.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "control/ports.h"
#include "model/command.h"

namespace berth::sim {

class ScriptedExecutor final : public control::Executor {
 public:
  enum class Mode : std::uint8_t { kAutomatic, kManual };
  enum class Work : std::uint8_t { kPrepare, kRevoke, kSuspend };
  // What a task waits for: to be prepared, or to be given back.
  struct Task {
    Work work = Work::kPrepare;
    LeaseId lease;
    std::uint64_t epoch = 0;
    JobId job;
    std::uint32_t index = 0;
    NodeIndex node;
    std::vector<std::uint16_t> cards;
  };
  using NodeView = std::function<std::pair<std::string, NodeCondition>(NodeIndex)>;
  using Matches = std::function<bool(const Task&)>;

  void prepare(const Lease& lease, const JobSpec& spec) override;
  void start(const Lease& lease, const JobSpec& spec) override;
  void revoke(const Lease& lease, ReclaimGrade grade) override;
  void change_layout(const control::LayoutAsk& ask) override;

  void set_mode(Mode mode) { mode_ = mode; }
  Mode mode() const { return mode_; }
  // The device is gone from the node, and only the node knows.
  void break_card(const std::string& node, std::uint16_t card) { broken_.insert({node, card}); }
  void mend_card(const std::string& node, std::uint16_t card) { broken_.erase({node, card}); }

  // In automatic mode: the answer of the oldest task whose node can be reached. Nothing when all
  // is done; in manual mode always nothing.
  std::optional<Command> next_report(const NodeView& view);

  // Takes the waiting tasks of one kind that match, oldest first.
  std::vector<Task> take(Work work, const Matches& matches);
  // Takes the ask for the layout of a card that waits, if one does.
  std::optional<control::LayoutAsk> take_layout(NodeIndex node, std::uint16_t card);
  // What the node says of it: that all is as asked, or, of a broken card, as it was.
  Command answer(const control::LayoutAsk& ask, const NodeView& view) const;
  // The task is gone; nobody answers for it any more.
  void forget(LeaseId lease);
  // What a node says to the task: prepared, or why not; given back.
  Command answer(const Task& task, const NodeView& view) const;

 private:
  void add(Work work, const Lease& lease);
  std::optional<Command> next_layout_report(const NodeView& view);

  Mode mode_ = Mode::kAutomatic;
  std::vector<Task> waiting_;
  std::vector<control::LayoutAsk> layouts_;  // that wait; one a card
  std::set<std::pair<std::string, std::uint16_t>> broken_;
};

}  // namespace berth::sim
