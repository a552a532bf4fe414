// Device: what a selector sees of a device, as plain values.
//
// The shape of a device of Kubernetes DRA. Who offers devices fills it in; it knows nothing of
// Berth's own nouns and nothing of selectors.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "selector/quantity.h"
#include "selector/semver.h"

namespace berth::selector {

using AttributeScalar = std::variant<bool, std::int64_t, std::string, Semver>;
using Attribute =
    std::variant<bool, std::int64_t, std::string, Semver, std::vector<AttributeScalar>>;

using AttributesById = std::map<std::string, Attribute, std::less<>>;
using CapacityById = std::map<std::string, Quantity, std::less<>>;

struct Device {
  std::string driver;  // "gpu.nvidia.com"; the domain of names that have none
  std::map<std::string, AttributesById, std::less<>> attributes;  // by domain
  std::map<std::string, CapacityById, std::less<>> capacity;      // by domain
  bool allow_multiple_allocations = false;

  // `name` is "id", which belongs to the domain `driver` has now, or "domain/id".
  void set_attribute(std::string_view name, Attribute value);
  void set_capacity(std::string_view name, Quantity value);
};

}  // namespace berth::selector
