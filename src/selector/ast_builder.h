// AstBuilder: makes the nodes of an Ast and holds them to the limit of nesting.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "selector/ast.h"

namespace berth::selector {

// What a node is, apart from its children.
struct NodeShape {
  NodeKind kind = NodeKind::kLiteral;
  Form form = Form::kPlain;
  std::uint32_t offset = 0;
  std::string_view text = {};
};

class AstBuilder {
 public:
  // The source is for messages only.
  explicit AstBuilder(std::string_view source) : source_(source) {}

  Result<NodeId> add(const NodeShape& shape, std::span<const NodeId> children);
  Result<NodeId> add(const NodeShape& shape, std::initializer_list<NodeId> children) {
    return add(shape, std::span(children.begin(), children.size()));
  }
  NodeId add_literal(std::uint32_t offset, const Value& value);
  std::string_view keep(std::string text) {
    return ast_.literal_texts.emplace_back(std::move(text));
  }

  const Node& node(NodeId id) const { return ast_.nodes[id]; }
  const std::string& text_of(NodeId id) const { return ast_.text_of(node(id)); }
  std::span<const NodeId> children_of(NodeId id) const { return ast_.children_of(node(id)); }

  Ast finish(NodeId root) {
    ast_.root = root;
    return std::move(ast_);
  }

  tl::unexpected<Error> too_deep(std::uint32_t offset) const;

 private:
  std::string_view source_;
  Ast ast_;
};

}  // namespace berth::selector
