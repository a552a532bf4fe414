// Program: a checked expression, ready to be evaluated any number of times, by several threads too.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "selector/ast.h"
#include "selector/functions.h"

namespace berth::selector {

// What a node of kind kCall calls.
struct Callee {
  std::span<const Overload> overloads;      // chosen from by the kinds of the arguments
  std::unique_ptr<const re2::RE2> pattern;  // of matches() where it is a literal, else null
};

struct Program {
  std::string source;
  Ast ast;
  std::vector<Callee> calls;  // by Node::ref
};

}  // namespace berth::selector
