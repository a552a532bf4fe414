#include "selector/ast_builder.h"

#include <algorithm>

#include "selector/source_text.h"

namespace berth::selector {

Result<NodeId> AstBuilder::add(const NodeShape& shape, std::span<const NodeId> children) {
  int height = 0;
  for (const NodeId child : children) height = std::max<int>(height, node(child).height);
  if (height >= kDeepestNesting) return too_deep(shape.offset);
  Node made;
  made.kind = shape.kind;
  made.form = shape.form;
  made.height = static_cast<std::uint16_t>(height + 1);
  made.offset = shape.offset;
  made.children = static_cast<std::uint32_t>(ast_.children.size());
  made.count = static_cast<std::uint32_t>(children.size());
  if (!shape.text.empty()) {
    made.text = static_cast<std::uint32_t>(ast_.texts.size());
    ast_.texts.emplace_back(shape.text);
  }
  // A copy first: `children` may be a part of the array that grows.
  const std::vector<NodeId> ids(children.begin(), children.end());
  ast_.children.insert(ast_.children.end(), ids.begin(), ids.end());
  ast_.nodes.push_back(made);
  return static_cast<NodeId>(ast_.nodes.size() - 1);
}

NodeId AstBuilder::add_literal(std::uint32_t offset, const Value& value) {
  Node made;
  made.offset = offset;
  made.ref = static_cast<std::uint32_t>(ast_.literals.size());
  ast_.literals.push_back(value);
  ast_.nodes.push_back(made);
  return static_cast<NodeId>(ast_.nodes.size() - 1);
}

tl::unexpected<Error> AstBuilder::too_deep(std::uint32_t offset) const {
  return fail(ErrorCode::kLimitExceeded, place_in(source_, offset) + ": nests too deep; at most " +
                                             std::to_string(kDeepestNesting) +
                                             " levels are accepted");
}

}  // namespace berth::selector
