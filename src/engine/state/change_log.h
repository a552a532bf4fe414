// ChangeLog: what changed, in order, repeats included, for readers that each go on from their own
// position. Old entries are dropped; whoever is behind them must start over.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace berth::engine {

template <typename Id>
class ChangeLog {
 public:
  // Keeps at least the last `most` entries.
  void push(Id id, std::size_t most) {
    entries_.push_back(id);
    if (entries_.size() <= 2 * most) return;
    const std::size_t dropped = entries_.size() - most;
    entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(dropped));
    start_ += dropped;
  }

  // Drops the entries from a position on, which no reader has gone beyond.
  void forget_from(std::uint64_t position) {
    const std::uint64_t kept = position > start_ ? position - start_ : 0;
    if (kept < entries_.size()) entries_.resize(static_cast<std::size_t>(kept));
  }

  // Positions only grow; `start` is the oldest one still kept.
  std::uint64_t start() const { return start_; }
  std::uint64_t end() const { return start_ + entries_.size(); }
  std::span<const Id> from(std::uint64_t position) const {
    return std::span(entries_).subspan(static_cast<std::size_t>(position - start_));
  }

 private:
  std::vector<Id> entries_;
  std::uint64_t start_ = 0;
};

}  // namespace berth::engine
