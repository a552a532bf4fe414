// Policies: which policy holds where: one everywhere, and others on trial in single partitions.
// Owns: these, and the one before, to which an operator may go back. Must never judge a policy.
//
// A trial is about what is planned in its partition: whose turn it is, where work is placed, for
// whom room is kept and what is taken back. Prices, past usage, learning and time limits of starts
// are those of the policy that holds everywhere.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "base/bytes.h"
#include "base/ids.h"
#include "model/event.h"

namespace berth::engine {

class Policies {
 public:
  using Ptr = std::shared_ptr<const PolicySpec>;

  Policies() = default;
  ~Policies() = default;
  // A copy of a state is in nobody's scope.
  Policies(const Policies& other) { *this = other; }
  Policies& operator=(const Policies& other) {
    everywhere_ = other.everywhere_;
    before_ = other.before_;
    trials_ = other.trials_;
    is_set_ = other.is_set_;
    shown_ = everywhere_.get();
    return *this;
  }

  // As seen by whoever looks: that of the partition in scope, else the one everywhere.
  const PolicySpec& shown() const { return *shown_; }
  const Ptr& everywhere() const { return everywhere_; }
  const Ptr& before() const { return before_; }  // null: there was none
  // By partition; none: nodes that are in no partition.
  const std::map<PartitionIndex, Ptr>& trials() const { return trials_; }
  const Ptr& in(PartitionIndex partition) const {
    const auto trial = trials_.find(partition);
    return trial == trials_.end() ? everywhere_ : trial->second;
  }

  void on(const PolicySet& e) {
    if (e.on_trial) {
      trials_.insert_or_assign(e.partition, e.policy);
      return;
    }
    before_ = is_set_ ? everywhere_ : nullptr;
    is_set_ = true;
    everywhere_ = e.policy;
    shown_ = everywhere_.get();
    trials_.clear();
  }
  void on(const TrialEnded& e) { trials_.erase(e.partition); }
  void save(ByteWriter& out) const;
  void load(ByteReader& in);
  bool all_of(bool (*test)(const PolicySpec&)) const;

 private:
  friend class PolicyScope;

  Ptr everywhere_ = std::make_shared<const PolicySpec>();
  Ptr before_;
  std::map<PartitionIndex, Ptr> trials_;
  bool is_set_ = false;  // by a command; else it is the built-in one
  // One of them. Rules ask for it all the time; it is no part of the state.
  mutable const PolicySpec* shown_ = everywhere_.get();
};

// While it lives, the policy that holds in the partition is the one that the state shows, and the
// state's policies must not change. Scopes may nest.
class PolicyScope {
 public:
  PolicyScope(const Policies& policies, PartitionIndex partition)
      : policies_(policies), outer_(policies.shown_) {
    if (!policies.trials_.empty()) policies.shown_ = policies.in(partition).get();
  }
  ~PolicyScope() { policies_.shown_ = outer_; }
  PolicyScope(const PolicyScope&) = delete;
  PolicyScope& operator=(const PolicyScope&) = delete;

 private:
  const Policies& policies_;
  const PolicySpec* outer_;
};

}  // namespace berth::engine
