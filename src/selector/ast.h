// Ast: an expression as a tree, and the literals in it.
//
// Nodes are numbers into one array, children come before their parents. The parser makes it, the
// checker resolves its names in place (`ref`), the evaluator only reads it.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "selector/value.h"

namespace berth::selector {

// Kubernetes' limit of a selector's length (resource/v1 CELSelectorExpressionMaxLength).
inline constexpr std::size_t kLongestSource = 10 * 1024;  // bytes
// Levels of an expression, and of parentheses around one: the depth of every recursion here. As in
// cel-go (its default recursion limit of the parser).
inline constexpr int kDeepestNesting = 250;

using NodeId = std::uint32_t;

enum class NodeKind : std::uint8_t {
  kLiteral,  // ref: of Ast::literals
  kName,     // text; the checker makes one of the next two, or a literal of it
  kLocal,    // ref: place among the variables in scope, the outermost is 0
  kDevice,   //
  kField,    // text: the field; children: operand
  kHas,      // text: the field; children: operand
  kIndex,    // children: operand, key
  kCall,     // text: the function; children: receiver if any, arguments; ref: of Program::calls
  kList,     // children: elements
  kMap,      // children: key, value, key, value, ...
  kOptionalElement,  // only in lists and, as value, in maps; children: the optional
  kAnd,              // children: two or more
  kOr,               // children: two or more
  kConditional,      // children: condition, then, else
  kFold,             // text: the variable; children: range, [condition of kMap,] body
  kBind,             // text: the variable; children: its value, body
  kOrElse,           // optional.orValue(x), optional.or(x): x is evaluated only where it is needed
};

enum class Form : std::uint8_t {
  kPlain,
  kOptional,  // kField, kIndex: `.?a`, `[?a]`
  // kCall
  kGlobal,
  kMember,
  kOperator,
  // kFold
  kAll,
  kExists,
  kExistsOne,
  kFilter,
  kMap,
  kOptMap,
  kOptFlatMap,
  // kOrElse
  kOrValue,
  kOrOptional,
};

struct Node {
  NodeKind kind = NodeKind::kLiteral;
  Form form = Form::kPlain;
  std::uint16_t height = 1;    // levels from here down, at most kDeepestNesting
  std::uint32_t offset = 0;    // into the source, for messages
  std::uint32_t children = 0;  // first of them in Ast::children
  std::uint32_t count = 0;     // of children
  std::uint32_t text = 0;      // of Ast::texts
  std::uint32_t ref = 0;
};

struct Ast {
  std::vector<Node> nodes;
  std::vector<NodeId> children;
  std::vector<std::string> texts{""};  // the first is that of nodes without one
  std::vector<Value> literals;
  // What literals refer to. A deque: its elements stay where they are.
  std::deque<std::string> literal_texts;
  std::deque<Semver> literal_versions;
  NodeId root = 0;

  std::span<const NodeId> children_of(const Node& node) const {
    return {children.data() + node.children, node.count};
  }
  const std::string& text_of(const Node& node) const { return texts[node.text]; }
};

}  // namespace berth::selector
