#include "selector/device_fields.h"

#include <algorithm>
#include <array>

namespace berth::selector {
namespace {

Value driver(const Device& device) { return std::string_view(device.driver); }
Value attributes(const Device& device) { return AttributeDomains{&device}; }
Value capacity(const Device& device) { return CapacityDomains{&device}; }
Value allow_multiple_allocations(const Device& device) { return device.allow_multiple_allocations; }

constexpr std::array<DeviceField, 4> kFields = {{
    {"driver", Kind::kString, driver},
    {"attributes", Type(Kind::kMap, Type(Kind::kMap)), attributes},
    {"capacity", Type(Kind::kMap, Type(Kind::kMap, Kind::kQuantity)), capacity},
    {"allowMultipleAllocations", Kind::kBool, allow_multiple_allocations},
}};
constexpr std::array<std::string_view, 4> kNames = {kFields[0].name, kFields[1].name,
                                                    kFields[2].name, kFields[3].name};

}  // namespace

const DeviceField* find_device_field(std::string_view name) {
  const auto found = std::find_if(kFields.begin(), kFields.end(),
                                  [&](const DeviceField& field) { return field.name == name; });
  return found == kFields.end() ? nullptr : &*found;
}

std::span<const std::string_view> device_field_names() { return kNames; }

}  // namespace berth::selector
