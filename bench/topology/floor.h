// Floor: the free cards of every host, as the baselines look at them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "bench/topology/fabric.h"

namespace berth::bench::topology {

// Hosts in ascending order.
class HostSet {
 public:
  explicit HostSet(std::size_t hosts) : words_((hosts + 63) / 64) {}

  void insert(HostIndex host);
  void erase(HostIndex host);
  std::size_t size() const { return size_; }
  bool contains(HostIndex host) const { return (words_[host / 64] >> (host % 64) & 1) != 0; }
  // The nth of them, from 0; n < size().
  HostIndex at(std::size_t n) const;

  template <typename Visit>
  void each(const Visit& visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t word = words_[w]; word != 0; word &= word - 1) {
        visit(static_cast<HostIndex>(w * 64 + static_cast<std::size_t>(std::countr_zero(word))));
      }
    }
  }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t size_ = 0;
};

class Floor {
 public:
  explicit Floor(const Fabric& fabric);

  const Fabric& fabric() const { return fabric_; }
  int free(HostIndex host) const { return free_[host]; }
  const HostSet& with_free(int cards) const { return by_free_[static_cast<std::size_t>(cards)]; }
  const HostSet& whole() const { return with_free(kCardsPerHost); }
  std::size_t whole_in(LeafIndex leaf) const { return whole_in_[leaf]; }
  // Some host with free cards, but not all of them, that has at least so many.
  bool has_part(int cards) const;

  void take(HostIndex host, int cards) { change(host, -cards); }
  void give(HostIndex host, int cards) { change(host, cards); }

 private:
  void change(HostIndex host, int cards);

  const Fabric& fabric_;
  std::vector<int> free_;
  std::vector<HostSet> by_free_;
  std::vector<std::size_t> whole_in_;  // by leaf
};

}  // namespace berth::bench::topology
