// The fleet that is asked: nodes of 8 cards; batch work may have 24 of 25 cards, the rest is a
// service's.
#pragma once

#include <cstddef>
#include <string>

namespace berth::bench::grant {

inline constexpr std::size_t kCardsPerNode = 8;

struct Size {
  std::size_t nodes = 5'000;    // a multiple of 25
  std::size_t queued = 20'000;  // batch jobs that wait
  std::size_t jobs = 1'000;     // that are measured

  std::size_t batch_nodes() const { return nodes - nodes / 25; }
};

// A fleet file's text, with the queues `batch` and `serving`.
std::string fleet_text(const Size& size);

}  // namespace berth::bench::grant
