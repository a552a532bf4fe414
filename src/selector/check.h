// Turns a parsed expression into a program: resolves names, finds functions, compiles literal
// patterns, reads literal quantities and versions, and refuses what can be known to fail.
//
// Types are inferred as far as they are known; what is not known is left to the evaluation.
#pragma once

#include <string_view>

#include "base/error.h"
#include "selector/program.h"
#include "selector/type.h"

namespace berth::selector {

struct Checked {
  Program program;
  Type type;  // of the result; kDyn where it is not known
};

Result<Checked> check(std::string_view source, Ast ast);

}  // namespace berth::selector
