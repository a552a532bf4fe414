// ShapeTable: every distinct thing that placement can be asked for, once. Two tasks of one shape
// can stand for each other in every decision about where they go.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/lookup_map.h"
#include "engine/state/selector_table.h"
#include "model/job.h"
#include "model/words.h"

namespace berth::engine {

struct Shape {
  TaskRequest request;
  CardMode share_mode = CardMode::kMps;  // how its shares run; normalised to kWhole without shares
  TrustDomainIndex domain;               // none unless it shares cards by software
  PartitionIndex partition;
  std::vector<SelectorIndex> selectors;  // of its requests, rising; they follow from the request

  // Sum over all device requests.
  std::uint32_t device_count() const;
  bool shares_by_software() const;
};

class ShapeTable {
 public:
  // Index of the shape, new or known.
  ShapeIndex intern(Shape shape);
  const Shape& at(ShapeIndex index) const { return shapes_[index.value()]; }
  std::size_t size() const { return shapes_.size(); }

 private:
  std::vector<Shape> shapes_;
  NameMap<ShapeIndex> by_bytes_;  // canonical bytes -> index
};

}  // namespace berth::engine
