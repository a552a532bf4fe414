// Value: what an expression evaluates to, for the time of one evaluation.
//
// Values own nothing: texts, lists and maps lie in the program, in the device or in the scratch
// memory of the evaluation, so that a value is cheap to copy and is never kept.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "selector/device.h"
#include "selector/type.h"

namespace berth::selector {

struct List;
struct Map;
struct Value;

struct Null {};
struct Bytes {
  std::string_view bytes;
};
struct Optional {
  const Value* content = nullptr;  // null: none
};
struct TypeValue {
  Kind kind = Kind::kDyn;
};
struct DeviceValue {
  const Device* device = nullptr;
};
// device.attributes and device.capacity: maps from domain to the maps below. An unknown domain is
// an empty map, as in Kubernetes.
struct AttributeDomains {
  const Device* device = nullptr;
};
struct CapacityDomains {
  const Device* device = nullptr;
};
struct DomainAttributes {
  std::string_view domain;
  const AttributesById* values = nullptr;  // null: empty
};
struct DomainCapacity {
  std::string_view domain;
  const CapacityById* values = nullptr;  // null: empty
};

template <typename T, typename Variant>
inline constexpr bool kIsAlternative = false;
template <typename T, typename... Alternatives>
inline constexpr bool kIsAlternative<T, std::variant<Alternatives...>> =
    (std::is_same_v<T, Alternatives> || ...);

struct Value {
  using Variant = std::variant<Null, bool, std::int64_t, std::uint64_t, double, std::string_view,
                               Bytes, const List*, const Map*, Optional, Quantity, const Semver*,
                               TypeValue, DeviceValue, AttributeDomains, CapacityDomains,
                               DomainAttributes, DomainCapacity>;
  Variant held;

  Value() = default;
  template <typename T>
    requires kIsAlternative<T, Variant>
  Value(T content) : held(std::in_place_type<T>, content) {}  // NOLINT: exactly that alternative

  template <typename T>
  const T* as() const {
    return std::get_if<T>(&held);
  }
  // The caller knows the kind: a signature said so.
  template <typename T>
  const T& get() const {
    return std::get<T>(held);
  }
  Kind kind() const;
};

struct List {
  std::vector<Value> items;
};
// In the order in which the source gives them; keys are told apart by `equal`.
struct Map {
  std::vector<std::pair<Value, Value>> entries;
};

}  // namespace berth::selector
