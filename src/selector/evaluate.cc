#include "selector/evaluate.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "selector/compare.h"
#include "selector/containers.h"
#include "selector/device_fields.h"
#include "selector/source_text.h"

namespace berth::selector {
namespace {

constexpr std::uint64_t kStepsPerError = 16;

std::string_view kind_name(const Value& value) { return name_of(value.kind()); }

bool is_key(Kind kind) {
  return kind == Kind::kBool || kind == Kind::kInt || kind == Kind::kUint || kind == Kind::kString;
}

// Elements of a list or map, bytes / kBytesPerStep of a text.
std::uint64_t reading_price(const Value& value) {
  const std::size_t length = length_of(value);
  const Kind kind = value.kind();
  return kind == Kind::kString || kind == Kind::kBytes ? length / kBytesPerStep : length;
}

std::uint64_t price_of(Price price, std::span<const Value> arguments) {
  std::uint64_t steps = 0;
  if (price == Price::kReads) {
    for (const Value& argument : arguments) steps += reading_price(argument);
  } else if (price == Price::kSearches) {
    steps = (reading_price(arguments[0]) + 1) * (reading_price(arguments[1]) + 1);
  }
  return steps;
}

}  // namespace

tl::unexpected<Error> Evaluation::at(const Node& node, Error cause) {
  // For the text, and for looking through the source for the place.
  const std::uint64_t price = kStepsPerError + program_.source.size() / kBytesPerStep;
  if (auto paid = scratch_.spend(price); !paid) cause = std::move(paid.error());
  cause.message = place_in(program_.source, node.offset) + ": " + cause.message;
  return tl::unexpected(std::move(cause));
}

tl::unexpected<Error> Evaluation::refuse(const Node& node, std::string message) {
  return at(node, {ErrorCode::kInvalid, std::move(message), {}, 0});
}

tl::unexpected<Error> Evaluation::wrong_kind(const Node& node, const Value& value,
                                             std::string_view accepted) {
  return refuse(node, "is of type " + std::string(kind_name(value)) + "; " + std::string(accepted) +
                          " is accepted");
}

Result<Value> Evaluation::value_of(NodeId id) {
  const Node& here = node(id);
  if (auto paid = scratch_.spend(1); !paid) return at(here, paid.error());
  switch (here.kind) {
    case NodeKind::kLiteral:
      return program_.ast.literals[here.ref];
    case NodeKind::kLocal:
      return locals_[here.ref];
    case NodeKind::kDevice:
      return DeviceValue{&device_};
    case NodeKind::kField:
      return field(here);
    case NodeKind::kHas:
      return has(here);
    case NodeKind::kIndex:
      return index(here);
    case NodeKind::kCall:
      return call(here);
    case NodeKind::kList:
      return list(here);
    case NodeKind::kMap:
      return map(here);
    case NodeKind::kAnd:
    case NodeKind::kOr:
      return logic(here);
    case NodeKind::kConditional: {
      const auto condition = truth_of(child(here, 0));
      if (!condition) return tl::unexpected(condition.error());
      return value_of(child(here, *condition ? 1 : 2));
    }
    case NodeKind::kFold:
      return fold(here);
    case NodeKind::kBind:
      return bind(here);
    case NodeKind::kOrElse:
      return or_else(here);
    case NodeKind::kName:             // the checker has resolved it
    case NodeKind::kOptionalElement:  // element() takes it
      break;
  }
  return refuse(here, "cannot be evaluated here");
}

Result<bool> Evaluation::truth_of(NodeId id) {
  const auto value = value_of(id);
  if (!value) return tl::unexpected(value.error());
  if (const auto* flag = value->as<bool>()) return *flag;
  return wrong_kind(node(id), *value, "bool");
}

// ---- fields and elements

Result<std::optional<Value>> Evaluation::look_up(const Value& operand, const Value& key) {
  const auto* device = operand.as<DeviceValue>();
  const auto* name = key.as<std::string_view>();
  if (device != nullptr && name != nullptr) {
    const DeviceField* field = find_device_field(*name);
    if (field == nullptr) return std::nullopt;
    return field->value(*device->device);
  }
  return find_in(operand, key, scratch_);
}

// The operand's element; of an optional operand, and of `.?` and `[?]`, an optional.
Result<Value> Evaluation::select(const Node& node, const Value& operand, const Value& key) {
  const auto* optional = operand.as<Optional>();
  if (optional != nullptr && optional->content == nullptr) return Optional{};
  const Value& held = optional != nullptr ? *optional->content : operand;
  const auto found = look_up(held, key);
  if (!found) return at(node, found.error());
  const bool plain = optional == nullptr && node.form != Form::kOptional;
  if (*found) return plain ? **found : Value(scratch_.keep_optional(**found));
  if (!plain) return Optional{};
  return at(node, not_found(held, key, scratch_));
}

Result<Value> Evaluation::field(const Node& node) {
  auto operand = value_of(child(node, 0));
  if (!operand) return operand;
  const std::string_view name = program_.ast.text_of(node);
  if (operand->as<const List*>() != nullptr) {
    return refuse(node,
                  "a list has no field " + quoted(name) + "; an index such as [0] is accepted");
  }
  return select(node, *operand, name);
}

Result<Value> Evaluation::index(const Node& node) {
  auto operand = value_of(child(node, 0));
  if (!operand) return operand;
  auto key = value_of(child(node, 1));
  if (!key) return key;
  return select(node, *operand, *key);
}

Result<Value> Evaluation::has(const Node& node) {
  auto operand = value_of(child(node, 0));
  if (!operand) return operand;
  const auto* optional = operand->as<Optional>();
  if (optional != nullptr && optional->content == nullptr) return false;
  const Value& held = optional != nullptr ? *optional->content : *operand;
  const auto found = look_up(held, std::string_view(program_.ast.text_of(node)));
  if (!found) return at(node, found.error());
  return found->has_value();
}

// ---- calls

Result<Value> Evaluation::call(const Node& node) {
  std::array<Value, kMostArguments> arguments;
  for (std::size_t i = 0; i < node.count; ++i) {
    auto argument = value_of(child(node, i));
    if (!argument) return argument;
    arguments[i] = *argument;
  }
  const std::span<const Value> given(arguments.data(), node.count);
  for (const Overload& overload : program_.calls[node.ref].overloads) {
    const bool fits = std::ranges::equal(
        given, overload.accepted(),
        [](const Value& value, Kind wanted) { return is_accepted(value.kind(), wanted); });
    if (fits) return run_overload(node, overload, given);
  }
  std::string kinds;
  for (const Value& value : given) {
    kinds += (kinds.empty() ? "" : ", ") + std::string(kind_name(value));
  }
  return refuse(node, no_overload_text(program_.calls[node.ref].overloads, kinds));
}

Result<Value> Evaluation::run_overload(const Node& node, const Overload& overload,
                                       std::span<const Value> arguments) {
  if (auto paid = scratch_.spend(price_of(overload.price, arguments)); !paid) {
    return at(node, paid.error());
  }
  auto result = overload.run({arguments, scratch_, program_.calls[node.ref].pattern.get()});
  if (!result) return at(node, std::move(result.error()));
  return result;
}

// ---- lists and maps

// Of a list element or map value; nothing for an optional one that is none.
Result<std::optional<Value>> Evaluation::element(NodeId id) {
  const Node& here = node(id);
  const bool optional = here.kind == NodeKind::kOptionalElement;
  const auto value = value_of(optional ? child(here, 0) : id);
  if (!value) return tl::unexpected(value.error());
  if (!optional) return *value;
  const auto* held = value->as<Optional>();
  if (held == nullptr) {
    return wrong_kind(here, *value, "behind '?' an optional");
  }
  if (held->content == nullptr) return std::nullopt;
  return *held->content;
}

Result<Value> Evaluation::list(const Node& node) {
  List list;
  for (std::size_t i = 0; i < node.count; ++i) {
    const auto item = element(child(node, i));
    if (!item) return tl::unexpected(item.error());
    if (*item) list.items.push_back(**item);
  }
  return scratch_.keep(std::move(list));
}

Result<Value> Evaluation::map(const Node& node) {
  Map map;
  for (std::size_t i = 0; i < node.count; i += 2) {
    auto key = value_of(child(node, i));
    if (!key) return key;
    const auto value = element(child(node, i + 1));
    if (!value) return tl::unexpected(value.error());
    if (!*value) continue;
    if (auto added = add_entry(node, *key, **value, map); !added) {
      return tl::unexpected(added.error());
    }
  }
  return scratch_.keep(std::move(map));
}

Status Evaluation::add_entry(const Node& node, const Value& key, const Value& value, Map& map) {
  if (!is_key(key.kind())) {
    return refuse(node, "a " + std::string(kind_name(key)) +
                            " is no key of a map; bool, int, uint and string are accepted");
  }
  for (const auto& [known, held] : map.entries) {
    const auto same = equal(known, key, scratch_);
    if (!same) return at(node, same.error());
    if (*same) {
      return refuse(node, "a map has the same key twice; different keys are accepted");
    }
  }
  map.entries.emplace_back(key, value);
  return {};
}

// ---- logic

// One operand that decides wins over errors of the others, wherever it stands; without one the
// first error is the result. Only running out of steps ends it at once.
Result<Value> Evaluation::logic(const Node& node) {
  const bool deciding = node.kind == NodeKind::kOr;
  std::optional<Error> first;
  for (std::size_t i = 0; i < node.count; ++i) {
    auto flag = truth_of(child(node, i));
    if (flag && *flag == deciding) return deciding;
    if (flag) continue;
    if (scratch_.exhausted()) return tl::unexpected(std::move(flag.error()));
    if (!first) first = std::move(flag.error());
  }
  if (first) return tl::unexpected(std::move(*first));
  return !deciding;
}

// ---- names

Result<Value> Evaluation::value_with(const Node& node, std::size_t i, const Value& variable) {
  locals_.push_back(variable);
  auto value = value_of(child(node, i));
  locals_.pop_back();
  return value;
}

Result<bool> Evaluation::truth_with(const Node& node, std::size_t i, const Value& variable) {
  locals_.push_back(variable);
  auto flag = truth_of(child(node, i));
  locals_.pop_back();
  return flag;
}

Result<Value> Evaluation::bind(const Node& node) {
  auto value = value_of(child(node, 0));
  if (!value) return value;
  return value_with(node, 1, *value);
}

Result<Value> Evaluation::or_else(const Node& node) {
  auto value = value_of(child(node, 0));
  if (!value) return value;
  const auto* optional = value->as<Optional>();
  if (optional == nullptr) {
    return wrong_kind(node, *value, "an optional");
  }
  const bool whole = node.form == Form::kOrOptional;
  if (optional->content != nullptr) return whole ? *value : *optional->content;
  auto other = value_of(child(node, 1));
  if (other && whole && other->as<Optional>() == nullptr) {
    return refuse(node,
                  "or() gives a " + std::string(kind_name(*other)) + "; an optional is accepted");
  }
  return other;
}

// ---- macros

Result<Value> Evaluation::fold(const Node& node) {
  auto range = value_of(child(node, 0));
  if (!range) return range;
  if (node.form == Form::kOptMap || node.form == Form::kOptFlatMap) {
    return fold_optional(node, *range);
  }
  const auto items = range_of(*range, scratch_);
  if (!items) return at(node, items.error());
  switch (node.form) {
    case Form::kExistsOne:
      return exists_one(node, **items);
    case Form::kFilter:
      return filter(node, **items);
    case Form::kMap:
      return map_items(node, **items);
    default:
      return all_or_exists(node, **items);
  }
}

Result<Value> Evaluation::fold_optional(const Node& node, const Value& range) {
  const auto* optional = range.as<Optional>();
  if (optional == nullptr) {
    return wrong_kind(node, range, "an optional");
  }
  if (optional->content == nullptr) return Optional{};
  auto value = value_with(node, 1, *optional->content);
  if (!value) return value;
  if (node.form == Form::kOptMap) return scratch_.keep_optional(*value);
  if (value->as<Optional>() != nullptr) return value;
  return refuse(node, "gives a " + std::string(kind_name(*value)) + "; an optional is accepted");
}

// As `logic`, over the elements.
Result<Value> Evaluation::all_or_exists(const Node& node, const List& items) {
  const bool deciding = node.form == Form::kExists;
  std::optional<Error> first;
  for (const Value& item : items.items) {
    auto flag = truth_with(node, 1, item);
    if (flag && *flag == deciding) return deciding;
    if (flag) continue;
    if (scratch_.exhausted()) return tl::unexpected(std::move(flag.error()));
    if (!first) first = std::move(flag.error());
  }
  if (first) return tl::unexpected(std::move(*first));
  return !deciding;
}

Result<Value> Evaluation::exists_one(const Node& node, const List& items) {
  std::size_t found = 0;
  for (const Value& item : items.items) {
    const auto flag = truth_with(node, 1, item);
    if (!flag) return tl::unexpected(flag.error());
    if (*flag) ++found;
  }
  return found == 1;
}

Result<Value> Evaluation::filter(const Node& node, const List& items) {
  List kept;
  for (const Value& item : items.items) {
    const auto flag = truth_with(node, 1, item);
    if (!flag) return tl::unexpected(flag.error());
    if (*flag) kept.items.push_back(item);
  }
  return scratch_.keep(std::move(kept));
}

// With three children the second one is a condition.
Result<Value> Evaluation::map_items(const Node& node, const List& items) {
  const bool conditional = node.count == 3;
  List made;
  for (const Value& item : items.items) {
    if (conditional) {
      const auto flag = truth_with(node, 1, item);
      if (!flag) return tl::unexpected(flag.error());
      if (!*flag) continue;
    }
    auto value = value_with(node, node.count - 1, item);
    if (!value) return value;
    made.items.push_back(*value);
  }
  return scratch_.keep(std::move(made));
}

}  // namespace berth::selector
