// The fields of the variable `device`: the one table of them.
#pragma once

#include <span>
#include <string_view>

#include "selector/type.h"
#include "selector/value.h"

namespace berth::selector {

struct DeviceField {
  std::string_view name;
  Type type;
  Value (*value)(const Device&);
};

const DeviceField* find_device_field(std::string_view name);
std::span<const std::string_view> device_field_names();

}  // namespace berth::selector
