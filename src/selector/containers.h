// Lists, maps and the maps of a device, looked at alike.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/error.h"
#include "selector/scratch.h"
#include "selector/value.h"

namespace berth::selector {

// Bytes of a string, elements of a list or map; 1 for every other value.
std::size_t length_of(const Value& value);

// The element of a list at an index, or the value of a map under a key; nothing where there is
// none. An error where the container has no elements, or the index is no whole number.
Result<std::optional<Value>> find_in(const Value& container, const Value& key, Scratch& scratch);
// Why find_in found nothing, with what there is. To look for the nearest name is paid for; where
// the steps do not suffice, that is the error.
Error not_found(const Value& container, const Value& key, Scratch& scratch);

// Of any map. A device's map is made into one, which is paid for.
Result<const Map*> entries_of(const Value& map, Scratch& scratch);
// What a macro goes over: the elements of a list, the keys of a map.
Result<const List*> range_of(const Value& container, Scratch& scratch);

}  // namespace berth::selector
