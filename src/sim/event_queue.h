// EventQueue: what will happen in virtual time, earliest first; things of one instant come in the
// order in which they were scheduled, so that a run is repeatable.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/units.h"

namespace berth::sim {

template <typename Item>
class EventQueue {
 public:
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  TimeMs next_at() const { return heap_.empty() ? kNever : heap_.front().at; }

  void push(TimeMs at, Item item) {
    heap_.push_back({at, next_sequence_++, std::move(item)});
    std::push_heap(heap_.begin(), heap_.end(), Later());
  }

  // The queue must not be empty.
  Item pop() {
    BERTH_CHECK(!heap_.empty());
    std::pop_heap(heap_.begin(), heap_.end(), Later());
    Item item = std::move(heap_.back().item);
    heap_.pop_back();
    return item;
  }

 private:
  struct Entry {
    TimeMs at = 0;
    std::uint64_t sequence = 0;
    Item item;
  };
  struct Later {
    bool operator()(const Entry& a, const Entry& b) const {
      return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
    }
  };

  std::vector<Entry> heap_;
  std::uint64_t next_sequence_ = 0;
};

}  // namespace berth::sim
