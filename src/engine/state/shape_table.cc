#include "engine/state/shape_table.h"

#include <algorithm>

#include "model/serial.h"

namespace berth::engine {
namespace {

std::string bytes_of(const Shape& shape) {
  ByteWriter out;
  serial::write(out, shape.request);
  serial::write(out, shape.share_mode);
  out.id(shape.domain);
  out.id(shape.partition);
  return out.take();
}

}  // namespace

std::uint32_t Shape::device_count() const {
  std::uint32_t count = 0;
  for (const DeviceRequest& r : request.devices) count += r.count;
  return count;
}

bool Shape::shares_by_software() const {
  return std::any_of(request.devices.begin(), request.devices.end(),
                     [](const DeviceRequest& r) { return r.kind == ShareKind::kShare; });
}

ShapeIndex ShapeTable::intern(Shape shape) {
  if (!shape.shares_by_software()) {
    shape.share_mode = CardMode::kWhole;
    shape.domain = TrustDomainIndex::none();
  }
  std::string bytes = bytes_of(shape);
  if (const ShapeIndex* known = by_bytes_.find(bytes)) return *known;
  const ShapeIndex index(static_cast<std::uint32_t>(shapes_.size()));
  shapes_.push_back(std::move(shape));
  by_bytes_.insert(std::move(bytes), index);
  return index;
}

}  // namespace berth::engine
