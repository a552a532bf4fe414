// DenseSet: a set of strong ids that are small numbers. Insert, erase and test in O(1); its order
// depends on the history and means nothing.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace berth {

template <typename Id>
class DenseSet {
 public:
  void insert(Id id) {
    if (place_.size() <= id.value()) place_.resize(id.value() + 1, kAbsent);
    if (place_[id.value()] != kAbsent) return;
    place_[id.value()] = static_cast<std::uint32_t>(items_.size());
    items_.push_back(id);
  }
  void erase(Id id) {
    if (!contains(id)) return;
    const std::uint32_t hole = place_[id.value()];
    items_[hole] = items_.back();
    place_[items_[hole].value()] = hole;
    items_.pop_back();
    place_[id.value()] = kAbsent;
  }
  bool contains(Id id) const { return id.value() < place_.size() && place_[id.value()] != kAbsent; }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  std::span<const Id> items() const { return items_; }

 private:
  static constexpr std::uint32_t kAbsent = std::numeric_limits<std::uint32_t>::max();

  std::vector<Id> items_;
  std::vector<std::uint32_t> place_;  // of each id in items_
};

}  // namespace berth
