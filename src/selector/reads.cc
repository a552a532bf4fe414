#include "selector/reads.h"

#include <limits>
#include <optional>
#include <vector>

#include "selector/ast.h"

namespace berth::selector {
namespace {

constexpr NodeId kNoNode = std::numeric_limits<NodeId>::max();

class ReadFinder {
 public:
  explicit ReadFinder(const Ast& ast) : ast_(ast), parents_(ast.nodes.size(), kNoNode) {
    for (NodeId id = 0; id < ast.nodes.size(); ++id) {
      for (const NodeId child : ast.children_of(ast.nodes[id])) parents_[child] = id;
    }
  }

  AttributeReads run() {
    for (NodeId id = 0; id < ast_.nodes.size(); ++id) {
      if (ast_.nodes[id].kind == NodeKind::kDevice) read_device(id);
    }
    return std::move(reads_);
  }

 private:
  bool is_selected_from(NodeId user, NodeId operand) const {
    if (user == kNoNode) return false;
    const NodeKind kind = ast_.nodes[user].kind;
    const bool selects =
        kind == NodeKind::kField || kind == NodeKind::kHas || kind == NodeKind::kIndex;
    return selects && child(user, 0) == operand;
  }
  NodeId child(NodeId id, std::size_t i) const {
    return ast_.children[ast_.nodes[id].children + i];
  }

  std::optional<std::string> literal_text(NodeId id) const {
    const Node& node = ast_.nodes[id];
    if (node.kind != NodeKind::kLiteral) return std::nullopt;
    const auto* text = ast_.literals[node.ref].as<std::string_view>();
    if (text == nullptr) return std::nullopt;
    return std::string(*text);
  }

  // The name that a field, has() or an index asks for; nothing where it is worked out.
  std::optional<std::string> name_asked(NodeId id) const {
    const Node& node = ast_.nodes[id];
    if (node.kind == NodeKind::kIndex) return literal_text(child(id, 1));
    return ast_.text_of(node);
  }

  void read_device(NodeId device) {
    const NodeId field = parents_[device];
    if (!is_selected_from(field, device) || ast_.nodes[field].kind == NodeKind::kIndex) {
      reads_.everything = true;
      return;
    }
    const bool tested = ast_.nodes[field].kind == NodeKind::kHas;  // every device has it
    if (ast_.text_of(ast_.nodes[field]) == "attributes" && !tested) read_domains(field);
  }

  void read_domains(NodeId attributes) {
    const NodeId user = parents_[attributes];
    std::optional<std::string> domain;
    if (is_selected_from(user, attributes)) {
      domain = name_asked(user);
      if (domain && ast_.nodes[user].kind != NodeKind::kHas) return read_ids(*domain, user);
    } else if (user != kNoNode && ast_.text_of(ast_.nodes[user]) == "_in_" &&
               child(user, 1) == attributes) {
      domain = literal_text(child(user, 0));
    }
    if (domain) {
      reads_.domains.insert(*domain);
    } else {
      reads_.everything = true;
    }
  }

  void read_ids(const std::string& domain, NodeId selected) {
    const NodeId user = parents_[selected];
    const auto id = is_selected_from(user, selected) ? name_asked(user) : std::nullopt;
    if (id) {
      reads_.attributes.insert({domain, *id});
    } else {
      reads_.domains.insert(domain);
    }
  }

  const Ast& ast_;
  std::vector<NodeId> parents_;
  AttributeReads reads_;
};

}  // namespace

AttributeReads attribute_reads(const Ast& ast) { return ReadFinder(ast).run(); }

}  // namespace berth::selector
