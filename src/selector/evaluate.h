// Evaluates a program on a device.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "selector/program.h"
#include "selector/scratch.h"
#include "selector/value.h"

namespace berth::selector {

// One evaluation. The program, the device and this object outlive the values that it gives.
class Evaluation {
 public:
  Evaluation(const Program& program, const Device& device) : program_(program), device_(device) {}

  // Errors say where in the source. Call it once.
  Result<Value> run() { return value_of(program_.ast.root); }
  std::uint64_t steps() const { return scratch_.spent(); }

 private:
  const Node& node(NodeId id) const { return program_.ast.nodes[id]; }
  NodeId child(const Node& of, std::size_t i) const {
    return program_.ast.children[of.children + i];
  }
  // Errors with their place in the source. An error may be absorbed and come up again any number of
  // times, so its text is paid for, too.
  tl::unexpected<Error> at(const Node& node, Error cause);
  tl::unexpected<Error> refuse(const Node& node, std::string message);
  // "is of type int; bool is accepted"
  tl::unexpected<Error> wrong_kind(const Node& node, const Value& value, std::string_view accepted);

  Result<Value> value_of(NodeId id);
  Result<bool> truth_of(NodeId id);
  Result<Value> field(const Node& node);
  Result<Value> index(const Node& node);
  Result<Value> select(const Node& node, const Value& operand, const Value& key);
  Result<std::optional<Value>> look_up(const Value& operand, const Value& key);
  Result<Value> has(const Node& node);
  Result<Value> call(const Node& node);
  Result<Value> run_overload(const Node& node, const Overload& overload,
                             std::span<const Value> arguments);
  Result<Value> list(const Node& node);
  Result<Value> map(const Node& node);
  Status add_entry(const Node& node, const Value& key, const Value& value, Map& map);
  Result<std::optional<Value>> element(NodeId id);
  Result<Value> logic(const Node& node);
  Result<Value> bind(const Node& node);
  Result<Value> or_else(const Node& node);
  Result<Value> fold(const Node& node);
  Result<Value> fold_optional(const Node& node, const Value& range);
  Result<Value> all_or_exists(const Node& node, const List& items);
  Result<Value> exists_one(const Node& node, const List& items);
  Result<Value> filter(const Node& node, const List& items);
  Result<Value> map_items(const Node& node, const List& items);

  // A child with one more variable in scope.
  Result<Value> value_with(const Node& node, std::size_t i, const Value& variable);
  Result<bool> truth_with(const Node& node, std::size_t i, const Value& variable);

  const Program& program_;
  const Device& device_;
  Scratch scratch_;
  std::vector<Value> locals_;  // by Node::ref of kLocal
};

}  // namespace berth::selector
