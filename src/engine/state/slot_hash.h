// SlotHash: finds the slot of a state by the state's hash. Open addressing, one 8-byte cell a slot;
// it can be asked but not walked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace berth::engine {

class SlotHash {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  // The slot of this hash for which `same(slot)` holds; kNone when there is none.
  template <typename Same>
  std::uint32_t find(std::uint64_t hash, const Same& same) const {
    if (cells_.empty()) return kNone;
    const auto tag = static_cast<std::uint32_t>(hash);
    for (std::size_t at = tag & mask(); cells_[at].slot != kNone; at = (at + 1) & mask()) {
      if (cells_[at].tag == tag && same(cells_[at].slot)) return cells_[at].slot;
    }
    return kNone;
  }

  // The slot must be absent.
  void insert(std::uint64_t hash, std::uint32_t slot) {
    if (2 * (used_ + 1) > cells_.size()) grow();
    place({static_cast<std::uint32_t>(hash), slot});
    ++used_;
  }

  // The slot must be present.
  void erase(std::uint64_t hash, std::uint32_t slot) {
    std::size_t hole = static_cast<std::uint32_t>(hash) & mask();
    while (cells_[hole].slot != slot) hole = (hole + 1) & mask();
    // move later cells of the run back, unless that would put them before their home
    for (std::size_t at = (hole + 1) & mask(); cells_[at].slot != kNone; at = (at + 1) & mask()) {
      const std::size_t from_home = (at - cells_[at].tag) & mask();
      if (from_home < ((at - hole) & mask())) continue;
      cells_[hole] = cells_[at];
      hole = at;
    }
    cells_[hole] = Cell{};
    --used_;
  }

 private:
  struct Cell {
    std::uint32_t tag = 0;
    std::uint32_t slot = kNone;
  };
  std::size_t mask() const { return cells_.size() - 1; }

  void place(Cell cell) {
    std::size_t at = cell.tag & mask();
    while (cells_[at].slot != kNone) at = (at + 1) & mask();
    cells_[at] = cell;
  }

  void grow() {
    std::vector<Cell> old = std::exchange(cells_, {});
    cells_.resize(old.empty() ? 1024 : 2 * old.size());
    for (const Cell& cell : old) {
      if (cell.slot != kNone) place(cell);
    }
  }

  std::vector<Cell> cells_;  // a power of two
  std::size_t used_ = 0;
};

}  // namespace berth::engine
