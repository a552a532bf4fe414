// Equality and order of values, as CEL defines them across kinds.
#pragma once

#include <compare>
#include <string>

#include "base/error.h"
#include "selector/scratch.h"
#include "selector/value.h"

namespace berth::selector {

// Numbers by their value, whatever their kinds; lists and maps by their contents; values of other
// kinds that differ are not equal. Spends steps for what it reads.
Result<bool> equal(const Value& a, const Value& b, Scratch& scratch);

// Of two numbers, exactly: no conversion rounds. Unordered where one is NaN.
std::partial_ordering compare_numbers(const Value& a, const Value& b);

}  // namespace berth::selector
