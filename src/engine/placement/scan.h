// ScanMethod: asks a table of named scores about every slot. Plain and complete; the reference that
// the indexed method must agree with, and the home of baselines such as best-fit.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "engine/placement/placer.h"

namespace berth::engine {

// A named score of one choice; less is better.
class Score {
 public:
  virtual ~Score() = default;
  virtual std::string_view name() const = 0;
  virtual std::int64_t of(const ClusterState& state, const Slot& slot, const Shape& shape,
                          const CardChoice& choice) const = 0;
};

// Null when there is no such score.
const Score* find_score(std::string_view name);

class ScanMethod final : public PlacementMethod {
 public:
  explicit ScanMethod(const PolicySpec& policy);
  std::optional<Candidate> find(const ClusterState& state, ShapeIndex shape) override;
  Prices quote(const ClusterState& state) override;

 private:
  struct Weighted {
    const Score* score = nullptr;
    std::int64_t weight = 1;
  };
  std::vector<Weighted> scores_;
};

// The first node by name of the slot that has host memory and other countables for the shape.
NodeIndex first_with_room(const ClusterState& state, const Slot& slot, const Shape& shape);
// Partition and CPU: what a slot must have besides its cards.
bool slot_admits(const ClusterState& state, const Slot& slot, const Shape& shape);

}  // namespace berth::engine
