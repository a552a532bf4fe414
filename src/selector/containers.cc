#include "selector/containers.h"

#include <cmath>
#include <string>
#include <vector>

#include "base/nearest.h"
#include "selector/compare.h"
#include "selector/source_text.h"

namespace berth::selector {
namespace {

Value value_of(const AttributeScalar& scalar) {
  if (const auto* flag = std::get_if<bool>(&scalar)) return *flag;
  if (const auto* number = std::get_if<std::int64_t>(&scalar)) return *number;
  if (const auto* text = std::get_if<std::string>(&scalar)) return std::string_view(*text);
  return &std::get<Semver>(scalar);
}

Result<Value> value_of(const Attribute& attribute, Scratch& scratch) {
  if (const auto* flag = std::get_if<bool>(&attribute)) return *flag;
  if (const auto* number = std::get_if<std::int64_t>(&attribute)) return *number;
  if (const auto* text = std::get_if<std::string>(&attribute)) return std::string_view(*text);
  if (const auto* version = std::get_if<Semver>(&attribute)) return version;
  const auto& items = std::get<std::vector<AttributeScalar>>(attribute);
  if (auto paid = scratch.spend(items.size()); !paid) return tl::unexpected(paid.error());
  List list;
  list.items.reserve(items.size());
  for (const AttributeScalar& item : items) list.items.push_back(value_of(item));
  return scratch.keep(std::move(list));
}
Result<Value> value_of(const Quantity& quantity, Scratch&) { return quantity; }

// One domain of device.attributes or device.capacity.
template <typename Domain, typename Domains>
Value domain_of(const Domains& domains, std::string_view name) {
  const auto found = domains.find(name);
  if (found == domains.end()) return Domain{name, nullptr};
  return Domain{found->first, &found->second};
}

template <typename ById>
Result<std::optional<Value>> find_by_id(const ById* values, std::string_view id, Scratch& scratch) {
  if (values == nullptr) return std::nullopt;
  const auto found = values->find(id);
  if (found == values->end()) return std::nullopt;
  auto value = value_of(found->second, scratch);
  if (!value) return tl::unexpected(value.error());
  return *value;
}

template <typename ById>
Status add_entries(const ById* values, Map& map, Scratch& scratch) {
  if (values == nullptr) return {};
  for (const auto& [id, held] : *values) {
    auto value = value_of(held, scratch);
    if (!value) return tl::unexpected(value.error());
    map.entries.emplace_back(std::string_view(id), *value);
  }
  return {};
}

// Nothing where the number is not whole or not of 64 bits.
std::optional<std::int64_t> whole_number(const Value& value) {
  if (const auto* number = value.as<std::int64_t>()) return *number;
  if (const auto* number = value.as<std::uint64_t>()) {
    if (*number > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
    return static_cast<std::int64_t>(*number);
  }
  constexpr double kTwo53 = 9007199254740992.0;  // beyond it a double is no exact index
  const auto* number = value.as<double>();
  if (number == nullptr || !(std::fabs(*number) <= kTwo53) || std::floor(*number) != *number) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*number);
}

Result<std::optional<Value>> find_in_list(const List& list, const Value& key) {
  const std::optional<std::int64_t> index = whole_number(key);
  if (!index) {
    return invalid("a list has no element at a " + std::string(name_of(key.kind())) +
                   "; whole numbers from 0 are accepted");
  }
  if (*index < 0 || static_cast<std::uint64_t>(*index) >= list.items.size()) return std::nullopt;
  return list.items[static_cast<std::size_t>(*index)];
}

Result<std::optional<Value>> find_in_map(const Map& map, const Value& key, Scratch& scratch) {
  for (const auto& [known, value] : map.entries) {
    const auto same = equal(known, key, scratch);
    if (!same) return tl::unexpected(same.error());
    if (*same) return value;
  }
  return std::nullopt;
}

template <typename ById>
std::vector<std::string_view> ids_of(const ById* values) {
  std::vector<std::string_view> ids;
  if (values == nullptr) return ids;
  for (const auto& [id, value] : *values) ids.push_back(id);
  return ids;
}

std::string shown(const Value& key) {
  if (const auto* text = key.as<std::string_view>()) return quoted(*text);
  if (const auto* number = key.as<std::int64_t>()) return std::to_string(*number);
  if (const auto* number = key.as<std::uint64_t>()) return std::to_string(*number) + "u";
  return "of that value";
}

Error no_id(std::string_view what, std::string_view domain, const Value& key,
            const std::vector<std::string_view>& ids, Scratch& scratch) {
  const auto* text = key.as<std::string_view>();
  const std::string_view id = text == nullptr ? "" : *text;
  std::size_t letters = 0;
  for (const std::string_view known : ids) letters += known.size();
  // Each letter is held against each of the others.
  if (auto paid = scratch.spend_bytes(id.size() * letters); !paid) return paid.error();
  return {ErrorCode::kNotFound,
          "the device has no " + std::string(what) + " " + shown(key) + " in domain " +
              quoted(domain) + suggestion(id, ids),
          {},
          0};
}

}  // namespace

std::size_t length_of(const Value& value) {
  if (const auto* text = value.as<std::string_view>()) return text->size();
  if (const auto* bytes = value.as<Bytes>()) return bytes->bytes.size();
  if (const auto* list = value.as<const List*>()) return (*list)->items.size();
  if (const auto* map = value.as<const Map*>()) return (*map)->entries.size();
  if (const auto* domains = value.as<AttributeDomains>()) return domains->device->attributes.size();
  if (const auto* domains = value.as<CapacityDomains>()) return domains->device->capacity.size();
  if (const auto* domain = value.as<DomainAttributes>()) {
    return domain->values == nullptr ? 0 : domain->values->size();
  }
  if (const auto* domain = value.as<DomainCapacity>()) {
    return domain->values == nullptr ? 0 : domain->values->size();
  }
  return 1;
}

Result<std::optional<Value>> find_in(const Value& container, const Value& key, Scratch& scratch) {
  if (const auto* list = container.as<const List*>()) return find_in_list(**list, key);
  if (const auto* map = container.as<const Map*>()) return find_in_map(**map, key, scratch);
  const auto* id = key.as<std::string_view>();
  if (container.kind() == Kind::kMap && id == nullptr) return std::nullopt;
  if (const auto* domains = container.as<AttributeDomains>()) {
    return domain_of<DomainAttributes>(domains->device->attributes, *id);
  }
  if (const auto* domains = container.as<CapacityDomains>()) {
    return domain_of<DomainCapacity>(domains->device->capacity, *id);
  }
  if (const auto* domain = container.as<DomainAttributes>()) {
    return find_by_id(domain->values, *id, scratch);
  }
  if (const auto* domain = container.as<DomainCapacity>()) {
    return find_by_id(domain->values, *id, scratch);
  }
  return invalid("a " + std::string(name_of(container.kind())) +
                 " has no elements; lists and maps are accepted");
}

Error not_found(const Value& container, const Value& key, Scratch& scratch) {
  if (const auto* domain = container.as<DomainAttributes>()) {
    return no_id("attribute", domain->domain, key, ids_of(domain->values), scratch);
  }
  if (const auto* domain = container.as<DomainCapacity>()) {
    return no_id("capacity", domain->domain, key, ids_of(domain->values), scratch);
  }
  if (const auto* list = container.as<const List*>()) {
    return {ErrorCode::kNotFound,
            "the list has no element " + shown(key) + "; it has " +
                std::to_string((*list)->items.size()),
            {},
            0};
  }
  const bool device = container.kind() == Kind::kDevice;
  return {ErrorCode::kNotFound,
          std::string(device ? "the device has no field " : "the map has no key ") + shown(key),
          {},
          0};
}

Result<const Map*> entries_of(const Value& map, Scratch& scratch) {
  if (const auto* plain = map.as<const Map*>()) return *plain;
  if (auto paid = scratch.spend(length_of(map)); !paid) return tl::unexpected(paid.error());
  Map made;
  Status added;
  if (const auto* domains = map.as<AttributeDomains>()) {
    for (const auto& [name, values] : domains->device->attributes) {
      made.entries.emplace_back(std::string_view(name), DomainAttributes{name, &values});
    }
  } else if (const auto* capacities = map.as<CapacityDomains>()) {
    for (const auto& [name, values] : capacities->device->capacity) {
      made.entries.emplace_back(std::string_view(name), DomainCapacity{name, &values});
    }
  } else if (const auto* domain = map.as<DomainAttributes>()) {
    added = add_entries(domain->values, made, scratch);
  } else {
    added = add_entries(map.get<DomainCapacity>().values, made, scratch);
  }
  if (!added) return tl::unexpected(added.error());
  return scratch.keep(std::move(made));
}

Result<const List*> range_of(const Value& container, Scratch& scratch) {
  if (const auto* list = container.as<const List*>()) return *list;
  if (container.kind() != Kind::kMap) {
    return invalid("cannot go over a " + std::string(name_of(container.kind())) +
                   "; lists and maps are accepted");
  }
  const auto entries = entries_of(container, scratch);
  if (!entries) return tl::unexpected(entries.error());
  if (auto paid = scratch.spend(length_of(container)); !paid) return tl::unexpected(paid.error());
  List keys;
  for (const auto& [key, value] : (*entries)->entries) keys.items.push_back(key);
  return scratch.keep(std::move(keys));
}

}  // namespace berth::selector
