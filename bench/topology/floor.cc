#include "bench/topology/floor.h"

namespace berth::bench::topology {

void HostSet::insert(HostIndex host) {
  words_[host / 64] |= std::uint64_t{1} << (host % 64);
  ++size_;
}

void HostSet::erase(HostIndex host) {
  words_[host / 64] &= ~(std::uint64_t{1} << (host % 64));
  --size_;
}

HostIndex HostSet::at(std::size_t n) const {
  std::size_t w = 0;
  for (;; ++w) {
    const auto here = static_cast<std::size_t>(std::popcount(words_[w]));
    if (n < here) break;
    n -= here;
  }
  std::uint64_t word = words_[w];
  for (; n > 0; --n) word &= word - 1;
  return static_cast<HostIndex>(w * 64 + static_cast<std::size_t>(std::countr_zero(word)));
}

Floor::Floor(const Fabric& fabric)
    : fabric_(fabric),
      free_(fabric.hosts(), kCardsPerHost),
      by_free_(kCardsPerHost + 1, HostSet(fabric.hosts())),
      whole_in_(fabric.leaves(), 0) {
  for (HostIndex host = 0; host < fabric.hosts(); ++host) {
    by_free_[kCardsPerHost].insert(host);
    ++whole_in_[fabric.leaf_of(host)];
  }
}

bool Floor::has_part(int cards) const {
  for (int free = cards; free < kCardsPerHost; ++free) {
    if (with_free(free).size() > 0) return true;
  }
  return false;
}

void Floor::change(HostIndex host, int cards) {
  int& free = free_[host];
  if (free == kCardsPerHost) --whole_in_[fabric_.leaf_of(host)];
  by_free_[static_cast<std::size_t>(free)].erase(host);
  free += cards;
  by_free_[static_cast<std::size_t>(free)].insert(host);
  if (free == kCardsPerHost) ++whole_in_[fabric_.leaf_of(host)];
}

}  // namespace berth::bench::topology
