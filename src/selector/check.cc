#include "selector/check.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/nearest.h"
#include "selector/device_fields.h"
#include "selector/pattern.h"
#include "selector/source_text.h"

namespace berth::selector {
namespace {

using TypeResult = Result<Type>;

struct Variable {
  std::string_view name;
  Type type;
};

// Names of types that stand for themselves, as in type(x) == int.
constexpr std::array<Kind, 10> kNamedTypes = {
    Kind::kNull,   Kind::kBool,  Kind::kInt,  Kind::kUint, Kind::kDouble,
    Kind::kString, Kind::kBytes, Kind::kList, Kind::kMap,  Kind::kType};
// Calls such as sets.contains(a, b) have a name in two parts.
// That those of the others are not supported is told by their names.
constexpr std::array<std::string_view, 9> kNamespaces = {
    "base64", "cel", "lists", "math", "optional", "proto", "regex", "sets", "strings"};

template <typename T, std::size_t N>
bool is_among(const std::array<T, N>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

std::string of_types(std::span<const Type> types) {
  std::string text;
  for (const Type& type : types) text += (text.empty() ? "" : ", ") + type.to_text();
  return text.empty() ? "no arguments" : text;
}

// `==` of two known types that can never be equal is a mistake, as in CEL's own checker. All
// numbers compare.
bool may_be_equal(const Type& a, const Type& b) {
  return is_accepted(a.kind(), b.kind()) || (is_number(a.kind()) && is_number(b.kind())) ||
         a.kind() == Kind::kNull || b.kind() == Kind::kNull;
}

class Checker {
 public:
  Checker(std::string_view source, Ast ast) {
    program_.source = std::string(source);
    program_.ast = std::move(ast);
  }

  Result<Checked> run() {
    const TypeResult type = type_of(program_.ast.root);
    if (!type) return tl::unexpected(type.error());
    return Checked{std::move(program_), *type};
  }

 private:
  Node& node(NodeId id) { return program_.ast.nodes[id]; }
  NodeId child(NodeId id, std::size_t i) { return program_.ast.children[node(id).children + i]; }
  const std::string& text(NodeId id) { return program_.ast.text_of(node(id)); }
  tl::unexpected<Error> error(NodeId id, const std::string& message) {
    return invalid(place_in(program_.source, node(id).offset) + ": " + message);
  }

  TypeResult type_of(NodeId id) {
    switch (node(id).kind) {
      case NodeKind::kLiteral:
        return Type(program_.ast.literals[node(id).ref].kind());
      case NodeKind::kName:
        return name(id);
      case NodeKind::kField:
        return field(id);
      case NodeKind::kHas:
        return has(id);
      case NodeKind::kIndex:
        return index(id);
      case NodeKind::kCall:
        return call(id);
      case NodeKind::kList:
        return list(id);
      case NodeKind::kMap:
        return map(id);
      case NodeKind::kAnd:
      case NodeKind::kOr:
        return logic(id);
      case NodeKind::kConditional:
        return conditional(id);
      case NodeKind::kFold:
        return fold(id);
      case NodeKind::kBind:
        return bind(id);
      case NodeKind::kOrElse:
        return or_else(id);
      default:
        return error(id, "an optional element is accepted only in a list or a map");
    }
  }

  // Of a child that has to be of one kind.
  Status need(NodeId id, Kind kind) {
    const TypeResult type = type_of(id);
    if (!type) return tl::unexpected(type.error());
    if (is_accepted(type->kind(), kind)) return {};
    return error(
        id, "is of type " + type->to_text() + "; " + std::string(name_of(kind)) + " is accepted");
  }

  const Variable* variable(std::string_view name) const {
    const auto found = std::find_if(scope_.rbegin(), scope_.rend(),
                                    [&](const Variable& each) { return each.name == name; });
    return found == scope_.rend() ? nullptr : &*found;
  }

  TypeResult name(NodeId id) {
    const std::string& word = text(id);
    if (const Variable* local = variable(word)) {
      node(id).kind = NodeKind::kLocal;
      node(id).ref = static_cast<std::uint32_t>(local - scope_.data());
      return local->type;
    }
    if (word == "device") {
      node(id).kind = NodeKind::kDevice;
      return Type(Kind::kDevice);
    }
    for (const Kind kind : kNamedTypes) {
      if (word == name_of(kind)) {
        make_literal(id, TypeValue{kind});
        return Type(Kind::kType);
      }
    }
    std::vector<std::string_view> known = {"device"};
    for (const Variable& each : scope_) known.push_back(each.name);
    return error(id, quoted(word) + " is not known" + suggestion(word, known));
  }

  void make_literal(NodeId id, const Value& value) {
    Node& made = node(id);
    made.kind = NodeKind::kLiteral;
    made.count = 0;
    made.ref = static_cast<std::uint32_t>(program_.ast.literals.size());
    program_.ast.literals.push_back(value);
  }

  // Of what a field or key of `operand` is; `id` is for messages.
  TypeResult element(NodeId id, const Type& operand) {
    if (operand.kind() == Kind::kOptional) {
      TypeResult inner = element(id, operand.element());
      return inner ? TypeResult(Type(Kind::kOptional, *inner)) : inner;
    }
    if (is_accepted(operand.kind(), Kind::kMap) || operand.kind() == Kind::kList) {
      return operand.element();
    }
    return error(id, "a " + operand.to_text() + " has no elements; lists and maps are accepted");
  }

  TypeResult field_type(NodeId id, const Type& operand) {
    const bool optional = operand.kind() == Kind::kOptional;
    const Type held = optional ? operand.element() : operand;
    if (held.kind() == Kind::kDevice) {
      const DeviceField* known = find_device_field(text(id));
      if (known == nullptr) {
        return error(id, "a device has no field " + quoted(text(id)) +
                             suggestion(text(id), device_field_names()));
      }
      return optional ? Type(Kind::kOptional, known->type) : known->type;
    }
    if (!is_accepted(held.kind(), Kind::kMap)) {
      return error(id, "a " + held.to_text() + " has no field " + quoted(text(id)) +
                           "; a field of a map or of device is accepted");
    }
    return element(id, operand);
  }

  TypeResult field(NodeId id) {
    TypeResult operand = type_of(child(id, 0));
    if (!operand) return operand;
    TypeResult type = field_type(id, *operand);
    return type ? as_form(id, *operand, *type) : type;
  }

  // `.?` and `[?]` give an optional; of an optional operand `type` is one already.
  TypeResult as_form(NodeId id, const Type& operand, const Type& type) {
    const bool wraps = node(id).form == Form::kOptional && operand.kind() != Kind::kOptional;
    return wraps ? Type(Kind::kOptional, type) : type;
  }

  TypeResult has(NodeId id) {
    TypeResult operand = type_of(child(id, 0));
    if (!operand) return operand;
    TypeResult type = field_type(id, *operand);
    return type ? TypeResult(Type(Kind::kBool)) : type;
  }

  TypeResult index(NodeId id) {
    TypeResult operand = type_of(child(id, 0));
    if (!operand) return operand;
    TypeResult key = type_of(child(id, 1));
    if (!key) return key;
    TypeResult type = element(id, *operand);
    return type ? as_form(id, *operand, *type) : type;
  }

  // Of the children from `first` on.
  Result<std::vector<Type>> child_types(NodeId id, std::size_t first) {
    std::vector<Type> types;
    for (std::size_t i = first; i < node(id).count; ++i) {
      const TypeResult type = type_of(child(id, i));
      if (!type) return tl::unexpected(type.error());
      types.push_back(*type);
    }
    return types;
  }

  TypeResult call(NodeId id) {
    const std::string name = called_name(id);
    const auto rows = find_function(name, node(id).form);
    if (rows.empty()) return unsupported(id, name);
    const auto types = child_types(id, 0);
    if (!types) return tl::unexpected(types.error());
    std::vector<const Overload*> fitting;
    for (const Overload& row : rows) {
      if (std::ranges::equal(*types, row.accepted(), [](const Type& given, Kind wanted) {
            return is_accepted(given.kind(), wanted);
          })) {
        fitting.push_back(&row);
      }
    }
    const bool unequal =
        (name == "_==_" || name == "_!=_") && !may_be_equal((*types)[0], (*types)[1]);
    if (fitting.empty() || unequal) return error(id, no_overload_text(rows, of_types(*types)));
    node(id).ref = static_cast<std::uint32_t>(program_.calls.size());
    program_.calls.push_back({rows, nullptr});
    if (auto literal = use_literals(id, name); !literal) return tl::unexpected(literal.error());
    return result_type(fitting, name, *types);
  }

  // "sets.contains" of a call that looks like a method of the name `sets`, which then is no child.
  std::string called_name(NodeId id) {
    std::string name = text(id);
    if (node(id).form != Form::kMember) return name;
    const NodeId receiver = child(id, 0);
    if (node(receiver).kind != NodeKind::kName) return name;
    const std::string_view space = text(receiver);
    if (variable(space) != nullptr || !is_among(kNamespaces, space)) return name;
    node(id).form = Form::kGlobal;
    ++node(id).children;
    --node(id).count;
    return std::string(space) + "." + name;
  }

  tl::unexpected<Error> unsupported(NodeId id, const std::string& name) {
    const bool member = node(id).form == Form::kMember;
    std::vector<std::string_view> known = function_names(node(id).form);
    const Form other = member ? Form::kGlobal : Form::kMember;
    if (const auto rows = find_function(name, other); !rows.empty()) {
      return error(id, "the function " + quoted(name) +
                           " is not called like this; accepted: " + signatures(rows));
    }
    constexpr std::array<std::string_view, 9> kMemberMacros = {
        "all", "exists", "exists_one", "filter", "map", "optMap", "optFlatMap", "orValue", "or"};
    if (member) known.insert(known.end(), kMemberMacros.begin(), kMemberMacros.end());
    if (!member) known.insert(known.end(), {"has", "cel.bind"});
    return error(id,
                 "the function " + quoted(name) + " is not supported" + suggestion(name, known));
  }

  const Value* literal(NodeId id) {
    return node(id).kind == NodeKind::kLiteral ? &program_.ast.literals[node(id).ref] : nullptr;
  }

  // What a literal argument says already: a pattern is compiled, a quantity and a version are read.
  Status use_literals(NodeId id, const std::string& name) {
    const Value* last = node(id).count == 0 ? nullptr : literal(child(id, node(id).count - 1));
    const auto* text = last == nullptr ? nullptr : last->as<std::string_view>();
    if (text == nullptr) return {};
    if (name == "matches") {
      auto pattern = compile_pattern(*text);
      if (!pattern) return at(id, pattern.error());
      program_.calls.back().pattern = std::move(*pattern);
    } else if (name == "quantity") {
      const auto quantity = Quantity::parse(*text);
      if (!quantity) return at(id, quantity.error());
      make_literal(id, *quantity);
    } else if (name == "semver") {
      auto version = Semver::parse(*text);
      if (!version) return at(id, version.error());
      make_literal(id, static_cast<const Semver*>(
                           &program_.ast.literal_versions.emplace_back(std::move(*version))));
    }
    return {};
  }

  tl::unexpected<Error> at(NodeId id, Error cause) {
    cause.message = place_in(program_.source, node(id).offset) + ": " + cause.message;
    return tl::unexpected(std::move(cause));
  }

  static Type result_type(std::span<const Overload* const> fitting, std::string_view name,
                          std::span<const Type> types) {
    if (name == "value") return types[0].element();
    if (name == "optional.of" || name == "optional.ofNonZeroValue") {
      return Type(Kind::kOptional, types[0]);
    }
    Type result = fitting[0]->result;
    for (const Overload* row : fitting) result = common_type(result, row->result);
    return result;
  }

  // Of a list element or a map value, which may be an optional one.
  TypeResult element_of(NodeId id) {
    if (node(id).kind != NodeKind::kOptionalElement) return type_of(id);
    TypeResult type = type_of(child(id, 0));
    if (!type || type->kind() == Kind::kDyn) return type;
    if (type->kind() == Kind::kOptional) return type->element();
    return error(id, "is of type " + type->to_text() + "; behind '?' an optional is accepted");
  }

  // Of elements from `first` on, every `step`th.
  TypeResult elements_of(NodeId id, std::size_t first, std::size_t step) {
    Type all;
    for (std::size_t i = first; i < node(id).count; i += step) {
      TypeResult type = element_of(child(id, i));
      if (!type) return type;
      all = i == first ? *type : common_type(all, *type);
    }
    return all;
  }

  TypeResult list(NodeId id) {
    TypeResult type = elements_of(id, 0, 1);
    return type ? TypeResult(Type(Kind::kList, *type)) : type;
  }

  TypeResult map(NodeId id) {
    for (std::size_t i = 0; i < node(id).count; i += 2) {
      TypeResult key = type_of(child(id, i));
      if (!key) return key;
      const Kind kind = key->kind();
      const bool accepted = kind == Kind::kDyn || kind == Kind::kBool || kind == Kind::kInt ||
                            kind == Kind::kUint || kind == Kind::kString;
      if (!accepted) {
        return error(
            child(id, i),
            "a " + key->to_text() + " is no key of a map; bool, int, uint and string are accepted");
      }
    }
    TypeResult type = elements_of(id, 1, 2);
    return type ? TypeResult(Type(Kind::kMap, *type)) : type;
  }

  TypeResult logic(NodeId id) {
    for (std::size_t i = 0; i < node(id).count; ++i) {
      if (auto flag = need(child(id, i), Kind::kBool); !flag) return tl::unexpected(flag.error());
    }
    return Type(Kind::kBool);
  }

  TypeResult conditional(NodeId id) {
    if (auto flag = need(child(id, 0), Kind::kBool); !flag) return tl::unexpected(flag.error());
    const auto branches = child_types(id, 1);
    if (!branches) return tl::unexpected(branches.error());
    return common_type((*branches)[0], (*branches)[1]);
  }

  // Of child `i` with one more name known.
  TypeResult with_variable(NodeId id, std::size_t i, const Type& type) {
    scope_.push_back({text(id), type});
    TypeResult result = type_of(child(id, i));
    scope_.pop_back();
    return result;
  }

  TypeResult fold(NodeId id) {
    TypeResult range = type_of(child(id, 0));
    if (!range) return range;
    const Form form = node(id).form;
    const bool optional = form == Form::kOptMap || form == Form::kOptFlatMap;
    const Kind kind = range->kind();
    const bool accepted = optional ? is_accepted(kind, Kind::kOptional)
                                   : is_accepted(kind, Kind::kList) || kind == Kind::kMap;
    if (!accepted) {
      return error(id,
                   std::string(optional ? "goes into an optional" : "goes over a list or a map") +
                       ", not over a " + range->to_text());
    }
    const Type each = kind == Kind::kMap ? Type() : range->element();
    for (std::size_t i = 1; i + 1 < node(id).count; ++i) {
      TypeResult condition = with_variable(id, i, each);
      if (!condition) return condition;
      if (!is_accepted(condition->kind(), Kind::kBool)) {
        return no_condition(child(id, i), *condition);
      }
    }
    TypeResult body = with_variable(id, node(id).count - 1, each);
    if (!body) return body;
    return fold_type(id, *range, *body);
  }

  TypeResult fold_type(NodeId id, const Type& range, const Type& body) {
    switch (node(id).form) {
      case Form::kMap:
        return Type(Kind::kList, body);
      case Form::kOptMap:
        return Type(Kind::kOptional, body);
      case Form::kOptFlatMap:
        if (is_accepted(body.kind(), Kind::kOptional)) {
          return body.kind() == Kind::kDyn ? Type(Kind::kOptional) : body;
        }
        return error(id, "gives a " + body.to_text() + "; an optional is accepted");
      default:
        break;
    }
    if (!is_accepted(body.kind(), Kind::kBool)) {
      return no_condition(child(id, node(id).count - 1), body);
    }
    if (node(id).form != Form::kFilter) return Type(Kind::kBool);
    return range.kind() == Kind::kList ? range : Type(Kind::kList);
  }

  tl::unexpected<Error> no_condition(NodeId id, const Type& type) {
    return error(id, "is of type " + type.to_text() + "; a condition of type bool is accepted");
  }

  TypeResult bind(NodeId id) {
    TypeResult value = type_of(child(id, 0));
    if (!value) return value;
    return with_variable(id, 1, *value);
  }

  TypeResult or_else(NodeId id) {
    TypeResult optional = type_of(child(id, 0));
    if (!optional) return optional;
    if (!is_accepted(optional->kind(), Kind::kOptional)) {
      return error(id, "is of type " + optional->to_text() + "; an optional is accepted");
    }
    TypeResult other = type_of(child(id, 1));
    if (!other) return other;
    if (node(id).form == Form::kOrValue) return common_type(optional->element(), *other);
    if (is_accepted(other->kind(), Kind::kOptional)) return Type(Kind::kOptional);
    return error(child(id, 1), "is of type " + other->to_text() +
                                   "; or() takes an optional, orValue() another value");
  }

  Program program_;
  std::vector<Variable> scope_;
};

}  // namespace

Result<Checked> check(std::string_view source, Ast ast) {
  return Checker(source, std::move(ast)).run();
}

}  // namespace berth::selector
