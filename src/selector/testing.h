// What tests of the selector language share: a device, values and trees as text.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>

#include "selector/ast.h"
#include "selector/device.h"
#include "selector/value.h"

namespace berth::selector::testing {

// A card as a DRA driver publishes it.
Device gpu();

// 5, 5u, 0.5, 'text', b'text', [1, 2], {'a': 1}, optional(1), none, quantity(40), 1.2.3-rc.1, int.
std::string to_text(const Value& value);

// The value of any expression as text, else the error's text behind "compile: " or "run: ".
std::string evaluate(std::string_view source, const Device& device);
std::string evaluate(std::string_view source);  // on gpu()

// The tree as an expression with every parenthesis, which is parsed to the same tree.
std::string to_source(const Ast& ast);

// Whether two trees are the same, wherever their nodes stand in the source.
bool is_same_tree(const Ast& a, const Ast& b);

// `result` is the text of the value; behind "compile: " or "run: " a part of the error.
struct Vector {
  std::string_view source;
  std::string_view result;
};
void expect_vectors(std::span<const Vector> vectors);

}  // namespace berth::selector::testing
