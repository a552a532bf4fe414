// Reads a selector's source into a tree. Names are not resolved here.
#pragma once

#include <string_view>

#include "base/error.h"
#include "selector/ast.h"

namespace berth::selector {

// Errors say where; what is too long or nests too deep is ErrorCode::kLimitExceeded.
Result<Ast> parse(std::string_view source);

}  // namespace berth::selector
