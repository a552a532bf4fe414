#include "selector/macros.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "selector/source_text.h"

namespace berth::selector {
namespace {

// receiver.name(variable, ...)
struct Fold {
  std::string_view name;
  Form form;
  std::size_t fewest;  // arguments, with the variable
  std::size_t most;
};
constexpr std::array<Fold, 8> kFolds = {{
    {"all", Form::kAll, 2, 2},
    {"exists", Form::kExists, 2, 2},
    {"exists_one", Form::kExistsOne, 2, 2},
    {"existsOne", Form::kExistsOne, 2, 2},
    {"filter", Form::kFilter, 2, 2},
    {"map", Form::kMap, 2, 3},
    {"optMap", Form::kOptMap, 2, 2},
    {"optFlatMap", Form::kOptFlatMap, 2, 2},
}};

tl::unexpected<Error> error(const CallName& name, const std::string& message) {
  return invalid(place_in(name.source, name.offset) + ": " + std::string(name.text) + "() " +
                 message);
}

Result<NodeId> has(AstBuilder& builder, const CallName& name, std::span<const NodeId> arguments) {
  const bool one = arguments.size() == 1;
  if (!one || builder.node(arguments[0]).kind != NodeKind::kField ||
      builder.node(arguments[0]).form != Form::kPlain) {
    return error(name,
                 "does not take this; one field is accepted, such as "
                 "has(device.attributes['gpu.example.com'].model)");
  }
  const std::string field = builder.text_of(arguments[0]);
  const NodeId operand = builder.children_of(arguments[0])[0];
  return builder.add({NodeKind::kHas, Form::kPlain, name.offset, field}, {operand});
}

Result<NodeId> bind(AstBuilder& builder, const CallName& name, std::span<const NodeId> arguments) {
  if (arguments.size() != 3 || builder.node(arguments[0]).kind != NodeKind::kName) {
    return error(name,
                 "does not take this; a name, its value and an expression are accepted, such as "
                 "cel.bind(gpu, device.attributes['gpu.example.com'], gpu.index < 4)");
  }
  const std::string variable = builder.text_of(arguments[0]);
  return builder.add({NodeKind::kBind, Form::kPlain, name.offset, variable},
                     {arguments[1], arguments[2]});
}

Result<NodeId> fold(AstBuilder& builder, const CallName& name, const Fold& fold, NodeId receiver,
                    std::span<const NodeId> arguments) {
  if (arguments.size() < fold.fewest || arguments.size() > fold.most ||
      builder.node(arguments[0]).kind != NodeKind::kName) {
    return error(name, "does not take this; a name and an expression" +
                           std::string(fold.most > 2 ? " or two" : "") + " are accepted, such as " +
                           std::string(name.text) + "(x, x == 1)");
  }
  const std::string variable = builder.text_of(arguments[0]);
  std::vector<NodeId> children = {receiver};
  children.insert(children.end(), arguments.begin() + 1, arguments.end());
  return builder.add({NodeKind::kFold, fold.form, name.offset, variable}, children);
}

}  // namespace

Result<NodeId> expand_call(AstBuilder& builder, const CallName& name,
                           std::span<const NodeId> arguments) {
  if (name.text == "has") return has(builder, name, arguments);
  return builder.add({NodeKind::kCall, Form::kGlobal, name.offset, name.text}, arguments);
}

Result<NodeId> expand_member_call(AstBuilder& builder, const CallName& name, NodeId receiver,
                                  std::span<const NodeId> arguments) {
  const bool of_cel =
      builder.node(receiver).kind == NodeKind::kName && builder.text_of(receiver) == "cel";
  if (of_cel && name.text == "bind") return bind(builder, name, arguments);
  const auto known = std::find_if(kFolds.begin(), kFolds.end(),
                                  [&](const Fold& each) { return each.name == name.text; });
  if (known != kFolds.end()) return fold(builder, name, *known, receiver, arguments);
  std::vector<NodeId> children = {receiver};
  children.insert(children.end(), arguments.begin(), arguments.end());
  const bool or_else = (name.text == "orValue" || name.text == "or") && arguments.size() == 1;
  if (or_else) {
    const Form form = name.text == "or" ? Form::kOrOptional : Form::kOrValue;
    return builder.add({NodeKind::kOrElse, form, name.offset, name.text}, children);
  }
  return builder.add({NodeKind::kCall, Form::kMember, name.offset, name.text}, children);
}

}  // namespace berth::selector
